"""From bytes to typed events without a socket: every wire format, and what grows with a reply.

Usage: python -m bench.llm.decoders; it prints one JSON object: seconds of processor time for each
event of the vendor by wire format and kind of delta, and what tells of growth.
"""

import json
import sys
import time
import tracemalloc
from base64 import b64encode
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

from bench.llm.streams import Stream, make
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.protocols import by_name
from ouroboros.llm.stream import BlockGrew, Finished
from ouroboros.testing.replies.event_stream import event as aws_event

READ_BYTES = 65_536
EVENTS = 2_000
KINDS = {"thoughts": (EVENTS, 0, 0), "words": (0, EVENTS, 0), "arguments": (0, 0, EVENTS)}
"""Deltas of thoughts, words and arguments."""

_USAGE = {"inputTokens": 30, "outputTokens": 2_000, "totalTokens": 2_030}


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _fields(stream: Stream) -> Iterator[dict[str, Any]]:
    for frame in stream.frames:
        yield json.loads(frame.partition(b"data: ")[2])


def _gemini(stream: Stream) -> Iterator[bytes]:
    """Words and thoughts: a call comes whole."""

    def chunk(part: dict[str, Any] | None, **more: object) -> bytes:
        content = {"content": {"parts": [part], "role": "model"}} if part else {}
        return b"data: %b\r\n\r\n" % _json({
            "candidates": [{**content, "index": 0, **more}],
            "usageMetadata": {"promptTokenCount": 30, "totalTokenCount": 30},
            "modelVersion": "bench",
            "responseId": "resp_1",
        })

    for fields in _fields(stream):
        delta = fields.get("delta", {})
        match delta.get("type"):
            case "text_delta":
                yield chunk({"text": delta["text"]})
            case "thinking_delta":
                yield chunk({"text": delta["thinking"], "thought": True})
            case _:
                pass
    yield chunk(None, finishReason="STOP")


def _ollama(stream: Stream) -> Iterator[bytes]:
    """Words and thoughts: a call comes whole."""
    head = {"model": "bench", "created_at": "2026-01-01T00:00:00.000000Z"}
    for fields in _fields(stream):
        delta = fields.get("delta", {})
        match delta.get("type"):
            case "text_delta":
                message = {"content": delta["text"]}
            case "thinking_delta":
                message = {"content": "", "thinking": delta["thinking"]}
            case _:
                continue
        yield _json({**head, "message": {"role": "assistant", **message}, "done": False}) + b"\n"
    counts = {"prompt_eval_count": 30, "eval_count": 2_000}
    message = {"role": "assistant", "content": ""}
    ending = {"message": message, "done": True, "done_reason": "stop"}
    yield _json({**head, **ending, **counts}) + b"\n"


def _converse(stream: Stream) -> Iterator[bytes]:
    yield aws_event("messageStart", _json({"role": "assistant", "p": "abcdefgh"}))
    reason = "end_turn"
    for fields in _fields(stream):
        index = fields.get("index")
        match fields["type"]:
            case "content_block_start" if fields["content_block"]["type"] == "tool_use":
                reason = "tool_use"
                start = {"toolUse": {"toolUseId": "tooluse_1", "name": "note"}}
                payload = {"contentBlockIndex": index, "start": start}
                yield aws_event("contentBlockStart", _json(payload))
            case "content_block_delta":
                delta = _converse_delta(fields["delta"])
                payload = {"contentBlockIndex": index, "delta": delta, "p": "abcdefghijklm"}
                yield aws_event("contentBlockDelta", _json(payload))
            case "content_block_stop":
                yield aws_event("contentBlockStop", _json({"contentBlockIndex": index}))
            case _:
                pass
    yield aws_event("messageStop", _json({"stopReason": reason}))
    yield aws_event("metadata", _json({"usage": _USAGE, "metrics": {"latencyMs": 1}}))


def _converse_delta(delta: dict[str, Any]) -> dict[str, Any]:
    match delta["type"]:
        case "text_delta":
            return {"text": delta["text"]}
        case "thinking_delta":
            return {"reasoningContent": {"text": delta["thinking"]}}
        case "signature_delta":
            return {"reasoningContent": {"signature": delta["signature"]}}
        case _:
            return {"toolUse": {"input": delta["partial_json"]}}


def _invoke(stream: Stream) -> Iterator[bytes]:
    for fields in _fields(stream):
        yield aws_event("chunk", _json({"bytes": b64encode(_json(fields)).decode(), "p": "abcd"}))


_OTHERS: dict[str, tuple[str, Callable[[Stream], Iterator[bytes]]]] = {
    "gemini": ("text/event-stream", _gemini),
    "ollama-chat": ("application/x-ndjson", _ollama),
    "bedrock-converse": ("application/vnd.amazon.eventstream", _converse),
    "bedrock-invoke-stream": ("application/vnd.amazon.eventstream", _invoke),
}
_FIRST = {"openai-chat": "chat", "openai-responses": "responses", "anthropic-messages": "messages"}
WIRES = (*_FIRST, *_OTHERS)
WHOLE_CALLS = ("gemini", "ollama-chat")


def stream_of(name: str, deltas: tuple[int, int, int]) -> Stream:
    """A reply in a wire format; those without a generator of their own follow Anthropic's."""
    if name in _FIRST:
        return make(_FIRST[name], *deltas)
    kind, retold = _OTHERS[name]
    origin = make("messages", *deltas)
    return Stream(name, list(retold(origin)), origin.characters, kind)


def decode(name: str, stream: Stream, body: bytes) -> int:
    """Reads it as it comes from sockets, and counts the characters told; it must end well."""
    protocol = by_name(name)
    framing = protocol.framing(stream.content_type)
    assert framing is not None
    decoder = protocol.start(Dialect())
    characters, has_finished = 0, False
    for place in range(0, len(body), READ_BYTES):
        for frame in framing.feed(body[place : place + READ_BYTES]):
            for event in decoder.step(frame):
                if isinstance(event, BlockGrew):
                    characters += len(event.text)
                has_finished = has_finished or isinstance(event, Finished)
    has_finished = has_finished or any(isinstance(one, Finished) for one in decoder.finish())
    assert has_finished, f"{name} has not finished"
    return characters


def cost(name: str, deltas: tuple[int, int, int], rounds: int = 7) -> float:
    """Seconds of processor time for each event; the median of some rounds."""
    stream = stream_of(name, deltas)
    body = b"".join(stream.frames) + stream.tail
    found: list[float] = []
    for _ in range(rounds):
        began = time.thread_time()
        heard = decode(name, stream, body)
        found.append((time.thread_time() - began) / stream.events)
        assert heard >= stream.characters, f"{name}: {heard} of {stream.characters} characters"
    return median(found)


def growth(name: str) -> dict[str, float]:
    """What twice the events, and ten times the text, cost more than they should."""
    single, double = (_memory(name, events) for events in (10_000, 20_000))
    return {
        "bytes_per_event": (double - single) / 10_000,
        "long_over_short": _long(name, 25_000_000) / (10 * _long(name, 2_500_000)),
    }


def _memory(name: str, events: int) -> int:
    """The most that reading a reply holds at a time, its bytes not counted."""
    stream = stream_of(name, (0, events, 0))
    body = b"".join(stream.frames) + stream.tail
    decode(name, stream, body)
    tracemalloc.start()
    decode(name, stream, body)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def _long(name: str, characters: int) -> float:
    """Seconds for a reply of so many characters, ten thousand an event; the least of three."""
    short = stream_of(name, (0, 10, 0))
    place = next(number for number, frame in enumerate(short.frames) if b'"fox "' in frame)
    frame = short.frames[place].replace(b'"fox "', b'"%b"' % (b"f" * 10_000))
    frames = [
        *short.frames[:place],
        *[frame] * (characters // 10_000),
        *short.frames[place:],
    ]
    body = b"".join(frames) + short.tail
    found: list[float] = []
    for _ in range(3):
        began = time.thread_time()
        assert decode(name, short, body) >= characters
        found.append(time.thread_time() - began)
    return min(found)


def main() -> None:
    """Measures and prints."""
    costs = {
        name: {
            kind: cost(name, deltas)
            for kind, deltas in KINDS.items()
            if kind != "arguments" or name not in WHOLE_CALLS
        }
        for name in WIRES
    }
    json.dump({"costs": costs, "growth": {name: growth(name) for name in _FIRST}}, sys.stdout)


if __name__ == "__main__":
    main()
