"""Bedrock Converse, from the server's side: events in binary messages."""

from typing import cast

import msgspec

from ouroboros.core.parts import Part, Reasoning, Text, ToolCall
from ouroboros.llm.script import parts
from ouroboros.llm.turns import Fault, ScriptedUsage, pieces
from ouroboros.testing.replies import event_stream
from ouroboros.testing.replies.piece import Asked, Manner, Piece, Refusal, Refused, Reply, text_of
from ouroboros.testing.replies.target import Target

type Event = tuple[str, dict[str, object], int]

_STOPS = {
    "end": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "content_filtered",
    "refusal": "content_filtered",
    "overflow": "model_context_window_exceeded",
}

_ERRORS: dict[str, tuple[int, str, str]] = {
    "auth": (403, "UnrecognizedClientException", "The security token is invalid."),
    "permission": (403, "AccessDeniedException", ""),
    "quota": (400, "ServiceQuotaExceededException", ""),
    "rate_limit": (429, "ThrottlingException", "Too many requests, please wait."),
    "overloaded": (503, "ServiceUnavailableException", ""),
    "timeout": (408, "ModelTimeoutException", ""),
    "server": (500, "InternalServerException", ""),
    "transport": (424, "ModelErrorException", ""),
    "context_overflow": (400, "ValidationException", "Input is too long for requested model."),
    "model_not_found": (404, "ResourceNotFoundException", ""),
}


MANNER = Manner("application/vnd.amazon.eventstream", event_stream.GARBAGE)


class ConverseFormat:
    """Speaks ConverseStream and Converse."""

    manner = MANNER

    def __init__(self, target: Target) -> None:
        """The model stands in the address."""
        self._model = target.model
        self._streams = target.verb == "converse-stream"

    def read(self, body: dict[str, object]) -> Asked:
        """Counts the assistant's messages."""
        messages = msgspec.convert(body.get("messages", []), list[dict[str, object]])
        return Asked(
            model=self._model,
            stream=self._streams,
            answered=sum(1 for message in messages if message.get("role") == "assistant"),
            latest=text_of(messages[-1].get("content")) if messages else "",
        )

    def frames(self, reply: Reply, asked: Asked) -> list[Piece]:
        """Start, blocks, stop, and the counts last of all."""
        return [
            Piece(event_stream.event(kind, padded(body)), characters)
            for kind, body, characters in events(reply)
        ]

    def whole(self, reply: Reply) -> dict[str, object]:
        """One Converse answer."""
        content = [block for part in parts(reply.played) for block in _block(reply, part)]
        return {
            "output": {"message": {"role": "assistant", "content": content}},
            "stopReason": _stop(reply),
            "usage": usage_of(reply.usage),
            "metrics": {"latencyMs": 1},
        }

    def refused(self, fault: Fault, refusal: Refusal) -> Refused:
        """A message; what kind of error it is stands in a header."""
        return refused(fault, refusal)


def events(reply: Reply) -> list[Event]:
    """The events of a reply, and the characters of the turn in each."""
    made: list[Event] = [("messageStart", {"role": "assistant"}, 0)]
    for index, part in enumerate(parts(reply.played)):
        place: dict[str, object] = {"contentBlockIndex": index}
        if isinstance(part, ToolCall):
            start = {"toolUse": {"toolUseId": part.id, "name": part.name}}
            made.append(("contentBlockStart", {"start": start} | place, 0))
        for delta, characters in _deltas(reply, part):
            made.append(("contentBlockDelta", {"delta": delta} | place, characters))
        made.append(("contentBlockStop", place, 0))
    made.append(("messageStop", {"stopReason": _stop(reply)}, 0))
    counts: dict[str, object] = {"usage": usage_of(reply.usage), "metrics": {"latencyMs": 1}}
    made.append(("metadata", counts, 0))
    return made


def padded(body: dict[str, object]) -> bytes:
    """The payload with the padding that AWS adds."""
    return msgspec.json.encode(body | {"p": "abcdefghijkl"})


def refused(fault: Fault, refusal: Refusal) -> Refused:
    """A message; what kind of error it is stands in a header, in lower case in a stream."""
    status, kind, message = _error(fault, refusal)
    namespace = "http://internal.amazon.com/coral/com.amazon.bedrock/"
    body = {"message": message}
    frame = event_stream.exception(kind[0].lower() + kind[1:], msgspec.json.encode(body))
    return Refused(status, body, frame, {"x-amzn-errortype": f"{kind}:{namespace}"})


def usage_of(usage: ScriptedUsage) -> dict[str, object]:
    """Counts that leave out what came from the cache."""
    said = usage.output_text + usage.reasoning
    return {
        "inputTokens": usage.input_uncached,
        "outputTokens": said,
        "cacheReadInputTokens": usage.cache_read,
        "cacheWriteInputTokens": usage.cache_write,
        "totalTokens": usage.input_uncached + usage.cache_read + usage.cache_write + said,
    }


def _error(fault: Fault, refusal: Refusal) -> tuple[int, str, str]:
    usual = (400, "ValidationException", "")
    status, kind, message = _ERRORS.get(fault.kind, usual)
    return status, kind, fault.message or message or refusal.message


def _deltas(reply: Reply, part: Part) -> list[tuple[dict[str, object], int]]:
    size = reply.played.turn.chunk
    match part:
        case Text(text=text):
            return [({"text": piece}, len(piece)) for piece in pieces(text, size)]
        case Reasoning(text=text):
            thoughts: list[tuple[dict[str, object], int]] = [
                ({"reasoningContent": {"text": piece}}, len(piece)) for piece in pieces(text, size)
            ]
            return [*thoughts, ({"reasoningContent": {"signature": _signature(reply)}}, 0)]
        case ToolCall(arguments=arguments):
            return [
                ({"toolUse": {"input": piece}}, len(piece)) for piece in pieces(arguments, size)
            ]
        case _:
            return []


def _block(reply: Reply, part: Part) -> list[dict[str, object]]:
    match part:
        case Text(text=text):
            return [{"text": text}]
        case Reasoning(text=text):
            said = {"text": text, "signature": _signature(reply)}
            return [{"reasoningContent": {"reasoningText": said}}]
        case ToolCall(id=id, name=name, arguments=arguments):
            given = cast("object", msgspec.Raw(arguments.encode()))
            return [{"toolUse": {"toolUseId": id, "name": name, "input": given}}]
        case _:
            return []


def _signature(reply: Reply) -> str:
    return f"signature_{reply.played.number}"


def _stop(reply: Reply) -> str:
    return _STOPS.get(reply.played.turn.stop_reason, "end_turn")
