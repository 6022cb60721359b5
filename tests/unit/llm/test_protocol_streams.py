"""The odd habits of vendors, one stream each."""

import json
from typing import Any

import pytest

from ouroboros.core.parts import Foreign, Part, Reasoning, Text, ToolCall, Usage
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Frame
from ouroboros.llm.protocols import NAMES, by_name
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


def played(protocol: str, *datas: Any) -> list[StreamEvent]:
    decoder = by_name(protocol).start(Dialect())
    events: list[StreamEvent] = []
    for data in datas:
        text = data if isinstance(data, str) else json.dumps(data)
        events += decoder.step(Frame("", text))
    return events + list(decoder.finish())


def chat(*deltas: Any, stop: str | None = "stop", done: bool = True) -> list[StreamEvent]:
    chunks: list[Any] = [
        {"id": "r", "model": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas
    ]
    if stop is not None:
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": stop}]})
    return played("openai-chat", *chunks, *(["[DONE]"] if done else []))


def call(index: int | None, arguments: str, **fields: Any) -> dict[str, Any]:
    name = fields.pop("name", None)
    function = {"arguments": arguments, **({"name": name} if name else {})}
    place = {} if index is None else {"index": index}
    return {"tool_calls": [{**place, **fields, "function": function}]}


def finished(events: list[StreamEvent]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished), last
    return last


def failed(events: list[StreamEvent]) -> Failed:
    last = events[-1]
    assert isinstance(last, Failed), last
    return last


def made(events: list[StreamEvent]) -> list[tuple[str, str, str]]:
    return [
        (one.id, one.name, one.arguments)
        for one in finished(events).parts
        if isinstance(one, ToolCall)
    ]


def test_a_whole_chat_stream() -> None:
    events = chat({"role": "assistant", "content": ""}, {"content": "Hel"}, {"content": "lo"})
    assert events == [
        BlockStarted(part=0, kind="text"),
        BlockGrew(part=0, kind="text", text="Hel"),
        BlockGrew(part=0, kind="text", text="lo"),
        BlockEnded(part=0, kind="text"),
        Finished(
            parts=(Text(text="Hello"),),
            stop_reason="end",
            raw_stop_reason="stop",
            response_id="r",
            model="m",
        ),
    ]


def test_a_call_is_ready_before_the_reply_ends() -> None:
    events = chat(
        call(0, "", id="a", name="read"),
        call(0, '{"x":1}'),
        call(1, "{}", id="b", name="write"),
        stop="tool_calls",
    )
    made = ToolCall(id="a", name="read", arguments='{"x":1}')
    ready = events.index(CallReady(call=made, parts=(made,)))
    assert ready < events.index(BlockStarted(part=1, kind="call", name="write"))
    assert finished(events).stop_reason == "tool_calls"


@pytest.mark.proves("H08")
def test_interleaved_calls_are_not_ready_too_early() -> None:
    events = chat(
        call(0, '{"x"', id="a", name="read"),
        call(1, '{"y"', id="b", name="write"),
        call(0, ":1}"),
        call(1, ":2}"),
        stop="tool_calls",
    )
    assert made(events) == [("a", "read", '{"x":1}'), ("b", "write", '{"y":2}')]


@pytest.mark.proves("H08")
@every(
    "deltas",
    [
        (call(0, '{"x":1}', id="a", name="f"), call(0, "{}", id="b", name="g")),
        (call(None, '{"x":1}', id="a", name="f"), call(None, "{}", id="b", name="g")),
        (
            call(None, '{"x"', id="a", name="f"),
            call(None, ":1}"),
            call(None, "{}", id="b", name="g"),
        ),
        (
            call(0, '{"x"', id="a", name="f"),
            call(0, ":1}", id="a", name="f"),
            call(1, "", id="b", name="g"),
        ),
    ],
    ids=["all numbered 0", "no index", "no index, in pieces", "id and name repeated"],
)
def test_parallel_calls_told_apart(deltas: tuple[Any, ...]) -> None:
    assert made(chat(*deltas, stop="tool_calls")) == [("a", "f", '{"x":1}'), ("b", "g", "{}")]


@pytest.mark.proves("H08")
def test_calls_without_ids_get_stable_ones() -> None:
    events = chat(call(None, "{}", name="f"), call(None, "{}", name="g"))
    assert made(events) == [("call_r_0", "f", "{}"), ("call_r_1", "g", "{}")]
    assert finished(events).stop_reason == "tool_calls"


def test_a_call_cut_by_the_length_limit_is_not_made() -> None:
    events = chat({"content": "Writing."}, call(0, '{"x', id="a", name="f"), stop="length")
    assert finished(events).parts == (Text(text="Writing."),)
    assert finished(events).stop_reason == "length"
    assert not any(isinstance(event, CallReady) for event in events)


def test_a_call_cut_before_its_first_argument_is_not_made() -> None:
    events = chat({"content": "Writing."}, call(0, "", id="a", name="f"), stop="length")
    assert finished(events).parts == (Text(text="Writing."),)
    assert not any(isinstance(event, CallReady) for event in events)


def test_a_call_with_broken_arguments_is_handed_on() -> None:
    events = chat(call(0, '{"x', id="a", name="f"), stop="tool_calls")
    assert made(events) == [("a", "f", '{"x')]
    broken = ToolCall(id="a", name="f", arguments='{"x')
    assert CallReady(call=broken, parts=(broken,)) in events


@every(
    ("stop", "done", "reason"),
    [
        ("stop", False, "end"),
        (None, True, "unknown"),
        ("eos", True, "end"),
        ("eos_token", True, "end"),
        ("stop_sequence", True, "end"),
        ("sensitive", True, "content_filter"),
        ("model_length", True, "overflow"),
    ],
)
def test_endings_of_local_servers(stop: str | None, done: bool, reason: str) -> None:
    assert finished(chat({"content": "Hi"}, stop=stop, done=done)).stop_reason == reason


def test_a_stream_without_any_ending_was_cut() -> None:
    ending = failed(
        chat({"content": "Hi"}, call(0, '{"x":', id="a", name="f"), stop=None, done=False)
    )
    assert ending.failure.kind == "transport"
    assert ending.failure.retryable
    assert ending.parts == (Text(text="Hi"),)


def test_a_count_ends_a_stream_that_gives_no_reason() -> None:
    counted: dict[str, Any] = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}
    events = played("openai-chat", {"choices": [{"delta": {"content": "Hi"}}]}, counted)
    assert (finished(events).stop_reason, finished(events).parts) == ("unknown", (Text(text="Hi"),))


def test_details_of_thoughts_are_joined_only_where_they_are_one() -> None:
    kinds = ("reasoning.text", "reasoning.text", "reasoning.encrypted")
    first, second, sealed = (
        {"type": kind, "index": 0, "id": id} for kind, id in zip(kinds, "abc", strict=True)
    )
    details = [
        {**first, "text": "One"},
        {**first, "id": None, "text": ", two."},
        {**second, "text": "Three."},
        {**sealed, "data": "xx"},
        {**sealed, "data": "yy"},
    ]
    events = chat(*({"reasoning_details": [one]} for one in details), {"content": "Hi"})
    (thoughts, _) = finished(events).parts
    assert isinstance(thoughts, Reasoning)
    assert thoughts.meta["details"] == [{**first, "text": "One, two."}, *details[2:]]


def test_an_unreadable_event_spoils_the_reply() -> None:
    events = played(
        "openai-chat",
        {"choices": [{"delta": {"content": "Hi"}}]},
        '{"choices": [',
        {"choices": [{"delta": {}, "finish_reason": "stop"}]},
        "[DONE]",
    )
    ending = failed(events)
    assert (ending.failure.kind, ending.failure.retryable) == ("transport", True)
    assert ending.parts == (Text(text="Hi"),)


def test_noise_between_events_does_not() -> None:
    events = played(
        "openai-chat", "", "ping", {"choices": [{"delta": {"content": "Hi"}}]}, "[1]", "[DONE]"
    )
    assert finished(events).parts == (Text(text="Hi"),)


def test_only_the_first_choice_is_heard() -> None:
    chunk = {"choices": [{"index": 1, "delta": {"content": "no"}, "finish_reason": "length"}]}
    events = played("openai-chat", chunk, {"choices": [{"delta": {"content": "yes"}}]}, "[DONE]")
    assert finished(events).parts == (Text(text="yes"),)


def test_a_refusal_is_text_that_says_so() -> None:
    ending = finished(chat({"refusal": "I can"}, {"refusal": "not."}))
    assert ending.parts == (Text(text="I cannot.", meta={"refusal": True}),)
    assert ending.stop_reason == "refusal"


def test_thoughts_then_words_then_thoughts() -> None:
    ending = finished(
        chat({"reasoning_content": "a"}, {"content": "b"}, {"reasoning": "c"}, {"content": "d"})
    )
    assert ending.parts == (
        Reasoning(text="a"),
        Text(text="b"),
        Reasoning(text="c"),
        Text(text="d"),
    )


def test_an_error_beside_a_reply_that_is_none() -> None:
    said = {"status_code": 1008, "status_msg": "insufficient balance"}
    failure = failed(played("openai-chat", {"choices": None, "base_resp": said})).failure
    assert (failure.kind, failure.message) == ("quota", "insufficient balance")
    fine = {"status_code": 0, "status_msg": ""}
    ended = {"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop"}], "base_resp": fine}
    assert finished(played("openai-chat", ended, "[DONE]")).parts == (Text(text="yes"),)


def test_cumulative_usage_is_not_summed() -> None:
    counts = [{"prompt_tokens": 3, "completion_tokens": count} for count in (1, 2)]
    chunks = [{"choices": (), "usage": one} for one in counts]
    usage = finished(played("openai-chat", *chunks, "[DONE]")).usage
    assert usage == Usage(input_uncached=3, cache_write=0, output_text=2, raw=dict(counts[1]))


@every("stop", ["error", "insufficient_system_resource", "network_error"])
def test_an_ending_in_error_is_a_failure(stop: str) -> None:
    ending = failed(chat({"content": "Hi"}, stop=stop))
    assert (ending.failure.kind, ending.failure.retryable) == ("server", True)


def test_half_a_surrogate_pair_is_left_out() -> None:
    events = played("openai-chat", '{"choices":[{"delta":{"content":"a\\ud83db"}}]}', "[DONE]")
    assert finished(events).parts == (Text(text="ab"),)


def test_an_error_in_the_stream_ends_it() -> None:
    error = {"error": {"message": "Provider disconnected", "code": 502}}
    ending = failed(
        played("openai-chat", {"choices": [{"delta": {"content": "a"}}]}, error, "[DONE]")
    )
    assert (ending.failure.kind, ending.failure.retryable) == ("server", True)
    assert ending.parts == (Text(text="a"),)


def block(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def messages(*events: Any, reason: str | None = "end_turn", end: bool = True) -> list[StreamEvent]:
    start = {
        "type": "message_start",
        "message": {"id": "r", "model": "m", "usage": {"input_tokens": 2}},
    }
    closing: list[Any] = []
    if reason:
        closing.append({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {}})
    if end:
        closing.append({"type": "message_stop"})
    return played("anthropic-messages", start, *events, *closing)  # fmt: skip


def test_interleaved_blocks_of_a_message() -> None:
    events = messages(
        block(0, type="text", text="Al"),
        block(1, type="tool_use", id="t", name="f", input={}),
        delta(0, "text_delta", text="so"),
        delta(1, "input_json_delta", partial_json='{"a"'),
        stop(0),
        {"type": "ping"},
        delta(1, "input_json_delta", partial_json=":1}"),
        stop(1),
        {"type": "something_new", "index": 4},
        reason="tool_use",
    )
    assert finished(events).parts == (
        Text(text="Also"),
        ToolCall(id="t", name="f", arguments='{"a":1}'),
    )
    made = ToolCall(id="t", name="f", arguments='{"a":1}')
    assert events[-2] == CallReady(call=made, parts=(Text(text="Also"), made))


def test_a_call_that_may_start_brings_the_thoughts_before_it() -> None:
    events = messages(
        block(0, type="thinking", thinking="", signature=""),
        delta(0, "thinking_delta", thinking="Hm."),
        delta(0, "signature_delta", signature="Sig=="),
        stop(0),
        block(1, type="tool_use", id="t", name="f", input={}),
        delta(1, "input_json_delta", partial_json="{}"),
        stop(1),
        block(2, type="text", text="later"),
        end=False,
    )
    (ready,) = [event for event in events if isinstance(event, CallReady)]
    assert ready.parts == (
        Reasoning(text="Hm.", meta={"signature": "Sig=="}),
        ToolCall(id="t", name="f"),
    )


def test_opaque_blocks_of_a_message() -> None:
    content = '{"type":"web_search_tool_result",  "content":[{"b":1, "a":2}]}'
    start = f'{{"type":"content_block_start","index":2,"content_block":{content}}}'
    parts = finished(
        messages(
            block(0, type="thinking", thinking="", signature=""),
            delta(0, "thinking_delta", thinking="Hm."),
            delta(0, "signature_delta", signature="Sig=="),
            stop(0),
            block(1, type="redacted_thinking", data="Dat=="),
            stop(1),
            start,
            stop(2),
            block(3, type="server_tool_use", id="s", name="web_search", input={}),
            delta(3, "input_json_delta", partial_json='{"q": "x"}'),
            stop(3),
        )
    ).parts
    wanted: tuple[Part, ...] = (
        Reasoning(text="Hm.", meta={"signature": "Sig=="}),
        Reasoning(meta={"redacted": "Dat=="}),
        Foreign(kind="web_search_tool_result", content=content),
        Foreign(
            kind="server_tool_use",
            content='{"type":"server_tool_use","id":"s","name":"web_search","input":{"q": "x"}}',
        ),
    )
    assert parts == wanted


@every(
    ("raw", "reason"),
    [
        ("end_turn", "end"),
        ("max_tokens", "length"),
        ("pause_turn", "pause"),
        ("refusal", "refusal"),
        ("model_context_window_exceeded", "overflow"),
        ("tool_use", "unknown"),
        ("brand_new", "unknown"),
    ],
)
def test_stop_reasons_of_a_message(raw: str, reason: str) -> None:
    ending = finished(messages(reason=raw))
    assert (ending.stop_reason, ending.raw_stop_reason) == (reason, raw)


def test_a_message_without_message_stop_is_whole_if_it_said_why() -> None:
    assert finished(messages(end=False)).stop_reason == "end"
    ending = failed(messages(block(0, type="text", text="Hi"), reason=None, end=False))
    assert (ending.failure.kind, ending.parts) == ("transport", (Text(text="Hi"),))


def test_an_overload_inside_a_message() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    ending = failed(played("anthropic-messages", error))
    assert (ending.failure.kind, ending.failure.retryable) == ("overloaded", True)


def test_later_counts_of_a_message_win() -> None:
    first = {"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}}
    counts = {"input_tokens": 7, "output_tokens": 5, "cache_read_input_tokens": None}
    second = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": counts}
    usage = finished(played("anthropic-messages", first, second, second)).usage
    assert usage is not None
    assert (usage.input_uncached, usage.output_text, usage.cache_read) == (7, 5, None)


def done(index: int, **item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def completed(*output: Any, status: str = "completed", **fields: Any) -> dict[str, Any]:
    response = {"id": "r", "status": status, "output": list(output), **fields}
    return {"type": f"response.{status}", "response": response}


def test_calls_of_a_response_interleave_by_output_index() -> None:
    added = [
        {
            "type": "response.output_item.added",
            "output_index": index,
            "item": {
                "type": "function_call",
                "id": f"fc{index}",
                "call_id": f"c{index}",
                "name": "f",
            },
        }
        for index in (0, 1)
    ]
    pieces = [
        {
            "type": "response.function_call_arguments.delta",
            "output_index": index,
            "item_id": f"rotated{index}",
            "delta": text,
        }
        for index, text in ((0, '{"a"'), (1, '{"b"'), (0, ":1}"), (1, ":2}"))
    ]
    ends = [
        done(0, type="function_call", id="fc0", call_id="c0", name="f", arguments='{"a":1}'),
        done(1, type="function_call", id="fc1", call_id="c1", name="f", arguments='{"b":3}'),
    ]
    events = played("openai-responses", *added, *pieces, *ends, completed())
    assert made(events) == [("c0", "f", '{"a":1}'), ("c1", "f", '{"b":3}')]
    assert finished(events).stop_reason == "tool_calls"


def test_an_item_that_only_the_terminal_event_names() -> None:
    item = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Hi"}]}
    events = played("openai-responses", completed(item))
    assert finished(events).parts == (Text(text="Hi", meta={"id": "m"}),)
    again = played("openai-responses", done(0, **item), completed(item))
    assert finished(again).parts == (Text(text="Hi", meta={"id": "m"}),)


def test_the_terminal_event_completes_an_item_that_was_never_done() -> None:
    piece = {
        "type": "response.output_text.delta",
        "output_index": 1,
        "item_id": "m",
        "content_index": 0,
        "delta": "H",
    }
    item = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Hi"}]}
    events = played("openai-responses", piece, completed(item))
    assert finished(events).parts == (Text(text="Hi", meta={"id": "m"}),)


@every(
    ("status", "fields", "reason"),
    [
        ("completed", {}, "end"),
        ("incomplete", {"incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ("incomplete", {"incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ("incomplete", {}, "unknown"),
        ("cancelled", {}, "unknown"),
    ],
)
def test_stop_reasons_of_a_response(status: str, fields: dict[str, Any], reason: str) -> None:
    ending = finished(played("openai-responses", completed(status=status, **fields)))
    assert ending.stop_reason == reason


@every(
    "error",
    [
        {"type": "error", "code": "rate_limit_exceeded", "message": "Slow."},
        {"type": "error", "error": {"code": "rate_limit_exceeded", "message": "Slow."}},
        completed(status="failed", error={"code": "rate_limit_exceeded", "message": "Slow."}),
    ],
    ids=["flat", "nested", "failed"],
)
def test_an_error_inside_a_response(error: Any) -> None:
    ending = failed(played("openai-responses", error))
    assert (ending.failure.kind, ending.failure.message) == ("rate_limit", "Slow.")


def test_summaries_are_kept_apart() -> None:
    pieces = [
        {
            "type": "response.reasoning_summary_text.delta",
            "output_index": 0,
            "summary_index": index,
            "delta": text,
        }
        for index, text in ((0, "One"), (0, "."), (1, "Two."))
    ]
    text = '{"type":"reasoning", "id":"rs", "encrypted_content":"E=="}'
    ends = f'{{"type":"response.output_item.done","output_index":0,"item":{text}}}'
    ending = finished(played("openai-responses", *pieces, ends, completed()))
    assert ending.parts == (Reasoning(text="One.\n\nTwo.", meta={"item": text}),)


def test_a_refusal_of_a_response() -> None:
    piece = {"type": "response.refusal.delta", "output_index": 0, "delta": "No."}
    item = {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}
    ending = finished(played("openai-responses", piece, done(0, **item), completed()))
    assert ending.parts == (Text(text="No.", meta={"refusal": True}),)
    assert ending.stop_reason == "refusal"


@every("protocol", NAMES)
def test_an_unknown_protocol_is_named(protocol: str) -> None:
    assert by_name(protocol).name == protocol
    with pytest.raises(Exception, match="no wire protocol 'grpc'"):
        by_name("grpc")
