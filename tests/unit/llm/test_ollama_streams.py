"""What Ollama sends, oddities and all, and the events it becomes."""

import json
from typing import Any

import pytest

from ouroboros.core.parts import Reasoning, Text, ToolCall, Usage
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Frame
from ouroboros.llm.protocols import by_name
from ouroboros.llm.stream import (
    BlockEnded,
    BlockGrew,
    BlockStarted,
    CallReady,
    Failed,
    Finished,
    StreamEvent,
)
from tests.cases import every

TIME = "2026-11-02T08:15:00.120400019Z"
COUNTS: dict[str, object] = {"prompt_eval_count": 26, "eval_count": 12, "total_duration": 4648}


def line(content: str = "", *, done: str = "", **more: Any) -> dict[str, Any]:
    ending = {"done_reason": done, **COUNTS} if done else {}
    message = {"role": "assistant", "content": content, **more}
    return {"model": "m", "created_at": TIME, "message": message, "done": bool(done), **ending}


def called(*calls: dict[str, Any]) -> dict[str, Any]:
    return line(tool_calls=[{"function": one} | one.pop("beside", {}) for one in calls])


def played(*lines: Any, dialect: Dialect | None = None) -> list[StreamEvent]:
    decoder = by_name("ollama-chat").start(dialect or Dialect())
    events: list[StreamEvent] = []
    for one in lines:
        events += decoder.step(Frame("", one if isinstance(one, str) else json.dumps(one)))
    return events + list(decoder.finish())


def finished(events: list[StreamEvent]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished), last
    return last


def failed(events: list[StreamEvent]) -> Failed:
    last = events[-1]
    assert isinstance(last, Failed), last
    return last


@pytest.mark.proves("providers-protocols")
def test_a_whole_stream() -> None:
    assert played(line("", thinking="Hm."), line("Hel"), line("lo"), line(done="stop")) == [
        BlockStarted(part=0, kind="reasoning"),
        BlockGrew(part=0, kind="reasoning", text="Hm."),
        BlockEnded(part=0, kind="reasoning"),
        BlockStarted(part=1, kind="text"),
        BlockGrew(part=1, kind="text", text="Hel"),
        BlockGrew(part=1, kind="text", text="lo"),
        BlockEnded(part=1, kind="text"),
        Finished(
            parts=(Reasoning(text="Hm."), Text(text="Hello")),
            stop_reason="end",
            raw_stop_reason="stop",
            usage=Usage(input_uncached=26, output_text=12, raw=COUNTS),
            model="m",
        ),
    ]


def test_calls_come_whole_and_may_start_at_once() -> None:
    events = played(
        line("Looking."),
        called({"name": "f", "arguments": {"z": 1, "a": "é"}}, {"name": "g", "arguments": {}}),
        line(done="stop"),
    )
    made = ToolCall(id="call_20261102T081500120400019Z_1", name="f", arguments='{"z": 1, "a": "é"}')
    ready = [event.call for event in events if isinstance(event, CallReady)]
    assert [call.name for call in ready] == ["f", "g"]
    assert json.loads(ready[0].arguments) == {"z": 1, "a": "é"}
    assert list(json.loads(ready[0].arguments)) == ["z", "a"]
    ending = finished(events)
    assert ending.stop_reason == "tool_calls"
    assert [call.id for call in ready] == [made.id, made.id[:-1] + "2"]
    assert events.index(CallReady(call=ready[0], parts=(Text(text="Looking."), ready[0]))) == 6


def test_arguments_keep_their_bytes() -> None:
    raw = '{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"b": 1.0,  "a":[ ]}}}]}}'
    (made,) = finished(played(raw, line(done="stop"))).parts
    assert isinstance(made, ToolCall)
    assert made.arguments == '{"b": 1.0,  "a":[ ]}'


@every(("given", "kept"), [(None, "{}"), ('{"a":1}', '{"a":1}'), ("a", "a")])
def test_arguments_that_are_no_object(given: object, kept: str) -> None:
    (made,) = finished(played(called({"name": "f", "arguments": given}), line(done="stop"))).parts
    assert isinstance(made, ToolCall)
    assert made.arguments == kept


def test_ids_of_the_server_are_kept_to_be_sent_back() -> None:
    one = {"name": "f", "arguments": {}, "beside": {"id": "call_x"}}
    (made,) = finished(played(called(one), line(done="stop"))).parts
    assert made == ToolCall(id="call_x", name="f", meta={"id": "call_x"})


@every(("raw", "reason"), [("stop", "end"), ("length", "length"), ("load", "unknown")])
def test_reasons_to_stop(raw: str, reason: str) -> None:
    ending = finished(played(line("a"), line(done=raw)))
    assert (ending.stop_reason, ending.raw_stop_reason) == (reason, raw)


def test_the_last_object_ends_the_reply() -> None:
    events = played(line("a"), line("b", done="stop"), line("c"), {"error": "late"})
    assert finished(events).parts == (Text(text="ab"),)
    assert sum(isinstance(event, Finished | Failed) for event in events) == 1


@pytest.mark.proves("providers-protocols")
def test_an_error_in_the_stream_ends_it() -> None:
    ending = failed(played(line("a"), {"error": "llama runner process has terminated"}, line("b")))
    assert ending.failure.message == "llama runner process has terminated"
    assert ending.parts == (Text(text="a"),)


def test_a_call_the_server_could_not_read_is_tried_again() -> None:
    words = 'error parsing tool call: raw=\'{"path": "a\', err=unexpected end of JSON input'
    failure = failed(played({"error": words})).failure
    assert (failure.kind, failure.retryable) == ("invalid_tool_output", True)


@pytest.mark.proves("providers-protocols")
def test_a_history_that_is_too_long_is_known_by_the_words() -> None:
    inner = {"code": 400, "message": "request (351 tokens) exceeds the available context size"}
    ending = failed(played({"error": json.dumps({"error": inner})}))
    assert ending.failure.kind == "context_overflow"


def test_a_stream_without_its_last_object_was_cut() -> None:
    ending = failed(played(line("a"), called({"name": "f", "arguments": {}})))
    assert (ending.failure.kind, ending.failure.retryable) == ("transport", True)
    assert [type(part) for part in ending.parts] == [Text, ToolCall]


def test_an_unreadable_line_spoils_the_reply() -> None:
    ending = failed(played(line("a"), '{"message":', line(done="stop")))
    assert ending.failure.kind == "transport"


def test_thoughts_between_tags() -> None:
    dialect = Dialect(think_tags=True)
    said = [line(piece) for piece in ("<th", "ink>Hm.</thi", "nk>\n\nYes <", "b>")]
    events = played(*said, line(done="stop"), dialect=dialect)
    assert finished(events).parts == (Reasoning(text="Hm."), Text(text="Yes <b>"))
    held = finished(played(line("Yes <th"), line(done="stop"), dialect=dialect))
    assert held.parts == (Text(text="Yes <th"),)
    cut = failed(played(line("Yes <th"), dialect=dialect))
    assert cut.parts == (Text(text="Yes <th"),)
    assert finished(played(*said, line(done="stop"))).parts == (
        Text(text="<think>Hm.</think>\n\nYes <b>"),
    )


def test_a_reply_that_came_whole() -> None:
    call = {"function": {"name": "f", "arguments": {"x": 1}}}
    body = line("a", done="stop", thinking="Hm.", tool_calls=[call])
    events = by_name("ollama-chat").start(Dialect()).read(json.dumps(body).encode())
    last = events[-1]
    assert isinstance(last, Finished)
    assert [type(part) for part in last.parts] == [Reasoning, Text, ToolCall]
    assert last.stop_reason == "tool_calls"
    assert last.usage == Usage(input_uncached=26, output_text=12, raw=COUNTS)


def test_an_error_that_came_whole() -> None:
    decoder = by_name("ollama-chat").start(Dialect())
    (ending,) = decoder.read(b'{"error":"model is busy, too many requests"}')
    assert isinstance(ending, Failed)
    assert ending.failure.kind == "rate_limit"
