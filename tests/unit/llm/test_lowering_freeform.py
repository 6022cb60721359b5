"""Tools that take plain text: as such where a model knows it, as JSON with one field elsewhere."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ouroboros.core.errors import ToolFailed
from ouroboros.core.parts import (
    Freeform,
    Message,
    Origin,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Frame
from ouroboros.llm.lowering import lower
from ouroboros.llm.protocols import by_name
from ouroboros.llm.providers.table import ENTRIES
from ouroboros.llm.request import Request
from ouroboros.llm.stream import BlockGrew, CallReady, Finished, StreamEvent
from ouroboros.tools.builtin.catalogue import builtin_tools
from ouroboros.tools.builtin.patch import GRAMMAR
from ouroboros.tools.registry import Registry
from ouroboros.workspace.patch import parse
from tests.cases import every

SCENARIOS = Path(__file__).parents[1] / "workspace" / "scenarios"
OPENAI = Origin(provider="openai", protocol="openai-responses", model="gpt-5")
OTHER = Origin(provider="anthropic", protocol="anthropic-messages", model="claude")
PLAIN = Dialect(freeform_tools=True)
SQL = ToolSpec(
    name="sql.run",
    description="Asks.",
    schema=json.dumps({
        "type": "object",
        "properties": {"query": {"type": "string"}, "rows": {"type": "integer"}},
        "required": ["query"],
    }),
    freeform=Freeform(),
)
PATCH = next(spec for spec in Registry(builtin_tools()).specs() if spec.name == "apply_patch")
READ = ToolSpec(name="read", description="Reads.", schema='{"type":"object"}')
TOOLS = (PATCH, SQL, READ)


def body(origin: Origin, dialect: Dialect, *messages: Message, model: str = "") -> dict[str, Any]:
    origin = Origin(provider=origin.provider, protocol=origin.protocol, model=model or origin.model)
    request = Request(model=origin.model, tools=TOOLS, messages=messages)
    lowered = lower(request, dialect, origin).request
    return json.loads(by_name(origin.protocol).build_body(lowered, dialect, origin))


@pytest.mark.proves("D29", "divergences-patch-as-a-tool")
def test_where_a_model_takes_text_a_tool_comes_with_its_grammar() -> None:
    patch, sql, read = body(OPENAI, PLAIN)["tools"]
    assert patch == {
        "type": "custom",
        "name": "apply_patch",
        "description": PATCH.description,
        "format": {"type": "grammar", "syntax": "lark", "definition": GRAMMAR},
    }
    assert (sql["type"], sql["format"]) == ("custom", {"type": "text"})
    assert read["type"] == "function"


@every(
    ("model", "kind"),
    [
        ("gpt-4.1", "function"),
        ("gpt-4o-mini", "function"),
        ("o3", "function"),
        ("o4-mini", "function"),
        ("gpt-5.2-codex", "custom"),
        ("gpt-6.1-sol", "custom"),
        ("codex-mini-latest", "function"),
    ],
)
def test_a_model_that_is_too_old_gets_json(model: str, kind: str) -> None:
    openai = next(entry for entry in ENTRIES if entry.name == "openai")
    tools = body(OPENAI, openai.dialect_of(model), model=model)["tools"]
    assert [tool["type"] for tool in tools] == [kind, kind, "function"]
    if kind == "function":
        assert tools[0]["parameters"]["required"] == ["input"]


@pytest.mark.proves("D29", "divergences-patch-as-a-tool")
def test_elsewhere_it_is_a_json_tool_with_one_text() -> None:
    for protocol in ("openai-chat", "openai-responses", "anthropic-messages"):
        origin = Origin(provider="x", protocol=protocol, model="m")
        tool = body(origin, Dialect())["tools"][0]
        told = tool.get("function", tool)
        schema = told.get("parameters") or told["input_schema"]
        assert schema["properties"] == {"input": {"type": "string"}}
        assert "custom" not in json.dumps(tool)


def test_a_tool_without_one_text_is_never_given_as_text() -> None:
    two = '{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}'
    for schema in ('{"type":"object"}', two, '{"required":["a"]}', "?"):
        odd = ToolSpec(name="odd", description="", schema=schema, freeform=Freeform())
        lowered = lower(Request(model="gpt-5", tools=(odd,)), PLAIN, OPENAI)
        assert lowered.request.tools[0].freeform is None
        assert lowered.liftings() == ()


def turn(origin: Origin | None, call: ToolCall) -> tuple[Message, ...]:
    result = ToolResult(call_id=call.id, name=call.name, parts=(Text(text="Done."),))
    return (
        Message(id="a", role="assistant", parts=(call,), origin=origin),
        Message(id="r", role="user", parts=(result,)),
    )


MADE_AS_TEXT = ToolCall(
    id="c", name="apply_patch", arguments='{"input":"*** é\\n"}', meta={"custom": True, "id": "ctc"}
)
MADE_AS_JSON = ToolCall(
    id="c", name="apply_patch", arguments='{"input": "*** é\\n"}', meta={"caller": {}}
)


@pytest.mark.proves("D29")
def test_a_call_made_as_text_is_json_elsewhere() -> None:
    made = body(OTHER, Dialect(), *turn(OPENAI, MADE_AS_TEXT))["messages"]
    assert made[0]["content"] == [
        {"type": "tool_use", "id": "c", "name": "apply_patch", "input": {"input": "*** é\n"}}
    ]
    assert made[1]["content"][0]["tool_use_id"] == "c"


@pytest.mark.proves("D29")
def test_a_call_made_as_json_elsewhere_is_text_here() -> None:
    for origin in (OTHER, None):
        assert body(OPENAI, PLAIN, *turn(origin, MADE_AS_JSON))["input"] == [
            {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": "*** é\n"},
            {"type": "custom_tool_call_output", "call_id": "c", "output": "Done."},
        ]


def test_a_call_goes_back_to_its_own_vendor_as_it_was_made() -> None:
    kinds = [
        [item["type"] for item in body(OPENAI, PLAIN, *turn(OPENAI, call))["input"]]
        for call in (MADE_AS_TEXT, ToolCall(id="c", name="apply_patch", meta={"id": "fc"}))
    ]
    assert kinds == [
        ["custom_tool_call", "custom_tool_call_output"],
        ["function_call", "function_call_output"],
    ]


@every(
    ("arguments", "text"),
    [
        ('{"input":"a"}', "a"),
        ('{"patch":"a"}', "a"),
        ('{"input":1}', '{"input":1}'),
        ('{"input":"a","b":"c"}', '{"input":"a","b":"c"}'),
        ('{"input":"cut', '{"input":"cut'),
        ("{}", "{}"),
    ],
)
def test_a_call_that_never_fitted_is_replayed_as_it_was(arguments: str, text: str) -> None:
    call = ToolCall(id="c", name="apply_patch", arguments=arguments)
    assert body(OPENAI, PLAIN, *turn(OTHER, call))["input"][0]["input"] == text


def replied(name: str, deltas: list[str]) -> list[StreamEvent]:
    request = Request(model="gpt-5", tools=TOOLS)
    lowered = lower(request, PLAIN, OPENAI)
    decoder = by_name("openai-responses").start(PLAIN)
    item = {"type": "custom_tool_call", "id": "ctc", "call_id": "c", "name": name, "input": ""}
    done = {**item, "input": "".join(deltas)}
    frames: list[dict[str, object]] = [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        *(
            {"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": delta}
            for delta in deltas
        ),
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": {"status": "completed", "output": [done]}},
    ]
    events: list[StreamEvent] = []
    liftings = lowered.liftings()
    for frame in frames:
        batch = decoder.step(Frame("", json.dumps(frame)))
        for lifting in liftings:
            batch = lifting.lift(batch)
        events += batch
    return events


@pytest.mark.proves("D29")
@given(st.lists(st.text(max_size=8), max_size=6))
def test_a_text_call_streams_as_the_json_it_becomes(deltas: list[str]) -> None:
    events = replied("apply_patch", deltas)
    grown = "".join(event.text for event in events if isinstance(event, BlockGrew))
    (ready,) = [event for event in events if isinstance(event, CallReady)]
    assert json.loads(ready.call.arguments) == {"input": "".join(deltas)}
    assert grown == ready.call.arguments
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.parts == (ready.call,)


def test_the_text_comes_under_the_field_and_the_name_the_tool_knows() -> None:
    wire = lower(Request(model="gpt-5", tools=TOOLS), PLAIN, OPENAI).request.tools[1].name
    assert wire != SQL.name
    events = replied(wire, ["select", " 1"])
    (ready,) = [event for event in events if isinstance(event, CallReady)]
    last = events[-1]
    assert isinstance(last, Finished)
    assert (ready.call.name, ready.call.arguments) == ("sql.run", '{"query":"select 1"}')
    assert last.parts == (ready.call,)


def test_a_call_made_as_json_keeps_its_fields() -> None:
    lowered = lower(Request(model="gpt-5", tools=TOOLS), PLAIN, OPENAI)
    made = ToolCall(id="c", name=lowered.request.tools[1].name, arguments='{"query":"q","rows":3}')
    events: list[StreamEvent] = [Finished(parts=(made,), stop_reason="tool_calls")]
    for lifting in lowered.liftings():
        events = list(lifting.lift(events))
    assert events == [
        Finished(parts=(replace(made, name="sql.run"),), stop_reason="tool_calls"),
    ]


def as_pattern(grammar: str) -> str:
    """The grammar, which calls no rule from itself, as one regular expression of Python."""
    rules = dict(line.split(": ", 1) for line in grammar.splitlines())

    def built(rule: str) -> str:
        parts = re.findall(r'"[^"]*"|/(?:[^/])+/|\w+|[|()?*+]', rules[rule])
        found = ""
        for part in parts:
            if part[0] == '"':
                found += f"(?:{re.escape(part[1:-1])})"
            elif part[0] == "/":
                found += f"(?:{part[1:-1]})"
            else:
                found += built(part) if part[0].isalpha() else part
        return f"(?:{found})"

    return built("start")


PATTERN = as_pattern(GRAMMAR)


@pytest.mark.deep
@pytest.mark.proves("D29")
@settings(max_examples=8)
@given(st.from_regex(PATTERN, fullmatch=True, alphabet=st.characters(exclude_categories=["Cs"])))
def test_what_the_grammar_allows_is_a_patch(text: str) -> None:
    assert parse(text)


@every("path", sorted(SCENARIOS.glob("*/patch.txt")), ids=lambda p: p.parent.name)
def test_a_patch_as_models_write_it_fits_the_grammar(path: Path) -> None:
    text = path.read_text("utf-8")
    try:
        hunks = parse(text)
    except ToolFailed:
        hunks = ()
    fits = re.fullmatch(PATTERN, text.replace("\r", "")) is not None
    # Padded marker lines are understood, but no model should be held to them.
    assert fits == (bool(hunks) and "whitespace_padded" not in path.parent.name)
