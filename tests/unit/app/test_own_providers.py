"""`[providers.NAME]` and `[models."NAME"]`: what they add, what they change, and what they leave."""

from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from ouroboros.app.config import view as config_view
from ouroboros.app.config.layers import load
from ouroboros.app.providers.models import Chosen, choose
from ouroboros.app.settings import ProtocolName, Settings
from ouroboros.core.errors import ConfigBroken, KeyMissing, Misuse, ModelUnknown
from ouroboros.llm.catalog import Known, discovery_cache
from ouroboros.llm.price import Price
from ouroboros.llm.protocols import NAMES
from ouroboros.llm.providers import ENTRIES
from tests.cases import every

TABLE = {entry.name: entry for entry in ENTRIES}


def chosen(model: str, environment: dict[str, str] | None = None, **settings: Any) -> Chosen:
    words = {"model": model, **settings}
    return choose(msgspec.convert(words, Settings), environment or {})


def read(tmp_path: Path, text: str) -> tuple[Settings, tuple[str, ...]]:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(text, "utf-8")
    loaded = load(tmp_path, {"OUROBOROS_HOME": str(home)}, {})
    return loaded.settings, loaded.warnings


@pytest.mark.proves("H01")
def test_every_wire_format_may_be_named_in_settings() -> None:
    assert set(get_args(ProtocolName.__value__)) == set(NAMES)


@pytest.mark.proves("providers-vendors")
def test_one_changed_habit_leaves_a_known_vendors_others() -> None:
    changed = {"dialect": {"tool_choice_required_word": "required"}}
    found = chosen("mistral/m", {"MISTRAL_API_KEY": "k"}, providers={"mistral": changed})
    own = TABLE["mistral"].dialect
    assert own.tool_choice_required_word == "any"
    expected = msgspec.structs.replace(own, tool_choice_required_word="required")
    assert found.choice.entry.dialect == expected
    assert found.choice.base_url == "https://api.mistral.ai/v1"


def test_a_changed_habit_counts_for_every_family_of_models() -> None:
    changed = {"dialect": {"effort_style": "none"}}
    for model in ("claude-sonnet-5-5", "claude-sonnet-4-5"):
        found = chosen(
            f"anthropic/{model}", {"ANTHROPIC_API_KEY": "k"}, providers={"anthropic": changed}
        )
        assert found.choice.entry.dialect.effort_style == "none"


def test_a_known_vendor_at_another_address_keeps_its_habits_and_loses_its_price() -> None:
    there = {"base_url": "http://gateway.example/anthropic"}
    found = chosen("claude-sonnet-5-5", providers={"anthropic": there})
    choice = found.choice
    assert (choice.entry.name, choice.base_url) == (
        "anthropic",
        "http://gateway.example/anthropic/v1",
    )
    assert choice.entry.dialect.effort_style == "adaptive"
    assert choice.entry.auth == "x-api-key"
    assert (found.known.window, found.known.price) == (1_000_000, None)


def test_settings_beat_the_vendors_variables() -> None:
    environment = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://variable:1/v1"}
    there = {"openai": {"base_url": "http://settings:2/v1"}}
    assert chosen("openai/m", environment, providers=there).choice.base_url == (
        "http://settings:2/v1"
    )
    region = {"bedrock": {"variables": {"region": "eu-west-1"}}}
    found = chosen("bedrock/m", {"AWS_REGION": "us-east-1"}, providers=region)
    assert "eu-west-1" in found.choice.base_url


@every(
    ("protocol", "auth", "address"),
    [
        ("", "bearer", "http://h/v1"),
        ("openai-responses", "bearer", "http://h/v1"),
        ("anthropic-messages", "x-api-key", "http://h/v1"),
        ("gemini", "x-goog-api-key", "http://h/v1beta"),
        ("ollama-chat", "bearer", "http://h"),
        ("bedrock-converse", "aws", "http://h"),
    ],
)
def test_a_new_provider_has_what_is_usual_for_its_format(
    protocol: str, auth: str, address: str
) -> None:
    mine = {"base_url": "http://h", "protocol": protocol, "key_env": "K"}
    choice = chosen("mine/m", {"K": "k"}, providers={"mine": mine}).choice
    assert (choice.entry.auth, choice.base_url) == (auth, address)
    assert choice.credential is not None


def test_a_key_that_is_named_and_not_set_is_missed_by_its_name() -> None:
    mine = {"base_url": "http://h/v1", "key_env": "MY_KEY"}
    with pytest.raises(KeyMissing) as caught:
        chosen("mine/m", providers={"mine": mine})
    assert "MY_KEY" in caught.value.message
    assert "[providers.mine]" in caught.value.hint
    assert chosen("mine/m", providers={"mine": {**mine, "auth": "none"}}).choice.model == "m"


def test_a_provider_that_cannot_be_used_hurts_nobody_else() -> None:
    broken = {"broken": {"base_url": "http://me:sk-1@h/v1"}}
    assert chosen("echo", providers=broken).choice.entry.name == "echo"
    with pytest.raises(Misuse) as caught:
        chosen("broken/m", providers=broken)
    assert "sk-1" not in caught.value.message + caught.value.hint


def test_a_provider_of_ones_own_is_suggested_for_a_near_name() -> None:
    with pytest.raises(ModelUnknown) as caught:
        chosen("hause/large", providers={"house": {"base_url": "http://h/v1"}})
    assert "house/large" in caught.value.hint


@pytest.mark.proves("providers-vendors")
def test_a_misspelled_habit_is_named_with_the_near_one(tmp_path: Path) -> None:
    text = '[providers.x]\nbase_url = "http://h/v1"\n[providers.x.dialect]\nmax_token_field = "a"\n'
    _, warnings = read(tmp_path, text)
    assert any("line 4" in each for each in warnings)
    assert any("providers.x.dialect.max_tokens_field" in each for each in warnings)


@every(
    ("line", "words"),
    [
        ('dialect.effort_style = "loud"', ("line 3", '"adaptive"', "'loud'")),
        ("dialect.streams = 3", ("line 3", "true or false")),
        ('headers = "x"', ("line 3", "table")),
        ("headers = { a = 1 }", ("line 3", "headers")),
        ('protocol = "openai"', ("line 3", "openai-chat")),
        ('auth = "basic"', ("line 3", "x-api-key")),
    ],
)
def test_a_wrong_value_is_refused_with_its_line(
    tmp_path: Path, line: str, words: tuple[str, ...]
) -> None:
    with pytest.raises(ConfigBroken) as caught:
        read(tmp_path, f'[providers.x]\nbase_url = "http://h/v1"\n{line}\n')
    for word in words:
        assert word in caught.value.message


def test_a_misspelled_vendor_is_missed_an_address_and_named_the_near_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigBroken) as caught:
        read(tmp_path, '[providers.opnai]\nheaders = { x-a = "1" }\n')
    assert "did you mean openai?" in caught.value.message


@pytest.mark.proves("H20")
def test_what_is_sent_in_headers_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    text = '[providers.x]\nbase_url = "http://h/v1"\nheaders = { x-secret = "sk-1" }\n'
    (tmp_path / "home" / "config.toml").write_text(text, "utf-8")
    loaded = load(tmp_path, {"OUROBOROS_HOME": str(tmp_path / "home")}, {})
    shown = config_view.listed(loaded)
    path = ("providers", "x", "headers", "x-secret")
    claimed = config_view.claims(loaded, path)
    assert [each.value for each in shown if "x-secret" in each.key] == ["…"]
    assert [each.value for each in claimed] == ["…"]
    assert "sk-1" not in str(shown)


@every("headers", ['{ x-secret = ["sk-1"] }', '"x-secret: sk-1"', '{ a = { b = "sk-1" } }'])
def test_a_mistake_in_headers_shows_no_value(tmp_path: Path, headers: str) -> None:
    (tmp_path / "home").mkdir()
    text = f'[providers.x]\nbase_url = "http://h/v1"\nheaders = {headers}\n'
    (tmp_path / "home" / "config.toml").write_text(text, "utf-8")
    with pytest.raises(ConfigBroken) as caught:
        load(tmp_path, {"OUROBOROS_HOME": str(tmp_path / "home")}, {})
    assert "providers.x.headers" in caught.value.message
    assert "sk-1" not in f"{caught.value.message} {caught.value.hint}"


def test_a_variable_that_is_not_in_the_address_is_named() -> None:
    with pytest.raises(Misuse) as caught:
        chosen("vertex/m", {}, providers={"vertex": {"variables": {"locaton": "eu"}}})
    assert "{locaton}" in caught.value.message
    assert "location" in caught.value.hint


def test_what_a_vendor_listed_is_known_when_its_model_is_chosen(tmp_path: Path) -> None:
    price = Price(input=1.0, output=2.0)
    listed = {"qwen3:8b": Known(window=40_960, price=price)}
    discovery_cache.write(tmp_path, "ollama", "http://localhost:11434", listed, 0.0)
    environment = {"OUROBOROS_HOME": str(tmp_path)}
    found = chosen("ollama/qwen3:8b", environment)
    assert (found.known.window, found.known.price) == (40_960, price)
    assert chosen("ollama/other", environment).known == Known()
    elsewhere = chosen("ollama/qwen3:8b", {**environment, "OLLAMA_HOST": "box"})
    assert elsewhere.known == Known()


def test_the_largest_reply_leaves_room_for_the_history() -> None:
    keys = {"XAI_API_KEY": "k", "GROQ_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    haiku = chosen("anthropic/claude-haiku-4-5", keys)
    assert (haiku.known.window, haiku.known.max_output) == (200_000, 40_000)
    early = chosen("anthropic/claude-haiku-4-5", keys, context={"threshold": 0.5})
    assert early.known.max_output == 64_000
    assert chosen("groq/openai/gpt-oss-120b", keys).known.max_output is None
    told = {"groq/openai/gpt-oss-120b": {"max_output": 9}}
    assert chosen("groq/openai/gpt-oss-120b", keys, models=told).known.max_output == 9


def test_a_model_that_cannot_call_tools_is_told_to_write_them() -> None:
    def way(**settings: Any) -> str:
        return chosen("ollama/old", **settings).choice.entry.dialect.tools

    assert way() == "native"
    assert way(models={"ollama/old": {"tools": False}}) == "fenced"
    assert way(models={"old": {"tools": False}}) == "fenced"
