"""From the words a person types to a vendor, an address and a key."""

import sys
from pathlib import Path

import pytest

from ouroboros.core.errors import KeyMissing, Misuse, ModelUnknown
from ouroboros.core.parts import Origin
from ouroboros.llm import auth
from ouroboros.llm.protocols import NAMES
from ouroboros.llm.providers import ENTRIES, Choice, Entry, find
from ouroboros.llm.providers.choice import default, join, normalised

KEYS = {"OPENAI_API_KEY": "sk-open", "ANTHROPIC_API_KEY": "sk-ant"}
TABLE = {entry.name: entry for entry in ENTRIES}


def chosen(choice: Choice) -> tuple[str, str, str, str]:
    source = choice.credential.source if choice.credential else ""
    return choice.entry.name, choice.model, choice.base_url, source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("openai/gpt-5", ("openai", "gpt-5", "https://api.openai.com/v1", "OPENAI_API_KEY")),
        ("gpt-5", ("openai", "gpt-5", "https://api.openai.com/v1", "OPENAI_API_KEY")),
        (
            "claude-sonnet-4-5",
            (
                "anthropic",
                "claude-sonnet-4-5",
                "https://api.anthropic.com/v1",
                "ANTHROPIC_API_KEY",
            ),
        ),
        ("ollama/qwen3:8b", ("ollama", "qwen3:8b", "http://localhost:11434/v1", "")),
        ("script:some/demo.jsonl", ("script", "some/demo.jsonl", "", "")),
        ("script//abs/demo.jsonl", ("script", "/abs/demo.jsonl", "", "")),
        ("echo", ("echo", "", "", "")),
        ("echo/anything", ("echo", "", "", "")),
    ],
)
def test_names_lead_to_a_choice(text: str, expected: tuple[str, str, str, str]) -> None:
    assert chosen(find(text, environment=KEYS)) == expected


def test_a_model_of_a_reseller_keeps_its_slash() -> None:
    choice = find("openrouter/anthropic/claude-3", environment={"OPENROUTER_API_KEY": "k"})
    assert choice.origin == Origin(
        provider="openrouter", protocol="openai-chat", model="anthropic/claude-3"
    )
    assert choice.url("/chat/completions") == "https://openrouter.ai/api/v1/chat/completions"


def test_choosing_a_choice_by_its_name_gives_it_again() -> None:
    for text in ("openai/gpt-5", "script:a.jsonl", "echo", "ollama/x/y"):
        choice = find(text, environment=KEYS)
        assert find(choice.name, environment=KEYS) == choice or choice.credential is not None
        assert find(choice.name, environment=KEYS).name == choice.name


@pytest.mark.parametrize(
    ("given", "provider", "expected"),
    [
        ("http://127.0.0.1:8399", "compatible", "http://127.0.0.1:8399/v1"),
        ("http://127.0.0.1:8399/", "compatible", "http://127.0.0.1:8399/v1"),
        ("http://127.0.0.1:8399/v1", "compatible", "http://127.0.0.1:8399/v1"),
        ("http://127.0.0.1:8399/v1/", "compatible", "http://127.0.0.1:8399/v1"),
        ("http://h/v1/chat/completions", "compatible", "http://h/v1"),
        ("http://h/api/openai", "compatible", "http://h/api/openai"),
        ("localhost:8080", "compatible", "http://localhost:8080/v1"),
        ("http://[::1]:8080", "compatible", "http://[::1]:8080/v1"),
        ("https://proxy.example/anthropic", "anthropic", "https://proxy.example/anthropic/v1"),
        ("https://api.anthropic.com", "anthropic", "https://api.anthropic.com/v1"),
        ("http://h/v1/messages", "anthropic", "http://h/v1"),
        ("http://h/v1/responses", "openai", "http://h/v1"),
    ],
)
def test_addresses_are_understood_with_and_without_v1(
    given: str, provider: str, expected: str
) -> None:
    entry = TABLE[provider]
    assert normalised(given, entry) == expected
    assert normalised(expected, entry) == expected


def test_a_path_joins_the_base_once() -> None:
    assert join("http://h/v1", "/v1/messages") == "http://h/v1/messages"
    assert join("http://h/v1/", "/messages") == "http://h/v1/messages"


def test_the_persons_address_beats_the_variable() -> None:
    environment = {**KEYS, "OPENAI_BASE_URL": "http://variable:1/v1"}
    given = find("openai/m", environment=environment, base_url="http://flag:2")
    assert (given.base_url, given.is_custom) == ("http://flag:2/v1", True)
    variable = find("openai/m", environment=environment)
    assert (variable.base_url, variable.is_custom) == ("http://variable:1/v1", True)
    assert not find("openai/m", environment=KEYS).is_custom


def test_behind_an_address_of_ones_own_the_key_is_optional() -> None:
    assert find("openai/m", environment={}, base_url="http://h:1").credential is None
    keyed = find("openai/m", environment=KEYS, base_url="http://h:1")
    assert keyed.credential is not None
    assert keyed.credential.headers("bearer") == {"authorization": "Bearer sk-open"}


@pytest.mark.parametrize("name", ["my-model", "gpt-oss:20b", "meta-llama/Llama-3", "org/model"])
def test_a_bare_name_behind_an_address_is_a_compatible_server(name: str) -> None:
    choice = find(name, environment={}, base_url="http://127.0.0.1:8399/v1")
    assert choice.origin == Origin(provider="compatible", protocol="openai-chat", model=name)


def test_a_missing_key_names_the_variables_and_the_ways_without() -> None:
    with pytest.raises(KeyMissing) as caught:
        find("anthropic/claude-x", environment={"ANTHROPIC_API_KEY": "  "})
    assert "ANTHROPIC_API_KEY" in caught.value.message
    for word in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "ollama", "./ouro demo"):
        assert word in caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("opnai/gpt-5", "openai/gpt-5"),
        ("antropic", "anthropic/MODEL"),
        ("zzz", "PROVIDER/MODEL"),
        ("", "PROVIDER/MODEL"),
        ("/x", "PROVIDER/MODEL"),
    ],
)
def test_an_unknown_name_brings_near_ones(text: str, hint: str) -> None:
    with pytest.raises(ModelUnknown) as caught:
        find(text, environment=KEYS)
    assert hint in caught.value.hint


@pytest.mark.parametrize("text", ["openai", "openai/", "script:", "ollama/"])
def test_a_provider_without_a_model_is_refused(text: str) -> None:
    with pytest.raises(ModelUnknown):
        find(text, environment=KEYS)


def test_an_address_with_a_password_is_refused_without_showing_it() -> None:
    with pytest.raises(Misuse) as caught:
        find("openai/m", environment=KEYS, base_url="http://me:secret@h:1/v1")
    assert "secret" not in caught.value.message + caught.value.hint


def test_a_vendor_is_one_entry_of_a_table() -> None:
    mine = Entry(
        name="mine",
        protocol="openai-chat",
        base_url="https://mine.example/v1",
        keys=("MINE_API_KEY",),
        prefixes=("mine-",),
    )
    choice = find("mine-large", environment={"MINE_API_KEY": "k"}, entries=(*ENTRIES, mine))
    assert choice.url("/chat/completions") == "https://mine.example/v1/chat/completions"


def test_an_installed_package_may_bring_a_vendor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bring_vendor.py").write_text(
        "from ouroboros.llm.providers import Entry\n"
        "entry = Entry(name='brought', protocol='openai-chat', base_url='http://b.example/v1',\n"
        "              is_keyless=True)\n"
        "nonsense = 3\n"
    )
    papers = tmp_path / "bring_vendor-1.0.dist-info"
    papers.mkdir()
    (papers / "METADATA").write_text("Metadata-Version: 2.1\nName: bring-vendor\nVersion: 1.0\n")
    (papers / "entry_points.txt").write_text(
        "[ouroboros.providers]\nbrought = bring_vendor:entry\nbad = bring_vendor:nonsense\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert find("brought/m", environment={}).base_url == "http://b.example/v1"
    with pytest.raises(Misuse, match="no Entry"):
        find("bad/m", environment={})


@pytest.mark.parametrize("address", ["ftp://h/v1", "http://", "http://h:99999/v1", "http://h h/"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(Misuse):
        find("compatible/m", environment={}, base_url=address)


def test_the_compatible_entry_needs_an_address() -> None:
    with pytest.raises(Misuse, match="address"):
        find("compatible/m", environment={})


def test_the_default_follows_the_keys() -> None:
    assert default(KEYS) == "openai/gpt-5"
    assert default({"ANTHROPIC_API_KEY": "k"}).startswith("anthropic/")
    with pytest.raises(KeyMissing):
        default({})


def test_a_key_is_never_shown() -> None:
    credential = auth.find(("A", "B"), {"B": "sk-secret\n"})
    assert credential is not None
    assert (credential.source, credential.headers("x-api-key")) == ("B", {"x-api-key": "sk-secret"})
    assert "sk-secret" not in repr(credential) + str(credential)
    assert credential.redact("key sk-secret is wrong") == "key [key] is wrong"
    assert "sk-secret" not in repr(find("openai/m", environment={"OPENAI_API_KEY": "sk-secret"}))


@pytest.mark.parametrize("key", ["two words", "käse", "line\nbreak"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(Misuse) as caught:
        auth.find(("A",), {"A": key})
    assert key not in caught.value.message + caught.value.hint


def test_every_entry_is_whole() -> None:
    assert len(TABLE) == len(ENTRIES)
    vendors = "openai anthropic ollama openrouter deepseek together groq fireworks mistral xai"
    assert set(vendors.split()) | {"perplexity", "lmstudio", "echo", "script"} <= set(TABLE)
    for entry in ENTRIES:
        assert entry.protocol in {*NAMES, "echo", "script"}
        assert entry.is_keyless or entry.keys
        if entry.base_url:
            assert normalised(entry.base_url, entry) == entry.base_url or entry.name == "perplexity"
