"""Ollama's own format, from the server's side: one JSON object per line."""

import msgspec

from ouroboros.core.parts import Part, Reasoning, Text, ToolCall
from ouroboros.llm.script import parts
from ouroboros.llm.turns import Fault, ScriptedUsage, pieces
from ouroboros.testing.replies.piece import (
    Asked,
    Manner,
    Piece,
    Refusal,
    Refused,
    Reply,
    is_object,
    text_of,
)

_ERRORS: dict[str, tuple[int, str]] = {
    "auth": (401, "unauthorized"),
    "rate_limit": (429, "too many requests"),
    "overloaded": (503, "server busy, please try again. maximum pending requests exceeded"),
    "context_overflow": (400, "the prompt is too long; it exceeds the available context size"),
    "model_not_found": (404, 'model "m" not found, try pulling it first'),
}


class OllamaFormat:
    """Speaks the objects of ``/api/chat``."""

    manner = Manner("application/x-ndjson", b"{not json\n\x00\x01\n")

    def read(self, body: dict[str, object]) -> Asked:
        """Counts the assistant's messages; it streams unless told not to."""
        messages = msgspec.convert(body.get("messages", []), list[dict[str, object]])
        return Asked(
            model=str(body.get("model", "")),
            stream=body.get("stream") is not False,
            answered=sum(1 for message in messages if message.get("role") == "assistant"),
            latest=text_of(messages[-1].get("content")) if messages else "",
        )

    def frames(self, reply: Reply, asked: Asked) -> list[Piece]:
        """A line for each piece of text, one for each call, one for the end."""
        lines: list[Piece] = []
        for part in parts(reply.played):
            if isinstance(part, ToolCall) and not is_object(part.arguments):
                lines.append(Piece(_line(_unparsed(part))))
                return lines
            lines += _lines(reply, part)
        lines.append(Piece(_line(_shell(reply, {"content": ""}) | _ending(reply))))
        return lines

    def whole(self, reply: Reply) -> dict[str, object]:
        """One object with everything."""
        turn = reply.played.turn
        message: dict[str, object] = {"content": turn.text}
        if turn.reasoning:
            message["thinking"] = turn.reasoning
        calls = [part for part in parts(reply.played) if isinstance(part, ToolCall)]
        if calls:
            message["tool_calls"] = [_call(call) for call in calls]
        return _shell(reply, message) | _ending(reply)

    def refused(self, fault: Fault, refusal: Refusal) -> Refused:
        """A bare message."""
        error = _error(fault, refusal)
        return Refused(_ERRORS.get(fault.kind, (refusal.status, ""))[0], error, _line(error))


def _lines(reply: Reply, part: Part) -> list[Piece]:
    size = reply.played.turn.chunk
    match part:
        case Text(text=text):
            said = [({"content": piece}, len(piece)) for piece in pieces(text, size)]
        case Reasoning(text=text):
            said = [
                ({"content": "", "thinking": piece}, len(piece)) for piece in pieces(text, size)
            ]
        case ToolCall(arguments=arguments):
            call: dict[str, object] = {"content": "", "tool_calls": [_call(part)]}
            return [Piece(_line(_shell(reply, call) | {"done": False}), len(arguments))]
        case _:
            return []
    return [
        Piece(_line(_shell(reply, dict(message)) | {"done": False}), count)
        for message, count in said
    ]


def _line(value: dict[str, object]) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def _call(call: ToolCall) -> dict[str, object]:
    given = msgspec.Raw(call.arguments.encode() if is_object(call.arguments) else b"{}")
    return {"function": {"name": call.name, "arguments": given}}


def _shell(reply: Reply, message: dict[str, object]) -> dict[str, object]:
    return {
        "model": reply.model,
        "created_at": "2026-01-02T03:04:05.678901Z",
        "message": {"role": "assistant"} | message,
    }


def _ending(reply: Reply) -> dict[str, object]:
    reason = "length" if reply.played.turn.stop_reason == "length" else "stop"
    return {"done": True, "done_reason": reason, "total_duration": 1000} | _usage(reply.usage)


def _usage(usage: ScriptedUsage) -> dict[str, object]:
    return {
        "prompt_eval_count": usage.input_uncached + usage.cache_read + usage.cache_write,
        "prompt_eval_duration": 1000,
        "eval_count": usage.output_text + usage.reasoning,
        "eval_duration": 1000,
    }


def _unparsed(call: ToolCall) -> dict[str, object]:
    reason = "unexpected end of JSON input"
    return {"error": f"error parsing tool call: raw='{call.arguments}', err={reason}"}


def _error(fault: Fault, refusal: Refusal) -> dict[str, object]:
    worded = _ERRORS.get(fault.kind, (0, ""))[1]
    return {"error": fault.message or worded or refusal.message}
