"""`ouro models`, and adding and removing providers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from ouroboros.llm.turns import Turn
from ouroboros.testing.server import ScriptedServer, serving
from tests.unit.cli.commands.calling import Ouro
from tests.unit.llm.vendor_server import Answer, BareServer, bare

pytestmark = pytest.mark.real


def offering(*names: str) -> dict[str, Answer]:
    listed = {"data": [{"id": name, "context_length": 64_000} for name in names]}
    return {"/models": Answer("application/json", json.dumps(listed).encode())}


@pytest.fixture
def vendor() -> Iterator[BareServer]:
    with start_blocking_portal() as portal:
        answers = offering("large", "small")
        with portal.wrap_async_context_manager(bare(answers)) as running:
            yield running


@pytest.fixture
def speaker() -> Iterator[ScriptedServer]:
    with start_blocking_portal() as portal:
        server = serving([Turn(text="ready")], repeat=True)
        with portal.wrap_async_context_manager(server) as running:
            yield running


def rows(text: str) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in json.loads(text)}


@pytest.mark.deep
@pytest.mark.proves("providers-vendors")
def test_a_server_of_ones_own_is_added_listed_asked_and_removed(
    ouro: Ouro, home: Path, speaker: ScriptedServer
) -> None:
    added = ouro("providers", "add", "mine", "--base-url", speaker.url, "--no-auth")
    assert (added.code, added.out) == (0, "")
    assert "mine is added to" in added.err
    assert rows(ouro("providers", "list", "--json").out)["mine"]["is_ready"]

    assert list(rows(ouro("models", "list", "--provider", "mine", "--json").out)) == [
        "mine/scripted"
    ]
    assert ouro("providers", "test", "mine").out.startswith("ok: mine/scripted answered 'ready'")
    asked = ouro("providers", "test", "mine/scripted")
    assert asked.out.startswith("ok: mine/scripted answered 'ready' in ")
    assert not any("authorization" in each.headers for each in speaker.exchanges)

    assert ouro("providers", "remove", "mine").code == 0
    assert "mine" not in rows(ouro("providers", "list", "--json").out)
    assert "mine" not in (home / "config.toml").read_text("utf-8")


@pytest.mark.proves("H20")
def test_a_server_that_is_to_get_no_key_gets_none(
    ouro: Ouro, home: Path, speaker: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "sk-of-groq-itself")
    assert ouro("providers", "add", "groq", "--base-url", speaker.url, "--no-auth").code == 0
    assert 'auth = "none"' in (home / "config.toml").read_text("utf-8")
    assert ouro("providers", "test", "groq/scripted").out.startswith("ok: ")
    assert speaker.exchanges
    assert not any("authorization" in each.headers for each in speaker.exchanges)


@pytest.mark.proves("providers-vendors")
def test_adding_keeps_what_the_file_holds_and_its_comments(ouro: Ouro, home: Path) -> None:
    home.mkdir()
    before = '# mine alone\nmode = "plan"  # for now\n\n[limits]\nmax_turns = 3\n'
    (home / "config.toml").write_text(before, "utf-8")
    arguments = ("--base-url", "localhost:9", "--protocol", "anthropic-messages")
    assert ouro("providers", "add", "a-b", *arguments, "--key-env", "AB_KEY").code == 0
    text = (home / "config.toml").read_text("utf-8")
    assert text.startswith(before)
    assert '[providers.a-b]\nbase_url = "http://localhost:9/v1"\n' in text
    assert 'protocol = "anthropic-messages"\nkey_env = "AB_KEY"\n' in text
    assert ouro("providers", "remove", "a-b").code == 0
    assert (home / "config.toml").read_text("utf-8").rstrip() == before.rstrip()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a/b", "--base-url", "http://h/v1"), ("a/b", "letters")),
        (("echo", "--base-url", "http://h/v1"), ("echo", "another name")),
        (("mine", "--base-url", "ftp://h"), ("ftp://h",)),
        (("mine", "--base-url", "http://me:sk-1@h"), ("password", "set a key instead")),
        (("mine", "--base-url", "http://h", "--protocol", "openai"), ("openai-chat",)),
        (("mine", "--base-url", "http://h", "--key-env", "sk-1-2"), ("MY_API_KEY",)),
        (("mine", "--base-url", "http://h", "--key-env", "K", "--no-auth"), ("contradict",)),
        (("mine",), ("--base-url",)),
    ],
)
def test_what_cannot_be_a_provider_is_refused_and_nothing_written(
    ouro: Ouro, home: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    ended = ouro("providers", "add", *arguments)
    assert ended.code == 2
    for word in words:
        assert word in ended.err
    assert "sk-1" not in ended.err
    assert not (home / "config.toml").exists()


def test_a_provider_is_not_added_twice_nor_removed_where_it_is_not(ouro: Ouro) -> None:
    new = ouro("providers", "add", "mine", "--base-url", "http://h/v1")
    known = ouro("providers", "add", "groq", "--base-url", "http://h/v1")
    assert "known" not in new.err
    assert "groq is known already; what you did not say stays as it is" in known.err
    twice = ouro("providers", "add", "mine", "--base-url", "http://h/v1")
    assert (twice.code, "ouro providers remove mine" in twice.err) == (2, True)
    near = ouro("providers", "remove", "mien")
    assert (near.code, "'mine'" in near.err) == (2, True)
    known = ouro("providers", "remove", "openai")
    assert (known.code, "without any setting" in known.err) == (2, True)


def test_a_list_is_asked_for_once_in_300_seconds_unless_refreshed(
    ouro: Ouro, vendor: BareServer
) -> None:
    ouro("providers", "add", "mine", "--base-url", vendor.url)
    found = ouro("models", "list", "--provider", "mine")
    assert found.out == ("mine/large\t64k\t\tprice unknown\t\nmine/small\t64k\t\tprice unknown\t\n")
    ouro("models", "list", "--provider", "mine")
    assert len(vendor.asked) == 1
    vendor.answers = offering("other")
    refreshed = ouro("models", "list", "--provider", "mine", "--refresh", "--json")
    assert list(rows(refreshed.out)) == ["mine/other"]
    assert len(vendor.asked) == 2


@pytest.mark.proves("H14")
def test_a_key_for_ones_own_address_does_not_go_to_the_vendors_list(
    ouro: Ouro, home: Path, monkeypatch: pytest.MonkeyPatch, vendor: BareServer
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "sk-1")
    home.mkdir()
    (home / "config.toml").write_text(f'[providers.github]\nbase_url = "{vendor.url}/x"\n', "utf-8")
    found = rows(ouro("models", "list", "--provider", "github", "--json").out)
    assert list(found) == ["github/large", "github/small"]
    assert [each.path for each in vendor.asked] == ["/x/models"]


def test_what_settings_name_is_listed_too_and_their_price_counts(
    ouro: Ouro, home: Path, vendor: BareServer
) -> None:
    home.mkdir()
    (home / "config.toml").write_text(
        f'[providers.mine]\nbase_url = "{vendor.url}"\nmodels = ["hidden"]\n'
        '[models."mine/large"]\ninput = 1.0\noutput = 2.0\n',
        "utf-8",
    )
    found = rows(ouro("models", "list", "--provider", "mine", "--json").out)
    assert set(found) == {"mine/hidden", "mine/large", "mine/small"}
    assert found["mine/large"]["known"]["price"] == {"input": 1.0, "output": 2.0}
    assert found["mine/hidden"] == {"name": "mine/hidden", "origin": "settings", "known": {}}
    shown = ouro("models", "show", "mine/large")
    assert "input: $1 per million tokens\n" in shown.out
    assert "window: 64,000 tokens\n" in shown.out


@pytest.mark.proves("providers-catalogue")
def test_a_vendor_that_does_not_answer_leaves_the_snapshot_and_a_warning(
    ouro: Ouro, monkeypatch: pytest.MonkeyPatch, vendor: BareServer
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "sk-1")
    monkeypatch.setenv("GROQ_BASE_URL", vendor.url)
    vendor.answers = {"/models": Answer("application/json", b'{"error": {}}', 500)}
    ended = ouro("models", "list", "--provider", "groq", "--json")
    assert ended.code == 0
    assert "warning: groq did not list its models at http://127.0.0.1:" in ended.err
    assert rows(ended.out)["groq/openai/gpt-oss-120b"]["origin"] == "snapshot"


def test_every_provider_that_is_ready_is_listed_and_local_ones_that_run(
    ouro: Ouro, monkeypatch: pytest.MonkeyPatch, vendor: BareServer
) -> None:
    for name in ("OLLAMA", "VLLM", "LLAMACPP"):
        monkeypatch.setenv(f"{name}_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("LMSTUDIO_BASE_URL", vendor.url)
    monkeypatch.setenv("GROQ_API_KEY", "sk-1")
    monkeypatch.setenv("GROQ_BASE_URL", vendor.url)
    ended = ouro("models", "list", "--json")
    assert (ended.code, ended.err) == (0, "")
    assert list(rows(ended.out)) == [
        "groq/large",
        "groq/small",
        "lmstudio/large",
        "lmstudio/small",
    ]


def test_a_list_that_cannot_be_kept_is_shown_all_the_same(
    ouro: Ouro, home: Path, vendor: BareServer
) -> None:
    ouro("providers", "add", "mine", "--base-url", vendor.url)
    (home / "cache").write_text("in the way", "utf-8")
    ended = ouro("models", "list", "--provider", "mine", "--json")
    assert list(rows(ended.out)) == ["mine/large", "mine/small"]
    assert "warning: the list of mine cannot be kept: " in ended.err


def test_without_a_key_no_vendor_is_asked(ouro: Ouro) -> None:
    ended = ouro("models", "list", "--provider", "groq")
    assert ended.code == 0
    assert "warning: groq did not list its models: GROQ_API_KEY is not set." in ended.err
    assert "groq/openai/gpt-oss-120b\t131k\ttools thinks" in ended.out


@pytest.mark.proves("providers-catalogue")
def test_a_model_is_shown_and_found_without_asking_anybody(ouro: Ouro) -> None:
    shown = ouro("models", "show", "anthropic/claude-sonnet-5-5")
    assert "window: 1,000,000 tokens\n" in shown.out
    assert "effort: low, medium, high, xhigh, max\n" in shown.out
    assert ouro("models", "show", "claude-sonnet-5-5").out == shown.out
    machine = json.loads(ouro("models", "show", "claude-sonnet-5-5", "--json").out)
    assert machine["known"]["price"]["input"] == 2.0
    found = ouro("models", "search", "SONNET", "5-5")
    assert "anthropic/claude-sonnet-5-5\t1M\ttools thinks image pdf\t$2 / $10\t\n" in found.out
    assert all("sonnet" in line and "5-5" in line for line in found.out.splitlines())
    assert rows(ouro("models", "search", "sonnet", "5-5", "--json").out)


@pytest.mark.proves("providers-catalogue")
def test_what_nobody_knows_is_said_so(ouro: Ouro) -> None:
    unknown = ouro("models", "show", "anthropic/claude-sonet-5-5")
    assert (unknown.code, unknown.out) == (2, "")
    assert "anthropic/claude-sonnet-5-5" in unknown.err
    nobody = ouro("models", "show", "antropic/x")
    assert (nobody.code, "anthropic" in nobody.err) == (2, True)
    nothing = ouro("models", "search", "no-such-model-anywhere")
    assert (nothing.code, nothing.out) == (1, "")
    assert ouro("models", "list", "--provider", "nope").code == 2
    assert "`ouro models search zzz` finds it" in ouro("models", "show", "zzz").err


def test_a_server_that_names_no_models_is_said_to_and_where(ouro: Ouro, vendor: BareServer) -> None:
    ouro("providers", "add", "mine", "--base-url", f"{vendor.url}/v9", "--no-auth")
    vendor.answers = {}
    listed = ouro("models", "list", "--provider", "mine")
    assert (listed.code, listed.out) == (1, "")
    assert f"mine did not list its models at {vendor.url}/v9: " in listed.err
    assert "write the name yourself: mine/MODEL" in listed.err
    machine = ouro("models", "list", "--provider", "mine", "--json")
    assert (machine.code, machine.out) == (1, "[]\n")
    asked = ouro("providers", "test", "mine")
    assert asked.code == 2
    assert "mine did not list its models" in asked.err
    assert "hint: ouro providers test mine/MODEL" in asked.err


@pytest.mark.proves("H13")
def test_a_price_nobody_says_is_unknown_and_never_zero(ouro: Ouro, vendor: BareServer) -> None:
    ouro("providers", "add", "mine", "--base-url", vendor.url)
    ouro("models", "list", "--provider", "mine")
    shown = ouro("models", "show", "mine/large")
    assert "price: unknown\n" in shown.out
    assert "$" not in shown.out
