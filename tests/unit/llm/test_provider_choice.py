"""From the words a person types to a vendor, an address and a key."""

import sys
from pathlib import Path

import pytest

from ouroboros.core.errors import KeyMissing, Misuse, ModelUnknown
from ouroboros.core.parts import Origin
from ouroboros.llm import auth
from ouroboros.llm.protocols import NAMES
from ouroboros.llm.providers import ENTRIES, Choice, Entry, find
from ouroboros.llm.providers.address import join, normalised
from ouroboros.llm.providers.choice import default
from ouroboros.llm.providers.table import SOURCE
from tests.cases import every

KEYS = {"OPENAI_API_KEY": "sk-open", "ANTHROPIC_API_KEY": "sk-ant"}
EVERY_KEY = {
    **KEYS,
    "GEMINI_API_KEY": "k",
    "AZURE_OPENAI_API_KEY": "k",
    "GOOGLE_OAUTH_ACCESS_TOKEN": "k",
    "GOOGLE_CLOUD_PROJECT": "p",
    "AWS_REGION": "eu-west-1",
}
TABLE = {entry.name: entry for entry in ENTRIES}


def chosen(choice: Choice) -> tuple[str, str, str, str]:
    source = choice.credential.source if choice.credential else ""
    return choice.entry.name, choice.model, choice.base_url, source


@every(
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
        ("ollama/qwen3:8b", ("ollama", "qwen3:8b", "http://localhost:11434", "")),
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


@every(
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
        ("https://res.openai.azure.com/", "azure", "https://res.openai.azure.com/openai/v1"),
        ("http://127.0.0.1:9/openai/v1/responses", "azure", "http://127.0.0.1:9/openai/v1"),
        ("http://127.0.0.1:9", "google", "http://127.0.0.1:9/v1beta"),
        ("http://127.0.0.1:9", "perplexity", "http://127.0.0.1:9"),
        ("0.0.0.0:11434", "ollama", "http://127.0.0.1:11434"),
        ("0.0.0.0", "ollama", "http://127.0.0.1:11434"),
        ("[::]:11500", "ollama", "http://[::1]:11500"),
        (":11500", "ollama", "http://127.0.0.1:11500"),
        ("box", "ollama", "http://box:11434"),
        ("http://box", "ollama", "http://box"),
        ("https://ollama.com", "ollama", "https://ollama.com"),
        ("http://127.0.0.1:11434/v1", "ollama", "http://127.0.0.1:11434"),
        ("http://127.0.0.1:11434/api/chat", "ollama", "http://127.0.0.1:11434"),
        ("http://h/ollama/api", "ollama", "http://h/ollama"),
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


@every("name", ["my-model", "gpt-oss:20b", "meta-llama/Llama-3", "org/model"])
def test_a_bare_name_behind_an_address_is_a_compatible_server(name: str) -> None:
    choice = find(name, environment={}, base_url="http://127.0.0.1:8399/v1")
    assert choice.origin == Origin(provider="compatible", protocol="openai-chat", model=name)


@pytest.mark.proves("spine-cli")
def test_a_missing_key_names_the_variables_and_the_ways_without() -> None:
    with pytest.raises(KeyMissing) as caught:
        find("anthropic/claude-x", environment={"ANTHROPIC_API_KEY": "  "})
    assert "ANTHROPIC_API_KEY" in caught.value.message
    for word in ("ANTHROPIC_API_KEY", "ouro providers login anthropic", "ollama", "./ouro demo"):
        assert word in caught.value.hint
    assert "OPENAI" not in caught.value.hint  # it would not help
    assert caught.value.exit_code == 2


@every(
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


@every(
    ("text", "hint"),
    [
        ("openai", "names more"),
        ("openai/", "Write openai/gpt"),
        ("script:", "script:PATH"),
        ("ollama/", "`ouro models list --provider ollama` names them"),
        ("litellm", "litellm/VENDOR/MODEL"),
        ("compatible", "--base-url"),
    ],
)
def test_a_provider_without_a_model_is_refused(text: str, hint: str) -> None:
    with pytest.raises(ModelUnknown) as caught:
        find(text, environment=KEYS)
    assert hint in caught.value.hint


def test_an_address_with_a_password_is_refused_without_showing_it() -> None:
    with pytest.raises(Misuse) as caught:
        find("openai/m", environment=KEYS, base_url="http://me:secret@h:1/v1")
    assert "secret" not in caught.value.message + caught.value.hint


@pytest.mark.proves("H01")
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


@pytest.mark.proves("H01")
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


@every("address", ["ftp://h/v1", "http://", "http://h:99999/v1", "http://h h/"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(Misuse):
        find("compatible/m", environment={}, base_url=address)


def test_the_compatible_entry_needs_an_address() -> None:
    with pytest.raises(Misuse, match="address"):
        find("compatible/m", environment={})


def test_the_default_follows_the_keys() -> None:
    assert default(KEYS) == "openai/gpt-6.1-sol"
    assert default({"ANTHROPIC_API_KEY": "k"}).startswith("anthropic/")
    with pytest.raises(KeyMissing):
        default({})


@pytest.mark.proves("H20")
def test_a_key_is_never_shown() -> None:
    credential = auth.find(("A", "B"), {"B": "sk-secret\n"})
    assert credential is not None
    assert (credential.source, credential.headers("x-api-key")) == ("B", {"x-api-key": "sk-secret"})
    assert "sk-secret" not in repr(credential) + str(credential)
    assert credential.redact("key sk-secret is wrong") == "key [key] is wrong"
    assert "sk-secret" not in repr(find("openai/m", environment={"OPENAI_API_KEY": "sk-secret"}))


def test_a_placeholder_in_the_place_of_a_key_is_left_in_what_is_shown() -> None:
    credential = auth.find(("A",), {"A": "x"})
    assert credential is not None
    assert credential.redact("not in the expected format") == "not in the expected format"


@every("key", ["two words", "käse", "line\nbreak"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(Misuse) as caught:
        auth.find(("A",), {"A": key})
    assert key not in caught.value.message + caught.value.hint


@pytest.mark.proves("H01")
def test_every_entry_is_whole() -> None:
    assert len(TABLE) == len(ENTRIES)
    for entry in ENTRIES:
        assert entry.protocol in {*NAMES, "echo", "script", "litellm"}
        assert entry.is_keyless or entry.keys
        for words in entry.families:
            assert all(entry.dialect_of(f"{word}-x") for word in words.split())
        if entry.base_url and "{" not in entry.base_url:
            assert normalised(entry.base_url, entry) == entry.base_url


@pytest.mark.proves("providers-vendors", "H01")
def test_a_vendor_takes_at_most_fifteen_lines() -> None:
    sections = SOURCE.read_text("utf-8").split("\n[")[1:]
    assert len(sections) == len(ENTRIES)
    for section in sections:
        assert 3 <= len(section.strip().splitlines()) <= 15, section


@pytest.mark.proves("providers-vendors", "H01")
def test_a_family_of_models_has_habits_of_its_own() -> None:
    def effort(model: str) -> str:
        return find(model, environment=EVERY_KEY).entry.dialect.effort_style

    assert effort("anthropic/claude-sonnet-5-5") == "adaptive"
    assert effort("anthropic/claude-sonnet-4-5-20250929") == "budget"
    assert effort("anthropic/claude-opus-4-8") == "adaptive"
    assert effort("google/gemini-2.5-pro") == "budget"
    assert effort("google/gemini-4-argon") == "level"
    assert effort("bedrock/eu.anthropic.claude-haiku-4-5-20251001-v1:0") == "budget"
    assert effort("bedrock/anthropic.claude-sonnet-5-v1:0") == "adaptive"
    assert effort("bedrock-invoke/us.anthropic.claude-sonnet-4-20250514-v1:0") == "budget"
    assert effort("bedrock-invoke/us.anthropic.claude-opus-4-1-20250805-v1:0") == "budget"
    assert effort("bedrock-invoke/us.anthropic.claude-opus-4-7") == "adaptive"
    assert effort("openai/gpt-4.1-mini") == effort("google/gemini-2.0-flash") == "none"
    assert effort("openai/gpt-5.4") == effort("openai-chat/gpt-5") == "field"
    table = {entry.name: entry for entry in ENTRIES}
    assert table["zai"].dialect_of("glm-4.7").effort_style == "thinking"
    assert table["mistral"].dialect_of("mistral-medium-latest").effort_style == "high"
    assert table["groq"].dialect_of("qwen/qwen3-32b").effort_style == "none"
    assert table["moonshot"].dialect_of("kimi-k2.6").effort_style == "thinking"
    assert table["moonshot"].dialect_of("kimi-k2.7-code").effort_style == "none"
    assert table["anthropic"].dialect_of("claude-opus-4-6").effort_none == ""
    assert table["anthropic"].dialect_of("claude-opus-5").effort_none == "disabled"
    assert table["openai"].dialect_of("gpt-6.1-sol").effort_none == "low"
    assert table["openai"].dialect_of("gpt-6.1-terra").effort_none == ""
    assert table["anthropic"].dialect_of("claude-opus-5-5").effort_none == "low"


@pytest.mark.proves("H01")
def test_the_longest_beginning_counts_whatever_stands_first() -> None:
    entry = Entry(
        name="x",
        protocol="openai-chat",
        families={"a-b c": {"effort_style": "none"}, "a": {"effort_style": "object"}},
    )
    models = ("a-b-1", "a-1", "org/a-b", "us.a", "c-9", "b-a", "xa")
    styles = [entry.dialect_of(model).effort_style for model in models]
    assert styles == ["none", "object", "none", "object", "none", "field", "field"]


def test_models_that_think_take_no_temperature() -> None:
    def refused(model: str) -> tuple[str, ...]:
        return find(model, environment=EVERY_KEY).entry.dialect.unsupported

    for model in ("openai/gpt-6.1-sol", "openai-chat/gpt-5-mini", "o3", "claude-opus-5"):
        assert "temperature" in refused(model)
    for model in ("openai/gpt-4.1", "gpt-5-chat-latest", "claude-sonnet-4-6", "claude-haiku-4-5"):
        assert "temperature" not in refused(model)


def test_what_stands_in_an_address_comes_from_variables() -> None:
    azure = find("azure/d", environment={**EVERY_KEY, "AZURE_RESOURCE_NAME": "my-res"})
    assert azure.base_url == "https://my-res.openai.azure.com/openai/v1"
    here = {**EVERY_KEY, "GOOGLE_CLOUD_LOCATION": "europe-west4"}
    assert find("vertex/g", environment=here).base_url == (
        "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4"
        "/publishers/google"
    )
    assert "//aiplatform." in find("vertex/g", environment=EVERY_KEY).base_url
    many = find("vertex/g", environment={**EVERY_KEY, "GOOGLE_CLOUD_LOCATION": "eu"})
    assert many.base_url.startswith("https://aiplatform.eu.rep.googleapis.com/v1/projects/")


@pytest.mark.proves("H01")
@every(
    ("model", "words"),
    [
        ("azure/d", ("resource", "AZURE_OPENAI_RESOURCE", "AZURE_RESOURCE_NAME")),
        ("vertex/g", ("project", "GOOGLE_CLOUD_PROJECT")),
        ("bedrock/m", ("region", "AWS_REGION", "AWS_DEFAULT_REGION")),
    ],
)
def test_what_is_missing_in_an_address_is_named(model: str, words: tuple[str, ...]) -> None:
    keys = {"AZURE_OPENAI_API_KEY": "k", "GOOGLE_OAUTH_ACCESS_TOKEN": "k"}
    with pytest.raises(Misuse) as caught:
        find(model, environment=keys)
    for word in words:
        assert word in caught.value.message
    assert f"[providers.{model.partition('/')[0]}.variables]" in caught.value.hint


@pytest.mark.proves("H01")
@every("value", ["evil.example/", "a b", "x@y", "a#b", "käse", "a/../b"])
def test_a_variable_cannot_bend_the_address(value: str) -> None:
    environment = {"AZURE_OPENAI_API_KEY": "k", "AZURE_RESOURCE_NAME": value}
    with pytest.raises(Misuse, match="resource"):
        find("azure/d", environment=environment)


def test_a_key_is_not_needed_where_a_command_or_aws_gives_the_proof() -> None:
    assert find("vertex/g", environment={"GOOGLE_CLOUD_PROJECT": "p"}).plan is not None
    assert find("bedrock/m", environment={"AWS_REGION": "r"}).credential is None


@pytest.mark.proves("H02")
def test_hints_stay_short_however_many_vendors_there_are() -> None:
    with pytest.raises(KeyMissing) as caught:
        find("groq/m", environment={})
    assert caught.value.hint.startswith("Set GROQ_API_KEY, or keep the key: ")
    with pytest.raises(ModelUnknown) as unknown:
        find("zzz", environment={})
    assert len(caught.value.hint) < 400
    assert len(unknown.value.hint) < 100


@every(
    ("text", "meant"),
    [
        ("gemini/gemini-3-pro", "google/gemini-3-pro"),
        ("aws/m", "bedrock/m"),
        ("hf/m", "huggingface/m"),
    ],
)
def test_what_people_call_a_vendor_leads_to_it(text: str, meant: str) -> None:
    with pytest.raises(ModelUnknown) as caught:
        find(text, environment={})
    assert caught.value.hint == f"Did you mean {meant}?"
