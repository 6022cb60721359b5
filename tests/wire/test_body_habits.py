"""What a dialect changes in a body, format by format."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from ouroboros.core.parts import (
    Media,
    Message,
    Origin,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.lowering import lower
from ouroboros.llm.protocols import by_name
from ouroboros.llm.request import Request
from tests.cases import every

ORIGIN = Origin(provider="vendor", protocol="wire", model="model")
FORMATS = ("openai-chat", "openai-responses", "anthropic-messages")
TOOL = ToolSpec(name="read", description="Reads.", schema='{"type":"object"}')
MARK = {"type": "ephemeral"}


def built(protocol: str, dialect: Dialect, request: Request) -> dict[str, Any]:
    return json.loads(by_name(protocol).build_body(request, dialect, ORIGIN))


def user(id: str, *parts: Part) -> Message:
    return Message(id=id, role="user", parts=parts)


def said(id: str, *parts: Part) -> Message:
    return Message(id=id, role="assistant", parts=parts, origin=ORIGIN)


def result(id: str, *parts: Text | Media) -> ToolResult:
    return ToolResult(call_id=id, name="read", parts=parts or (Text(text=f"result {id}"),))


CALLED = (
    user("1", Text(text="Go.")),
    said("2", ToolCall(id="c", name="read")),
    user("3", result("c")),
)


@every("protocol", FORMATS)
def test_members_the_vendor_refuses_are_left_out_and_its_own_are_added(protocol: str) -> None:
    request = Request(model="m", messages=CALLED, temperature=0.5)
    plain = built(protocol, Dialect(), request)
    changed = built(
        protocol,
        Dialect(unsupported=("temperature", "stream"), body={"safe_prompt": True, "n": 1}),
        request,
    )
    assert changed == {
        **{key: value for key, value in plain.items() if key not in {"temperature", "stream"}},
        "safe_prompt": True,
        "n": 1,
    }
    assert list(changed)[-1] in {"messages", "input"}


def test_a_member_within_another_can_be_left_out() -> None:
    request = Request(model="m", messages=CALLED, effort="low")
    names = ("reasoning.summary", "store.x", "gone.y")
    body = built("openai-responses", Dialect(unsupported=names), request)
    assert body["reasoning"] == {"effort": "low"}
    assert body["store"] is False
    assert "gone" not in body


def test_a_member_of_the_vendor_joins_one_of_ours() -> None:
    dialect = Dialect(
        effort_style="template", body={"chat_template_kwargs": {"x": 1}, "messages": []}
    )
    request = Request(model="m", messages=CALLED, effort="low")
    body = built("openai-chat", dialect, request)
    assert body["chat_template_kwargs"] == {"enable_thinking": True, "x": 1}
    assert len(body["messages"]) == 3
    raw = by_name("openai-chat").build_body(request, dialect, ORIGIN)
    assert raw.count(b'"messages":') == 1


@pytest.mark.proves("H26")
@every("protocol", FORMATS)
def test_a_service_tier_is_asked_for_where_there_is_one(protocol: str) -> None:
    request = Request(model="m", messages=CALLED, service_tier="flex")
    assert built(protocol, Dialect(service_tier=True), request)["service_tier"] == "flex"
    assert "service_tier" not in built(protocol, Dialect(), request)
    silent = Request(model="m", messages=CALLED)
    assert "service_tier" not in built(protocol, Dialect(service_tier=True), silent)


@pytest.mark.proves("H26")
def test_no_effort_at_all_in_the_vendors_words() -> None:
    request = Request(model="m", messages=CALLED, effort="none")
    bodies = {
        style: built("openai-chat", Dialect(effort_style=style), request)
        for style in ("field", "object", "thinking", "template")
    }
    assert bodies["field"]["reasoning_effort"] == "none"
    assert bodies["object"]["reasoning"] == {"effort": "none"}
    assert bodies["thinking"]["thinking"] == {"type": "disabled"}
    assert bodies["template"]["chat_template_kwargs"] == {"enable_thinking": False}
    assert built("openai-responses", Dialect(), request)["reasoning"]["effort"] == "none"
    for style in ("budget", "adaptive"):
        body = built("anthropic-messages", Dialect(effort_style=style), request)
        assert "thinking" not in body


def test_a_result_names_its_tool() -> None:
    for named in (True, False):
        body = built(
            "openai-chat",
            Dialect(tool_result_name=named),
            Request(model="m", messages=CALLED),
        )
        assert body["messages"][-1].get("name") == ("read" if named else None)


PICTURE = Media(media_type="image/png", data="QQ==")


@every(
    ("later", "roles"),
    [
        ((user("4", Text(text="Hurry.")),), ["tool", "assistant", "user"]),
        ((user("4", Text(text="a")), user("5", Text(text="b"))), ["tool", "assistant", "user"]),
        ((said("4", Text(text="Yes.")), user("5", Text(text="b"))), ["tool", "assistant", "user"]),
    ],
)
def test_words_never_follow_a_result_where_an_assistant_must(
    later: tuple[Message, ...], roles: list[str]
) -> None:
    dialect = Dialect(assistant_after_tool=True)
    body = built("openai-chat", dialect, Request(model="m", messages=(*CALLED, *later)))
    assert [item["role"] for item in body["messages"][2:5]] == roles
    assert body["messages"][3]["content"]


def test_words_beside_a_result_wait_for_the_assistant_too() -> None:
    messages = (*CALLED[:2], user("3", result("c", PICTURE), Text(text="Hurry.")))
    dialect = Dialect(assistant_after_tool=True)
    body = built("openai-chat", dialect, Request(model="m", messages=messages))
    assert [item["role"] for item in body["messages"][2:]] == ["tool", "assistant", "user"]
    plain = built("openai-chat", Dialect(), Request(model="m", messages=messages))
    assert [item["role"] for item in plain["messages"][2:]] == ["tool", "user"]


def test_a_history_with_calls_names_its_tools_where_the_vendor_wants_them() -> None:
    body = built("anthropic-messages", Dialect(), Request(model="m", messages=CALLED))
    assert body["tool_choice"] == {"type": "none"}
    schema = {"type": "object"}
    assert body["tools"] == [
        {"name": "read", "description": "", "input_schema": schema, "cache_control": MARK}
    ]
    plain = built("anthropic-messages", Dialect(), Request(model="m", messages=CALLED[:1]))
    assert not {"tools", "tool_choice"} & plain.keys()


def marked(value: list[Any]) -> list[int]:
    """Indexes of messages that carry a mark."""
    return [place for place, item in enumerate(value) if "cache_control" in json.dumps(item)]


def steps(calls: int) -> tuple[Message, ...]:
    """Two steps of a tool loop with so many calls each."""
    found: list[Message] = [user("u", Text(text="Go."))]
    for step in ("a", "b"):
        ids = [f"{step}{number}" for number in range(calls)]
        found.append(said(step, *(ToolCall(id=id, name="read") for id in ids)))
        found.append(user(f"r{step}", *(result(id) for id in ids)))
    return tuple(found)


@pytest.mark.proves("providers-caching", "H17", "divergences-cache-marks")
def test_a_long_step_marks_where_the_last_request_ended() -> None:
    short, long = steps(9), steps(10)
    for messages, places in ((short, [4]), (long, [2, 4]), (long[:3], [0, 2]), (long[:1], [0])):
        request = Request(model="m", system=("Be.",), tools=(TOOL,), messages=messages)
        body = built("anthropic-messages", Dialect(), request)
        assert marked(body["messages"]) == places
        assert json.dumps(body).count('"cache_control"') == 2 + len(places) <= 4
        if len(places) == 2:
            content = body["messages"][places[0]]["content"]
            assert content[-1]["cache_control"] == MARK


@pytest.mark.proves("providers-caching", "H17")
def test_a_long_step_is_marked_in_chat_too() -> None:
    dialect = Dialect(cache_marker="cache_control")
    request = Request(model="m", system=("Be.",), tools=(TOOL,), messages=steps(10))
    body = built("openai-chat", dialect, request)
    items = body["messages"]
    assert marked(items) == [0, 12, 23]
    assert [items[place]["role"] for place in (12, 23)] == ["tool", "tool"]
    assert "cache_control" not in json.dumps(built("openai-chat", Dialect(), request))


@every("protocol", FORMATS)
def test_pictures_stand_after_all_results(protocol: str) -> None:
    calls = (ToolCall(id="c", name="read"), ToolCall(id="d", name="read"))
    picture = Media(media_type="image/png", data="aGk=")
    shown = user("3", Text(text="See."), result("c", picture), result("d"))
    history = (CALLED[0], said("2", *calls), shown)
    dialect = Dialect(result_media=False)
    lowered = lower(Request(model="m", messages=history), dialect, ORIGIN).request
    body = by_name(protocol).build_body(lowered, dialect, ORIGIN).decode()
    places = [body.index(words) for words in ("png attached below", "result d", "aGk=", "See.")]
    assert places == sorted(places)


def test_a_call_without_thoughts_has_the_field_that_some_vendors_demand() -> None:
    other = Origin(provider="other", protocol="wire", model="model")
    call = ToolCall(id="c", name="read")
    parts = (Reasoning(text="secret"), Text(text="Yes."), call)
    history = (
        user("1", Text(text="Go.")),
        Message(id="2", role="assistant", parts=parts, origin=other),
        user("3", result("c")),
        said("4", Text(text="Done.")),
    )
    request = Request(model="m", messages=history)
    body = built("openai-chat", Dialect(reasoning_send_back="field"), request)
    fields = [
        one.get("reasoning_content") for one in body["messages"] if one["role"] == "assistant"
    ]
    assert fields == ["", None]
    assert "reasoning_content" not in str(built("openai-chat", Dialect(), request))


@pytest.mark.proves("providers-history")
@every("is_own", [True, False])
def test_long_ids_of_other_vendors_fit_in_chat(is_own: bool) -> None:
    long = f"chatcmpl-tool-{'0123456789abcdef' * 2}"
    origin = ORIGIN if is_own else Origin(provider="vllm", protocol="openai-chat", model="m")
    calls = (ToolCall(id=long, name="read"), ToolCall(id=f"{long}x", name="read"))
    history = (
        user("1", Text(text="Go.")),
        Message(id="2", role="assistant", parts=calls, origin=origin),
        user("3", result(long), result(f"{long}x")),
    )
    body = built("openai-chat", Dialect(), Request(model="m", messages=history))
    made = [call["id"] for call in body["messages"][1]["tool_calls"]]
    assert [one["tool_call_id"] for one in body["messages"][2:]] == made
    assert len(set(made)) == 2
    assert made == [long, f"{long}x"] if is_own else all(len(one) <= 40 for one in made)


@every("protocol", ["anthropic-messages", "bedrock-converse"])
@every("style", ["adaptive", "budget"])
def test_a_model_that_thinks_by_itself_is_told_not_to(protocol: str, style: Any) -> None:
    def thinking(word: Any) -> Any:
        dialect = Dialect(effort_style=style, effort_none=word)
        request = Request(model="anthropic.claude-x", messages=CALLED[:1], effort="none")
        body = built(protocol, dialect, request)
        return body.get("additionalModelRequestFields", body).get("thinking", {}).get("type")

    assert thinking("") is None
    assert thinking("disabled") == "disabled"
    assert thinking("between_tools") == "between_tools"
    assert thinking("low") == ("adaptive" if style == "adaptive" else "enabled")


def test_a_chat_model_that_always_reasons_does_so_as_little_as_it_can() -> None:
    request = Request(model="m", messages=CALLED, effort="none")
    field = Dialect(effort_style="field", effort_none="low")
    graded = Dialect(effort_style="graded", effort_none="low")
    for dialect in (field, graded):
        assert built("openai-chat", dialect, request)["reasoning_effort"] == "low"
    for least in (request, replace(request, effort="minimal")):
        assert built("openai-responses", field, least)["reasoning"]["effort"] == "low"
        assert built("openai-chat", field, least)["reasoning_effort"] == "low"
    off = built("openai-chat", Dialect(effort_style="graded"), request)
    assert off["thinking"] == {"type": "disabled"}
    assert "reasoning_effort" not in off
    assert built("openai-chat", Dialect(effort_style="high"), request)["reasoning_effort"] == "none"


SIGNED = Reasoning(text="Hm.", meta={"signature": "s"})


@every(
    ("messages", "thinks"),
    [
        (CALLED[:1], True),
        (CALLED, False),
        ((*CALLED, user("4", Text(text="Hurry."))), False),
        ((*CALLED, said("4", Text(text="Done.")), user("5", Text(text="And?"))), True),
        ((CALLED[0], said("2", SIGNED, *CALLED[1].parts), CALLED[2]), True),
        ((CALLED[0], said("2", SIGNED, *CALLED[1].parts), *CALLED[2:], *CALLED[1:]), True),
    ],
)
@every("protocol", ["anthropic-messages", "bedrock-converse"])
def test_a_turn_that_began_without_thoughts_goes_on_without(
    protocol: str, messages: tuple[Message, ...], thinks: bool
) -> None:
    def asked(style: Any, origin: Origin) -> bool:
        request = Request(model="anthropic.claude-x", messages=messages, effort="low")
        body = by_name(protocol).build_body(request, Dialect(effort_style=style), origin)
        return b'"thinking":{"type"' in body

    assert asked("budget", ORIGIN) is thinks
    assert asked("adaptive", ORIGIN)
    other = Origin(provider="other", protocol="wire", model="model")
    assert asked("budget", other) is (thinks and not any(one.calls for one in messages[-2:]))


def test_only_models_that_reason_are_asked_for_what_they_reasoned() -> None:
    request = Request(model="m", messages=CALLED)
    assert "include" in built("openai-responses", Dialect(), request)
    plain = built("openai-responses", Dialect(effort_style="none"), request)
    assert "include" not in plain
    assert plain["store"] is False
