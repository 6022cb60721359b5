"""What differs from model to model of a vendor, as it stands in the request, by the vendors' own pages."""

import json
from typing import Any, cast

import pytest

from ouroboros.core.parts import (
    Freeform,
    Media,
    Message,
    Origin,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ouroboros.llm import catalog
from ouroboros.llm.framing import Frame
from ouroboros.llm.lowering import lower
from ouroboros.llm.protocols import by_name
from ouroboros.llm.providers import ENTRIES, Choice, find
from ouroboros.llm.providers.choice import default
from ouroboros.llm.request import Effort, Request
from ouroboros.llm.stream import Finished
from tests.cases import every
from tests.unit.llm.vendor_expectations import ABSENT, VENDORS

PICTURE = "aGVsbG8="
PATCH = ToolSpec(
    name="patch",
    description="Patches.",
    schema='{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}',
    freeform=Freeform(),
)
KEYS = {name: value for each in VENDORS.values() for name, value in each.environment.items()}


def chosen(name: str) -> Choice:
    return find(name, environment=KEYS)


def body(name: str, effort: Effort | None = None) -> dict[str, Any]:
    """What would be sent to a model in the middle of its work."""
    choice = chosen(name)
    origin, dialect = choice.origin, choice.entry.dialect
    call = ToolCall(id="call_123456789", name="patch", arguments='{"input":"x"}')
    shown = (Text(text="Done."), Media(media_type="image/png", data=PICTURE))
    result = ToolResult(call_id=call.id, name=call.name, parts=shown)
    request = Request(
        model=choice.model,
        messages=(
            Message(id="u", role="user", parts=(Text(text="Go."),)),
            Message(id="a", role="assistant", parts=(Reasoning(text="Hm."), call), origin=origin),
            Message(id="r", role="user", parts=(result,)),
            Message(id="n", role="user", parts=(Text(text="And now?"),)),
        ),
        tools=(PATCH,),
        tool_choice="required",
        max_output_tokens=20_000,
        temperature=0.5,
        effort=effort,
        service_tier="flex",
        cache_key="session",
    )
    lowered = lower(request, dialect, origin).request
    return json.loads(by_name(origin.protocol).build_body(lowered, dialect, origin))


def member(fields: Any, path: str) -> object:
    found: object = fields
    for name in path.split("."):
        known = cast("dict[str, object]", found) if isinstance(found, dict) else {}
        found = known.get(name, ABSENT)
    return found


ADAPTIVE = {"type": "adaptive", "display": "summarized"}


@pytest.mark.proves("providers-vendors")
@every(
    ("name", "effort", "wanted"),
    [
        ("openai/gpt-5.4", "none", {"reasoning.effort": "none", "temperature": ABSENT}),
        ("openai/gpt-6.1-sol", "none", {"reasoning.effort": "low", "temperature": ABSENT}),
        ("openai/o3", "none", {"reasoning.effort": "low", "temperature": ABSENT}),
        ("openai/gpt-4.1", "high", {"reasoning": ABSENT, "temperature": 0.5}),
        ("openai/gpt-5-chat-latest", "high", {"reasoning": ABSENT}),
        ("openai-chat/gpt-5.4", "none", {"reasoning_effort": "none", "temperature": ABSENT}),
        ("openai-chat/gpt-5-pro", "none", {"reasoning_effort": "low", "temperature": ABSENT}),
        ("openai-chat/o4-mini", "none", {"reasoning_effort": "low", "temperature": ABSENT}),
        ("openai-chat/gpt-4o", "high", {"reasoning_effort": ABSENT, "temperature": 0.5}),
        ("azure/gpt-4.1", "high", {"reasoning": ABSENT}),
        (
            "anthropic/claude-opus-4-8",
            "none",
            {"thinking": {"type": "disabled"}, "temperature": ABSENT, "tool_choice.type": "auto"},
        ),
        ("anthropic/claude-opus-4-8", None, {"tool_choice.type": "any"}),
        ("anthropic/claude-sonnet-4-5-20250929", "none", {"thinking": ABSENT, "temperature": 0.5}),
        ("anthropic/claude-opus-4-6", "none", {"thinking": ABSENT, "temperature": 0.5}),
        ("anthropic/claude-opus-4-6", "high", {"thinking": ADAPTIVE, "temperature": ABSENT}),
        (
            "anthropic/claude-opus-5-5",
            "none",
            {"thinking": ADAPTIVE, "output_config.effort": "low", "tool_choice.type": "auto"},
        ),
        ("anthropic/claude-opus-5-5", None, {"tool_choice.type": "auto"}),
        (
            "anthropic/claude-sonnet-5-5",
            "none",
            {"thinking": {"type": "between_tools"}, "tool_choice.type": "auto"},
        ),
        ("anthropic/claude-sonnet-5-5", None, {"tool_choice.type": "auto"}),
        (
            "google/gemini-2.5-flash",
            "low",
            {"generationConfig.thinkingConfig.thinkingBudget": 1024},
        ),
        ("google/gemini-2.0-flash", "low", {"generationConfig.thinkingConfig": ABSENT}),
        (
            "google/gemini-3.8-flash",
            "low",
            {"generationConfig.thinkingConfig.thinkingLevel": "LOW"},
        ),
        (
            "vertex/gemini-2.5-flash",
            "low",
            {"generationConfig.thinkingConfig.thinkingBudget": 1024},
        ),
        ("vertex/gemini-2.0-flash", "low", {"generationConfig.thinkingConfig": ABSENT}),
        (
            "bedrock/us.anthropic.claude-opus-5-5",
            "none",
            {"additionalModelRequestFields.output_config.effort": "low"},
        ),
        (
            "bedrock/us.anthropic.claude-opus-4-8",
            None,
            {"inferenceConfig.temperature": ABSENT},
        ),
        ("bedrock/us.anthropic.claude-opus-4-6", None, {"inferenceConfig.temperature": 0.5}),
        ("bedrock-invoke/us.anthropic.claude-opus-4-8", None, {"temperature": ABSENT}),
        (
            "bedrock-invoke/us.anthropic.claude-opus-5-5",
            "none",
            {"output_config.effort": "low", "temperature": ABSENT},
        ),
        ("bedrock-invoke/us.anthropic.claude-sonnet-4-6", None, {"temperature": ABSENT}),
        ("groq/qwen/qwen3-32b", "high", {"reasoning_effort": ABSENT}),
        ("groq/openai/gpt-oss-120b", "high", {"reasoning_effort": "high"}),
        ("mistral/mistral-large-latest", "low", {"reasoning_effort": ABSENT}),
        ("mistral/magistral-medium-latest", "low", {"reasoning_effort": "high"}),
        ("xai/grok-4.7", "none", {"reasoning_effort": "low"}),
        ("moonshot/kimi-k3", "none", {"reasoning_effort": "low", "thinking": ABSENT}),
        ("moonshot/kimi-k2.5", "none", {"thinking": {"type": "disabled"}, "temperature": ABSENT}),
        ("moonshot/moonshot-v1-8k", "high", {"thinking": ABSENT, "temperature": 0.5}),
        ("zai/glm-4.7", "none", {"thinking": {"type": "disabled"}, "reasoning_effort": ABSENT}),
        ("zai/glm-5.2", "none", {"thinking": {"type": "disabled"}}),
        ("zai/glm-5.2", "max", {"reasoning_effort": "max"}),
        ("zai/glm-5.3", "none", {"thinking": {"type": "enabled"}, "reasoning_effort": "low"}),
        ("github/openai/gpt-4.1", None, {"max_completion_tokens": 20_000, "max_tokens": ABSENT}),
        ("github/mistral-ai/mistral-medium", None, {"max_tokens": 20_000}),
        ("minimax/MiniMax-M3", None, {"reasoning_split": True}),
    ],
)
def test_a_model_is_asked_in_the_words_of_its_family(
    name: str, effort: Effort | None, wanted: dict[str, Any]
) -> None:
    sent = body(name, effort)
    assert {path: member(sent, path) for path in wanted} == wanted


@pytest.mark.proves("providers-vendors")
@every(
    ("name", "kind"),
    [
        ("openai/gpt-5.4", "custom"),
        ("openai/gpt-6.1-sol", "custom"),
        ("openai/o3", "function"),
        ("openai/gpt-4.1", "function"),
        ("openai/gpt-oss-120b", "function"),
        ("openai/codex-mini-latest", "function"),
        ("azure/gpt-5", "function"),
    ],
)
def test_only_models_that_take_text_get_a_tool_for_text(name: str, kind: str) -> None:
    assert body(name)["tools"][0]["type"] == kind


@every(
    "name",
    [
        "perplexity/sonar-pro",
        "bedrock-invoke/amazon.titan-text-premier-v1:0",
        "bedrock-invoke/meta.llama3-3-70b-instruct-v1:0",
        "bedrock-invoke/mistral.mixtral-8x7b-instruct-v0:1",
    ],
)
def test_a_model_without_tool_calls_is_told_to_write_them(name: str) -> None:
    sent = body(name)
    assert "tools" not in sent
    assert "```run patch" in json.dumps(sent)
    assert "- patch: Patches." in json.dumps(sent)


@pytest.mark.proves("providers-vendors")
@every(
    ("name", "key", "is_within"),
    [
        ("google/gemini-3.8-flash", "functionResponse", True),
        ("google/gemini-2.5-pro", "functionResponse", False),
        ("google/gemini-2.5-flash-image", "functionResponse", False),
        ("vertex/gemini-2.5-pro", "functionResponse", False),
        ("vertex/gemini-2.0-flash", "functionResponse", False),
        ("bedrock/us.anthropic.claude-opus-4-8", "toolResult", True),
        ("bedrock/mistral.mistral-large-2407-v1:0", "toolResult", False),
    ],
)
def test_pictures_stand_within_results_where_a_model_sees_them_there(
    name: str, key: str, is_within: bool
) -> None:
    sent = body(name)
    text = json.dumps(sent)
    assert text.count(PICTURE) == 1
    steps = sent.get("contents") or sent["messages"]
    blocks = [block for step in steps for block in step.get("parts") or step["content"]]
    (result,) = [block for block in blocks if key in block]
    assert (PICTURE in json.dumps(result)) == is_within


SERVICE_TIERS = {
    "openai",
    "openai-chat",
    "anthropic",
    "google",
    "bedrock",
    "groq",
    "mistral",
    "xai",
    "cerebras",
}
CACHE_KEYS = {"openai", "openai-chat", "azure", "mistral", "cerebras"}
THINK_TAGS = {
    "groq",
    "together",
    "fireworks",
    "perplexity",
    "cerebras",
    "huggingface",
    "nvidia",
    "sambanova",
    "github",
    "nebius",
    "ollama",
    "lmstudio",
    "vllm",
    "llamacpp",
}
MOST_IMAGES = {"groq": 5, "fireworks": 30, "mistral": 8}


@pytest.mark.proves("providers-vendors")
@every("vendor", VENDORS)
def test_vendors_are_asked_only_for_what_they_have(vendor: str) -> None:
    name = f"{vendor}/{VENDORS[vendor].model}"
    sent = json.dumps(body(name))
    assert ('"flex"' in sent) == (vendor in SERVICE_TIERS)
    assert ('"prompt_cache_key"' in sent) == (vendor in CACHE_KEYS)
    marks = '"cache_control"' in sent or '"cachePoint"' in sent
    assert marks == (vendor in {"anthropic", "bedrock", "bedrock-invoke", "openrouter"})
    entry = chosen(name).entry
    assert entry.dialect.max_images == MOST_IMAGES.get(vendor, 0)
    assert entry.dialect.cuts_silently == (vendor in {"ollama", "zai"})
    assert entry.limit_counts == (vendor in {"groq", "cerebras"})


@every("vendor", ["bedrock", "bedrock-invoke"])
def test_nova_marks_what_may_be_cached_either_way(vendor: str) -> None:
    assert '"cachePoint"' in json.dumps(body(f"{vendor}/us.amazon.nova-pro-v1:0"))


@pytest.mark.proves("providers-vendors")
@every("vendor", VENDORS)
def test_thoughts_between_tags_are_thoughts_where_models_print_them(vendor: str) -> None:
    choice = chosen(f"{vendor}/{VENDORS[vendor].model}")
    if choice.entry.protocol not in {"openai-chat", "ollama-chat"}:
        assert vendor not in THINK_TAGS
        return
    said = {"content": "<think>Hm.</think>Yes."}
    chunk: dict[str, Any] = {"choices": [{"delta": said, "finish_reason": "stop"}]}
    if choice.entry.protocol == "ollama-chat":
        chunk = {"message": said, "done": True}
    decoder = by_name(choice.entry.protocol).start(choice.entry.dialect)
    last = [*decoder.step(Frame("", json.dumps(chunk))), *decoder.finish()][-1]
    assert isinstance(last, Finished)
    kinds = [type(part) for part in last.parts]
    assert kinds == ([Reasoning, Text] if vendor in THINK_TAGS else [Text])


@every(
    ("name", "wants"),
    [
        ("moonshot/kimi-k2.5", True),
        ("moonshot/moonshot-v1-8k", False),
        ("deepseek/deepseek-v4-pro", True),
        ("zai/glm-5.3", True),
        ("groq/openai/gpt-oss-120b", False),
    ],
)
def test_thoughts_go_back_where_a_model_wants_them(name: str, wants: bool) -> None:
    assert ('"reasoning_content"' in json.dumps(body(name))) == wants


@every(("name", "words"), [("xai/grok-4.7", 5), ("openai-chat/gpt-5.4", 2)])
def test_thoughts_are_counted_as_the_vendor_counts_them(name: str, words: int) -> None:
    choice = chosen(name)
    counts: dict[str, Any] = {"prompt_tokens": 10, "completion_tokens": 5}
    counts["completion_tokens_details"] = {"reasoning_tokens": 3}
    decoder = by_name(choice.entry.protocol).start(choice.entry.dialect)
    decoder.step(Frame("", json.dumps({"choices": [], "usage": counts})))
    last = decoder.finish()[-1]
    assert isinstance(last, Finished)
    assert last.usage is not None
    assert (last.usage.output_text, last.usage.reasoning) == (words, 3)


NO_VARIABLE = {"perplexity", "huggingface", "github", "nebius", "baseten", "vertex"}
VARIABLES = {
    "openai-chat": ["OPENAI_BASE_URL"],
    "google": ["GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"],
    "azure": ["AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"],
    "azure-chat": ["AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"],
    "bedrock": ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"],
    "bedrock-invoke": ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"],
    "qwen": ["DASHSCOPE_BASE_URL"],
    "ollama": ["OLLAMA_BASE_URL", "OLLAMA_HOST"],
}


@pytest.mark.proves("providers-vendors")
@every("vendor", sorted(set(VENDORS) - NO_VARIABLE))
def test_the_address_may_come_from_the_vendors_variable(vendor: str) -> None:
    expected = VENDORS[vendor]
    for variable in VARIABLES.get(vendor, [f"{vendor.upper()}_BASE_URL"]):
        environment = {**expected.environment, variable: "http://gate.example:9"}
        choice = find(f"{vendor}/{expected.model}", environment=environment)
        assert choice.base_url.startswith("http://gate.example:9")
        assert choice.is_custom


@every(
    ("vendor", "names"),
    [
        ("openai", "gpt-5 o1-pro o3 o4-mini codex-mini chatgpt-4o-latest"),
        ("anthropic", "claude-opus-5"),
        ("google", "gemini-3.8-flash"),
        ("deepseek", "deepseek-chat"),
        ("mistral", "mistral-small codestral-2 devstral-2 magistral-small ministral-8b"),
        ("xai", "grok-4"),
        ("perplexity", "sonar-pro"),
        ("moonshot", "kimi-k3 moonshot-v1-8k"),
        ("zai", "glm-5.3"),
        ("qwen", "qwen3-max qwq-32b"),
        ("minimax", "MiniMax-M3"),
    ],
)
def test_a_model_is_known_by_how_its_name_begins(vendor: str, names: str) -> None:
    assert {chosen(name).entry.name for name in names.split()} == {vendor}


@every("vendor", ["openai", "anthropic", "google", "openrouter", "deepseek", "mistral", "xai"])
def test_where_one_key_is_set_its_vendor_is_asked(vendor: str) -> None:
    name = default(VENDORS[vendor].environment)
    assert name.startswith(f"{vendor}/")
    assert chosen(name).entry.name == vendor


@every(
    ("vendor", "maker", "model"),
    [
        ("openai-chat", "openai", "gpt-5"),
        ("azure-chat", "azure", "gpt-4.1"),
        ("bedrock-invoke", "bedrock", "anthropic.claude-haiku-4-5-20251001-v1:0"),
    ],
)
def test_another_way_to_a_vendor_leads_to_the_same_models(
    vendor: str, maker: str, model: str
) -> None:
    known = catalog.find(maker, model)
    assert known.window is not None
    assert catalog.find(vendor, model) == known


def test_only_vendors_with_a_list_are_asked_for_one() -> None:
    entries = {entry.name: entry for entry in ENTRIES}
    silent = {name for name in VENDORS if not entries[name].models_path}
    assert silent == {"vertex", "bedrock", "bedrock-invoke", "perplexity", "minimax"}


def test_an_origin_names_vendor_format_and_model() -> None:
    assert chosen("xai/grok-4.7").origin == Origin(
        provider="xai", protocol="openai-chat", model="grok-4.7"
    )
    assert {entry.name for entry in ENTRIES} >= SERVICE_TIERS | THINK_TAGS | set(VARIABLES)
