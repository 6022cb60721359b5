"""A session may go from any vendor to any other: nothing said is lost, nothing opaque strays."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ouroboros.core.parts import Media, Message, Text, ToolCall, ToolResult
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.lowering import lower
from ouroboros.llm.protocols import NAMES, by_name
from ouroboros.llm.request import Request
from tests.cases import every
from tests.wire.body_readers import READERS, Step, read
from tests.wire.histories import (
    DIALECTS,
    RETURNED,
    TOOLS,
    WRITERS,
    Drawn,
    origin_of,
    picture,
    sessions,
)

WORD = re.compile(r"w(\d+)x(\d+)")
PAIRS = [(first, second) for first in NAMES for second in NAMES]


def body(
    messages: Sequence[Message], protocol: str, provider: str, dialect: Dialect | None = None
) -> bytes:
    origin, dialect = origin_of(protocol, provider), dialect or DIALECTS[protocol]
    request = Request(model=origin.model, system=("Be.",), tools=TOOLS, messages=tuple(messages))
    lowered = lower(request, dialect, origin).request
    return by_name(protocol).build_body(lowered, dialect, origin)


def words(texts: Iterable[str]) -> list[str]:
    return [found[0] for text in texts for found in WORD.finditer(text)]


def said(messages: Sequence[Message], role: str) -> list[str]:
    parts = [part for one in messages if one.role == role for part in one.parts]
    return words(part.text for part in parts if isinstance(part, Text))


def pictures(messages: Sequence[Message]) -> list[str]:
    """Data of all pictures: after a reply those of its results in call order, then others."""
    found: list[Text | Media] = []
    for message in messages:
        if message.role == "assistant":
            found += [part for _, result in answered([message], messages) for part in result.parts]
        else:
            found += [part for part in message.parts if isinstance(part, Text | Media)]
    return [part.data for part in found if isinstance(part, Media)]


def answered(
    some: Sequence[Message], messages: Sequence[Message]
) -> list[tuple[ToolCall, ToolResult]]:
    """The calls of some messages with their results."""
    results = {
        part.call_id: part for one in messages for part in one.parts if isinstance(part, ToolResult)
    }
    return [(call, results[call.id]) for message in some for call in message.calls]


def check_pairs(steps: Sequence[Step], messages: Sequence[Message]) -> None:
    """Every call is followed by its result before anybody says anything else."""
    wanted = [
        (words([call.arguments]), words([result.text]), result.ok)
        for call, result in answered(messages, messages)
    ]
    found: list[tuple[list[str], list[str], bool | None]] = []
    open_calls: list[Step] = []
    for step in steps:
        if step.kind == "call":
            assert not any(one.id and one.id == step.id for one in open_calls)
            open_calls.append(step)
        elif step.kind == "result":
            call = open_calls.pop(0)
            assert call.id == step.id
            assert step.name in {"", call.name}
            found.append((words([call.text]), words([step.text]), step.ok))
        elif step.kind == "words":
            assert not open_calls or step.role == "assistant"
    assert not open_calls
    assert [one[:2] for one in found] == [one[:2] for one in wanted]
    for (_, _, told), (_, _, ok) in zip(found, wanted, strict=True):
        assert told in {None, ok}


def check(messages: Sequence[Message], protocol: str, provider: str) -> None:
    sent = body(messages, protocol, provider)
    steps = read(protocol, sent)
    for role in ("user", "assistant"):
        told = [step.text for step in steps if (step.role, step.kind) == (role, "words")]
        assert words(told) == said(messages, role)
    shown = [step.text for step in steps if step.kind == "picture"]
    assert shown == pictures(messages)
    check_pairs(steps, messages)
    in_order = [int(found[1]) for step in steps for found in WORD.finditer(step.text)]
    assert in_order == sorted(in_order)
    calls = [step.name for step in steps if step.kind == "call"]
    made = [call.name for message in messages for call in message.calls]
    assert len(set(zip(calls, made, strict=True))) == len(set(calls)) == len(set(made))
    foreign = {"one": "two", "two": "one"}[provider]
    assert re.search(rf"{foreign}\d+-", sent.decode()) is None


@pytest.mark.proves("providers-history")
def test_every_format_has_a_reader_and_a_writer_of_its_own() -> None:
    assert set(NAMES) == set(READERS) == set(WRITERS) == set(DIALECTS) == set(RETURNED)


@pytest.mark.proves("providers-history", "H24")
@pytest.mark.parametrize(("first", "second"), PAIRS)
@settings(max_examples=4)
@given(data=st.data())
def test_a_session_goes_from_one_vendor_to_another(
    first: str, second: str, data: st.DataObject
) -> None:
    messages = data.draw(sessions(first, second))
    check(messages, second, "two")
    check(messages, first, "one")


@pytest.mark.soak
@pytest.mark.parametrize(("first", "second"), PAIRS)
@settings(max_examples=250)
@given(data=st.data())
def test_many_sessions_go_from_one_vendor_to_another(
    first: str, second: str, data: st.DataObject
) -> None:
    messages = data.draw(sessions(first, second))
    check(messages, second, "two")
    check(messages, first, "one")


def turn(protocol: str, provider: str, number: int) -> list[Message]:
    calls = tuple(
        ToolCall(
            id=f"call_{provider}{number}{place}",
            name="read",
            arguments=json.dumps({"input": f"w{number}x{place}"}),
        )
        for place in range(2)
    )
    reply = Drawn(f"{provider}{number}", f"w{number}x5", calls, is_thoughtful=True)
    parts = WRITERS[protocol](reply)
    results = tuple(
        ToolResult(call_id=call.id, name="read", parts=(Text(text="w0"), picture("p")))
        for call in calls
    )
    return [
        Message(id=f"u{number}", role="user", parts=(Text(text="Go."),)),
        Message(
            id=f"a{number}",
            role="assistant",
            parts=tuple(parts),
            origin=origin_of(protocol, provider),
        ),
        Message(id=f"r{number}", role="user", parts=results),
    ]


@pytest.mark.proves("providers-history", "H17")
@every(("first", "second"), PAIRS)
def test_back_at_the_first_vendor_its_own_state_is_there_again(first: str, second: str) -> None:
    """Five turns with one, then one with the other: each gets what is its own, and all of it."""
    messages = [message for number in range(5) for message in turn(first, "one", number)]
    alone = body(messages, first, "one").decode()
    messages += turn(second, "two", 5)
    for protocol, provider, numbers in ((first, "one", range(5)), (second, "two", range(5, 6))):
        sent = body(messages, protocol, provider).decode()
        for number in numbers:
            found = set(re.findall(rf"{provider}{number}-(\w+)", sent))
            assert found == RETURNED[protocol]
    back = body([*messages, *turn(first, "one", 6)], first, "one").decode()
    assert back.startswith(alone.removesuffix("]}").rpartition('"cache_control"')[0][:200])
    assert re.search(r"two\d+-", back) is None
    assert set(re.findall(r"one6-(\w+)", back)) == RETURNED[first]


@pytest.mark.proves("providers-history")
@pytest.mark.parametrize("protocol", NAMES)
@settings(max_examples=12)
@given(data=st.data())
def test_pictures_of_results_follow_them_where_results_are_words(
    protocol: str, data: st.DataObject
) -> None:
    messages = data.draw(sessions("openai-chat", protocol))
    dialect = replace(DIALECTS[protocol], result_media=False)
    sent = body(messages, protocol, "two", dialect)
    steps = read(protocol, sent)
    check_pairs(steps, messages)
    assert sorted(one.text for one in steps if one.kind == "picture") == sorted(pictures(messages))
    for content in nested(json.loads(sent), {"tool_result", "toolResult", "functionResponse"}):
        assert "image" not in re.sub(r"\[image/png attached below\]", "", json.dumps(content))
        assert "inlineData" not in json.dumps(content)


def nested(value: object, words: set[str]) -> list[object]:
    """Whatever in a body is a result, in the formats that could hold a picture there."""
    if isinstance(value, list):
        return [one for inner in cast("list[object]", value) for one in nested(inner, words)]
    if not isinstance(value, dict):
        return []
    fields = cast("dict[str, object]", value)
    if words & {str(fields.get("type")), *fields}:
        return [fields]
    if str(fields.get("type")).endswith("_call_output"):
        assert isinstance(fields["output"], str)
    return [one for inner in fields.values() for one in nested(inner, words)]


@pytest.mark.proves("providers-history", "H24")
@every("protocol", NAMES)
def test_another_model_of_the_same_vendor_gets_nothing_opaque(protocol: str) -> None:
    messages = [*turn(protocol, "one", 0), *turn(protocol, "one", 1)]
    origin = origin_of(protocol, "one")
    other = type(origin)(provider="one", protocol=protocol, model=f"{origin.model}-2")
    request = Request(model=other.model, tools=TOOLS, messages=tuple(messages))
    dialect = DIALECTS[protocol]
    lowered = lower(request, dialect, other).request
    sent = by_name(protocol).build_body(lowered, dialect, other).decode()
    assert re.search(r"one\d+-", sent) is None
