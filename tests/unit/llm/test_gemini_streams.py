"""What Gemini sends, oddities and all, and the events it becomes."""

import json
from typing import Any

import pytest

from ouroboros.core.parts import Foreign, Part, Reasoning, Text, ToolCall, Usage
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

COUNTS = {"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7}


def chunk(*parts: Any, stop: object = None, **more: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0}
    if parts:
        candidate["content"] = {"role": "model", "parts": list(parts)}
    if stop is not None:
        candidate["finishReason"] = stop
    return {"candidates": [candidate], "responseId": "r", "modelVersion": "m", **more}


def call(name: str, args: object = None, **more: Any) -> dict[str, Any]:
    made = {"name": name} | ({} if args is None else {"args": args})
    server_id = {"id": more.pop("id")} if "id" in more else {}
    return {"functionCall": {**made, **server_id}, **more}


def played(*chunks: Any) -> list[StreamEvent]:
    decoder = by_name("gemini").start(Dialect())
    events: list[StreamEvent] = []
    for one in chunks:
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


def parts(*chunks: Any) -> tuple[Part, ...]:
    return finished(played(*chunks)).parts


def test_a_whole_stream() -> None:
    events = played(
        chunk({"text": "Hm.", "thought": True}),
        chunk({"text": "Hel"}),
        chunk({"text": "lo"}, stop="STOP", usageMetadata={**COUNTS, "thoughtsTokenCount": 3}),
    )
    usage: dict[str, object] = {**COUNTS, "thoughtsTokenCount": 3}
    assert events == [
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
            raw_stop_reason="STOP",
            usage=Usage(
                input_uncached=5, cache_read=0, cache_write=0, output_text=2, reasoning=3, raw=usage
            ),
            response_id="r",
            model="m",
        ),
    ]


def test_a_call_is_ready_at_once_and_stop_means_calls() -> None:
    events = played(
        chunk(call("read", {"b": 1, "a": [2.50]}, thoughtSignature="S1")),
        chunk(call("write"), stop="STOP"),
    )
    made = ToolCall(
        id="call_r_0",
        name="read",
        arguments='{"b": 1, "a": [2.5]}',
        meta={"thoughtSignature": "S1"},
    )
    assert events[3] == CallReady(call=made, parts=(made,))
    assert events[4] == BlockStarted(part=1, kind="call", name="write")
    ending = finished(events)
    assert ending.parts == (made, ToolCall(id="call_r_1", name="write"))
    assert (ending.stop_reason, ending.raw_stop_reason) == ("tool_calls", "STOP")


def test_arguments_keep_their_bytes_unless_printed_over_lines() -> None:
    text = '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":ARGS}}]}}]}'
    for written, kept in (
        ('{"z": 1.50,  "a":1e2}', '{"z": 1.50,  "a":1e2}'),
        ('{\n"z": 1\n}', '{"z":1}'),
    ):
        found = parts(text.replace("ARGS", written), chunk(stop="STOP"))
        assert [one.arguments for one in found if isinstance(one, ToolCall)] == [kept]


def test_ids_of_the_server_are_kept_to_be_sent_back() -> None:
    (made,) = parts(chunk(call("f", {}, id="srv"), stop="STOP"))
    assert made == ToolCall(id="srv", name="f", meta={"id": "srv"})


def test_words_before_and_after_a_call_stay_on_their_side() -> None:
    found = parts(chunk({"text": "a"}), chunk(call("f")), chunk({"text": "b"}, stop="STOP"))
    assert found == (Text(text="a"), ToolCall(id="call_r_1", name="f"), Text(text="b"))


def test_signed_stretches_are_one_text_to_people() -> None:
    events = played(
        chunk({"text": "One, "}),
        chunk({"text": "two, "}, {"text": "three", "thoughtSignature": "S1"}),
        chunk({"text": ", four", "thoughtSignature": "S2"}, {"text": ", five"}),
        chunk({"text": ""}),
        chunk({"text": "", "thoughtSignature": "S3"}, stop="STOP"),
    )
    assert sum(isinstance(event, BlockStarted) for event in events) == 1
    signed = [[10, ""], [5, "S1"], [6, "S2"], [6, ""], [0, "S3"]]
    assert finished(events).parts == (
        Text(text="One, two, three, four, five", meta={"signed": signed}),
    )


def test_a_signature_on_nothing_shows_nowhere() -> None:
    events = played(chunk(call("f")), chunk({"text": "", "thoughtSignature": "S"}, stop="STOP"))
    assert [event for event in events if getattr(event, "kind", "") == "text"] == []
    assert finished(events).parts == (
        ToolCall(id="call_r_0", name="f"),
        Text(text="", meta={"signed": [[0, "S"]]}),
    )


def test_a_signed_thought_stays_a_thought() -> None:
    found = parts(
        chunk({"text": "", "thought": True, "thoughtSignature": "S"}),
        chunk({"text": "a", "thought": True, "thoughtSignature": "T"}),
        chunk({"text": "b"}, stop="STOP"),
    )
    assert found == (
        Reasoning(meta={"signed": [[0, "S"]]}),
        Reasoning(text="a", meta={"signed": [[1, "T"]]}),
        Text(text="b"),
    )


@every(
    "part",
    [
        '{"executableCode": {"language": "PYTHON", "code": "1+1"}}',
        '{"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2\\n"}}',
        '{"thoughtSignature": "S", "toolCall": {"toolType": "FILE_SEARCH", "id": "x"}}',
        '{"inlineData": {"mimeType": "image/png", "data": "QUJD"}, "thoughtSignature": "S"}',
    ],
)
def test_parts_we_do_not_read_are_carried_to_the_byte(part: str) -> None:
    text = f'{{"candidates":[{{"content":{{"parts":[{{"text":"a"}}, {part} ,{{"text":"b"}}]}}}}]}}'
    kind = next(key for key in json.loads(part) if key != "thoughtSignature")
    assert parts(text, chunk(stop="STOP")) == (
        Text(text="a"),
        Foreign(kind=kind, content=part),
        Text(text="b"),
    )


def piece(path: str, **value: Any) -> dict[str, Any]:
    more = {"willContinue": value.pop("more")} if "more" in value else {}
    return {"jsonPath": path, **value, **more}


def streamed(*pieces: Any, name: str = "", more: bool = True) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": name} if name else {}
    if pieces:
        fields["partialArgs"] = list(pieces)
    return {"functionCall": fields | ({"willContinue": True} if more else {})}


@pytest.mark.proves("providers-protocols")
def test_arguments_that_come_value_by_value() -> None:
    events = played(
        chunk(streamed(name="f") | {"thoughtSignature": "S"}),
        chunk(streamed(piece("$.to[0].name", stringValue="An", more=True))),
        chunk(streamed(piece("$.to[0].name", stringValue="na", more=True))),
        chunk(streamed(piece("$.to[0].name", stringValue=""))),
        chunk(streamed(piece("$.to[1].name", stringValue="Bo"), piece("$.n", numberValue=2.5))),
        chunk(streamed(piece("$['odd key'][\"x.y\"]", boolValue=False))),
        chunk(streamed(piece("$.none", nullValue="NULL_VALUE"))),
        chunk(streamed(more=False), stop="STOP"),
    )
    (made,) = finished(events).parts
    assert isinstance(made, ToolCall)
    assert made.meta == {"thoughtSignature": "S"}
    assert json.loads(made.arguments) == {
        "to": [{"name": "Anna"}, {"name": "Bo"}],
        "n": 2.5,
        "odd key": {"x.y": False},
        "none": None,
    }
    assert sum(isinstance(event, CallReady) for event in events) == 1


def test_values_that_come_beside_whole_arguments() -> None:
    both = streamed(piece("$.b", stringValue="x"), name="f", more=False)
    both["functionCall"]["args"] = {"a": 1}
    (made,) = parts(chunk(both, stop="STOP"))
    assert made == ToolCall(id="call_r_0", name="f", arguments='{"a":1,"b":"x"}')


def test_a_text_that_is_told_twice_is_not_doubled() -> None:
    (made,) = parts(
        chunk(streamed(piece("$.a", stringValue="x"), name="f")),
        chunk(streamed(piece("$.a", stringValue="y"), more=False), stop="STOP"),
    )
    assert made == ToolCall(id="call_r_0", name="f", arguments='{"a":"y"}')


@every(
    "path",
    ["$", "", "a", "$.a[9999999]", "$.a[1].b[", "$" + "[0]" * 500, "$.d" + "[0]" * 500, "$.b.c"],
)
def test_a_piece_that_fits_nowhere_is_left_out(path: str) -> None:
    (made,) = parts(
        chunk(streamed(piece("$.b[0]", numberValue=1), name="f")),
        chunk(streamed(piece(path, stringValue="x"), piece("$.c", numberValue=3))),
        chunk(streamed(more=False), stop="STOP"),
    )
    assert isinstance(made, ToolCall)
    assert json.loads(made.arguments)["c"] == 3
    assert len(made.arguments) < 100


def test_calls_without_arguments_that_end_apart() -> None:
    found = parts(
        chunk(streamed(name="f")),
        chunk(streamed(more=False)),
        chunk(streamed(name="g")),
        chunk(streamed(more=False), {"text": ""}, stop="STOP"),
    )
    assert found == (ToolCall(id="call_r_0", name="f"), ToolCall(id="call_r_1", name="g"))


@pytest.mark.proves("providers-protocols")
@every("stop", ["MAX_TOKENS", "SAFETY", "OTHER", "NEVER_HEARD_OF", None])
def test_a_call_that_did_not_end_is_not_made(stop: str | None) -> None:
    events = played(
        chunk({"text": "Writing."}, streamed(piece("$.a", stringValue="x", more=True), name="f")),
        chunk(stop=stop),
    )
    assert not any(isinstance(event, CallReady) for event in events)
    last = events[-1]
    assert isinstance(last, Failed if stop is None else Finished)
    assert last.parts == (Text(text="Writing."),)


@pytest.mark.proves("providers-protocols")
@every(
    ("raw", "reason"),
    [
        ("STOP", "end"),
        (1, "end"),
        ("MAX_TOKENS", "length"),
        (2, "length"),
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("LANGUAGE", "content_filter"),
        ("BLOCKLIST", "content_filter"),
        ("PROHIBITED_CONTENT", "content_filter"),
        ("SPII", "content_filter"),
        ("MODEL_ARMOR", "content_filter"),
        ("IMAGE_SAFETY", "content_filter"),
        ("OTHER", "unknown"),
        ("SOMETHING_NEW", "unknown"),
    ],
)
def test_stop_reasons(raw: object, reason: str) -> None:
    ending = finished(played(chunk({"text": "a"}), chunk(stop=raw)))
    assert (ending.stop_reason, ending.raw_stop_reason) == (reason, str(raw))
    assert ending.parts == (Text(text="a"),)


def test_a_reason_on_every_chunk_ends_nothing() -> None:
    found = parts(*(chunk({"text": letter}, stop="STOP") for letter in "abc"))
    assert found == (Text(text="abc"),)


@pytest.mark.proves("providers-protocols")
@every("reason", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"])
def test_a_call_the_vendor_could_not_read_is_tried_again(reason: str) -> None:
    odd = chunk(stop=reason)
    odd["candidates"][0]["finishMessage"] = "Malformed function call: print(1"
    failure = failed(played(odd)).failure
    assert (failure.kind, failure.retryable) == ("invalid_tool_output", True)
    assert failure.message == "Malformed function call: print(1"


def test_a_call_of_a_tool_that_is_not_there_is_made_for_the_model_to_learn() -> None:
    ending = finished(played(chunk(call("nope"), stop="UNEXPECTED_TOOL_CALL")))
    assert ending.stop_reason == "tool_calls"
    assert ending.parts == (ToolCall(id="call_r_0", name="nope"),)


@pytest.mark.proves("providers-protocols")
def test_a_prompt_that_is_refused() -> None:
    failure = failed(played({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})).failure
    assert (failure.kind, failure.retryable) == ("content_policy", False)
    assert "PROHIBITED_CONTENT" in failure.message


def test_an_error_in_the_stream_ends_it() -> None:
    error = {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}
    ending = failed(played(chunk({"text": "a"}), {"error": error}, chunk({"text": "b"})))
    assert (ending.failure.kind, ending.failure.retryable) == ("overloaded", True)
    assert ending.parts == (Text(text="a"),)


def test_chunks_with_nothing_to_say() -> None:
    quiet: list[Any] = [
        {"usageMetadata": {"trafficType": "ON_DEMAND"}},
        {"candidates": []},
        {"candidates": [{"index": 0, "content": {}}]},
        {"candidates": [{"index": 0, "content": {"parts": [{}], "role": "model"}}]},
        {"candidates": [{"index": 1, "content": {"parts": [{"text": "no"}]}}]},
        "[1]",
        "ping",
    ]
    ending = finished(
        played(*quiet, chunk({"text": "a"}, stop="STOP"), {"usageMetadata": COUNTS}, *quiet)
    )
    assert ending.parts == (Text(text="a"),)
    assert ending.usage is not None
    assert ending.usage.raw == COUNTS


def test_usage_is_the_last_and_not_a_sum() -> None:
    growing = [{**COUNTS, "candidatesTokenCount": number} for number in (1, 2, 3)]
    chunks = [chunk({"text": "a"}, usageMetadata=one) for one in growing]
    usage = finished(played(*chunks, chunk(stop="STOP"))).usage
    assert usage is not None
    assert usage.output_text == 3


def test_a_stream_without_a_reason_to_stop_was_cut() -> None:
    ending = failed(played(chunk({"text": "a"}), chunk(streamed(name="f"))))
    assert (ending.failure.kind, ending.failure.retryable) == ("transport", True)
    assert ending.parts == (Text(text="a"),)


def test_an_unreadable_chunk_spoils_the_reply() -> None:
    ending = failed(played(chunk({"text": "a"}), '{"candidates": [', chunk(stop="STOP")))
    assert ending.failure.kind == "transport"


@pytest.mark.proves("providers-protocols")
@every("wrap", [False, True])
def test_a_reply_that_came_whole(wrap: bool) -> None:
    chunks = [chunk({"text": "a"}), chunk(call("f", {"x": 1}), stop="STOP", usageMetadata=COUNTS)]
    body: Any = chunks if wrap else chunk({"text": "a"}, call("f", {"x": 1}), stop="STOP")
    events = by_name("gemini").start(Dialect()).read(json.dumps(body, indent=1).encode())
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.parts == (Text(text="a"), ToolCall(id="call_r_1", name="f", arguments='{"x":1}'))


def test_an_error_in_a_list_that_came_whole() -> None:
    body = b'[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Slow."}}]'
    (ending,) = by_name("gemini").start(Dialect()).read(body)
    assert isinstance(ending, Failed)
    assert ending.failure.kind == "rate_limit"
