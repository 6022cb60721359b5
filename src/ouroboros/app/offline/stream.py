"""Verbs that need no network: what our decoders make of a recorded exchange."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import cast

import msgspec
from msgspec import Struct, field

from ouroboros.core.errors import Failure, ModelFailed, OuroborosError
from ouroboros.core.parts import Foreign, Part, Reasoning, Text, ToolCall, Usage
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.fields import Fields, child, integer, parse, string
from ouroboros.llm.framing import Frame
from ouroboros.llm.lifecycle import Trace
from ouroboros.llm.protocols import Decoder, Protocol, by_name
from ouroboros.llm.stream import Failed, Finished, StreamEvent

_KINDS = {
    "sse": "text/event-stream",
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "base64-eventstream": "application/vnd.amazon.eventstream",
}
"""How a recorded stream is written down, and the content type it had; a JSON list is one too."""


class Unusable(OuroborosError):
    """A file that holds no exchange we can decode."""


class Call(Struct, kw_only=True, omit_defaults=True):
    """A call as the vendor made it; ``server`` marks one that the vendor runs itself.

    ``id`` is None where the vendor gave none. Arguments that came value by value are ``pieced``
    together; then ``arguments`` is what came whole besides.
    """

    id: str | None
    name: str
    arguments: object
    server: bool = False
    pieced: object = None


class Facts(Struct, kw_only=True):
    """What a reply says; ``usage`` is ours, ``raw_usage`` and ``error`` are the vendor's."""

    text: str = ""
    reasoning: str = ""
    tool_calls: list[Call] = field(default_factory=list[Call])
    raw_stop_reason: str | int | None = None
    raw_usage: Fields | None = None
    error: object = None
    stop_reason: str | None = None
    failure: str | None = None
    usage: Usage | None = None


class Exchange(Struct, kw_only=True):
    """A decoded exchange."""

    id: str
    facts: Facts


def decode_exchange(raw: bytes) -> Exchange:
    """Decodes one recorded exchange, or raises ``Unusable``."""
    record = parse(raw)
    if record is None:
        raise Unusable("The file is not a JSON object.")
    name, encoding = string(record, "protocol"), string(record, "encoding")
    if not name:
        is_tape = "exchanges" in record
        other = (
            "It was made by --record; `ouro run --replay FILE TASK` plays it." if is_tape else ""
        )
        raise Unusable(f"The file names no protocol. {other}".rstrip())
    try:
        protocol = by_name(name)
    except OuroborosError as error:
        raise Unusable(error.message) from error
    body = record.get("response_body")
    status = integer(record, "status") or 200
    if (raw_bytes := _streamed(encoding, body)) is not None:
        facts = facts_of_bytes(protocol, raw_bytes, _KINDS[encoding])
    elif encoding == "json" and body is not None:
        facts = _facts_of_body(protocol, status, record, body)
    else:
        raise Unusable(f"A response body with encoding {encoding!r} cannot be read.")
    return Exchange(id=string(record, "id"), facts=facts)


def debug_stream(paths: Sequence[Path], write: Callable[[str], None]) -> int:
    """Writes one JSON line for each recorded exchange; 1 if one of them cannot be used."""
    exit_code = 0
    for path in paths:
        try:
            line: object = decode_exchange(path.read_bytes())
        except Unusable as error:
            exit_code, line = 1, {"id": path.name, "error": error.message}
        except OSError as error:
            reason = error.strerror or "it cannot be opened"
            exit_code, line = 1, {"id": path.name, "error": f"The file cannot be read: {reason}."}
        write(msgspec.json.encode(line).decode())
    return exit_code


def encode_text(text: str) -> bytes:
    """Recorded text as the bytes it was."""
    return text.encode("utf-8", "replace")


def facts_of_bytes(protocol: Protocol, raw: bytes, kind: str, cuts: Sequence[int] = ()) -> Facts:
    """What a stream of this content type says, when its bytes arrive in pieces ending at ``cuts``."""
    framing = protocol.framing(kind)
    if framing is None:
        return _facts_of_reply(protocol, raw)
    frames: list[Frame] = []
    failure: Failure | None = None
    try:
        for start, end in pairwise((0, *sorted(cuts), len(raw))):
            frames += framing.feed(raw[start:end])
        frames += framing.end()
    except ModelFailed as error:
        failure = error.failure
    return facts_of_frames(protocol, frames, failure)


def facts_of_frames(
    protocol: Protocol, frames: Sequence[Frame], failure: Failure | None = None
) -> Facts:
    """What a stream says; a recording may hold several replies, one after the other.

    ``failure`` is how the bytes after these frames went wrong.
    """
    facts = Facts()
    decoder = protocol.start(Dialect())
    events: list[StreamEvent] = []
    for frame in frames:
        if decoder.reply.is_over and _is_opening(frame):
            facts = _gather(facts, decoder, events, protocol)
            decoder, events = protocol.start(Dialect()), []
        events += decoder.step(frame)
    if failure is not None:
        decoder.reply.fail(failure)
        events += decoder.reply.take()
    events += decoder.finish()
    return _gather(facts, decoder, events, protocol)


def _streamed(encoding: str, body: object) -> bytes | None:
    """The bytes of a recorded stream, or None if it is a whole reply or cannot be read."""
    if encoding not in _KINDS:
        return None
    if isinstance(body, list) and encoding == "json":
        return msgspec.json.encode(cast("list[object]", body))
    if not isinstance(body, str) or encoding == "json":
        return None
    if encoding != "base64-eventstream":
        return encode_text(body)
    import base64
    import binascii

    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Unusable("The response body is not base64.") from error


def _is_opening(frame: Frame) -> bool:
    kind = (parse(frame.data) or {}).get("type")
    return kind in ("response.created", "message_start")


def _gather(
    earlier: Facts, decoder: Decoder, events: Sequence[StreamEvent], protocol: Protocol
) -> Facts:
    facts = _facts(events, decoder.reply.trace)
    if protocol.name == "anthropic-messages":
        # Messages that follow each other continue one turn; a response stands for itself.
        facts.text = earlier.text + facts.text
        facts.reasoning = earlier.reasoning + facts.reasoning
        facts.tool_calls = earlier.tool_calls + facts.tool_calls
    return facts


def _facts_of_body(protocol: Protocol, status: int, record: Fields, body: object) -> Facts:
    if status < 400:
        return _facts_of_reply(protocol, msgspec.json.encode(body))
    from ouroboros.llm.failures import classify, error_of

    headers = {key: str(value) for key, value in child(record, "headers").items()}
    failure = classify(status, headers, body, now=0.0, vendor=string(record, "provider"))
    return Facts(error=error_of(body) or body, failure=failure.kind)


def _facts_of_reply(protocol: Protocol, body: bytes) -> Facts:
    decoder = protocol.start(Dialect())
    events = decoder.read(body)
    return _facts(events, decoder.reply.trace)


def _facts(events: Sequence[StreamEvent], trace: Trace) -> Facts:
    stop = trace.stop_reason if trace.stop_number is None else trace.stop_number
    facts = Facts(raw_stop_reason=stop, raw_usage=trace.usage, error=trace.error)
    for event in events:
        if isinstance(event, Finished | Failed):
            _add_parts(facts, event.parts, trace)
            facts.usage = event.usage
            if isinstance(event, Finished):
                facts.stop_reason = event.stop_reason
            else:
                facts.failure = event.failure.kind
    return facts


def _add_parts(facts: Facts, parts: Sequence[Part], trace: Trace) -> None:
    for part in parts:
        match part:
            case Text(text=text) if not part.meta.get("refusal"):
                facts.text += text
            case Reasoning(text=text):
                facts.reasoning += text
            case ToolCall():
                facts.tool_calls.append(_call(part, trace))
            case Foreign() if part.kind == "toolUse":
                block = child(parse(part.content) or {}, "toolUse")
                facts.tool_calls.append(
                    Call(
                        id=string(block, "toolUseId"),
                        name=string(block, "name"),
                        arguments=child(block, "input"),
                    )
                )
            case Foreign() if part.kind in {"server_tool_use", "mcp_tool_use"}:
                block = parse(part.content) or {}
                facts.tool_calls.append(
                    Call(
                        id=string(block, "id"),
                        name=string(block, "name"),
                        arguments=child(block, "input"),
                        server=True,
                    )
                )
            case _:
                pass


def _call(call: ToolCall, trace: Trace) -> Call:
    arguments: object = parse(call.arguments)
    if arguments is None:
        arguments = call.arguments
    made = Call(
        id=None if call.id in trace.minted else call.id, name=call.name, arguments=arguments
    )
    if call.id in trace.pieced:
        made.arguments, made.pieced = {}, arguments
    return made
