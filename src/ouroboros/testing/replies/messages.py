"""Anthropic Messages, from the server's side."""

from collections.abc import Mapping

import msgspec

from ouroboros.core.parts import Reasoning, Text, ToolCall
from ouroboros.llm.script import parts
from ouroboros.llm.turns import Fault, ScriptedUsage, pieces
from ouroboros.testing.replies.piece import (
    EVENTS,
    Asked,
    Piece,
    Refusal,
    Refused,
    Reply,
    event,
    text_of,
)

_STOPS = {
    "end": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "refusal": "refusal",
    "pause": "pause_turn",
    "overflow": "model_context_window_exceeded",
}

_NOTHING: dict[str, str] = {}


class MessagesFormat:
    """Speaks messages and their content blocks."""

    manner = EVENTS

    def read(self, body: dict[str, object]) -> Asked:
        """Counts the assistant's messages."""
        messages = msgspec.convert(body.get("messages", []), list[dict[str, object]])
        return Asked(
            model=str(body.get("model", "")),
            stream=body.get("stream") is True,
            answered=sum(1 for message in messages if message.get("role") == "assistant"),
            latest=text_of(messages[-1].get("content")) if messages else "",
        )

    def frames(self, reply: Reply, asked: Asked) -> list[Piece]:
        """Message start, blocks, message delta, message stop; one ping after the first start."""
        start = _shell(reply) | {"usage": _usage(reply.usage) | {"output_tokens": 1}}
        frames = [_piece("message_start", {"message": start})]
        for index, part in enumerate(parts(reply.played)):
            match part:
                case Text(text=text):
                    block = {"type": "text", "text": ""}
                    kind, key = "text_delta", "text"
                case Reasoning(text=text):
                    block = {"type": "thinking", "thinking": "", "signature": ""}
                    kind, key = "thinking_delta", "thinking"
                case ToolCall(id=id, name=name, arguments=text):
                    block = {"type": "tool_use", "id": id, "name": name, "input": _NOTHING}
                    kind, key = "input_json_delta", "partial_json"
                case _:
                    continue
            frames.append(_piece("content_block_start", {"index": index, "content_block": block}))
            if index == 0:
                frames.append(_piece("ping", {}))
            for piece in pieces(text, reply.played.turn.chunk):
                delta = {"index": index, "delta": {"type": kind, key: piece}}
                frames.append(_piece("content_block_delta", delta, len(piece)))
            if isinstance(part, Reasoning):
                signed = {"type": "signature_delta", "signature": _signature(reply)}
                frames.append(_piece("content_block_delta", {"index": index, "delta": signed}))
            frames.append(_piece("content_block_stop", {"index": index}))
        ending = {"stop_reason": _stop(reply), "stop_sequence": None}
        frames.append(_piece("message_delta", {"delta": ending, "usage": _usage(reply.usage)}))
        frames.append(_piece("message_stop", {}))
        return frames

    def whole(self, reply: Reply) -> dict[str, object]:
        """One message."""
        blocks: list[dict[str, object]] = []
        for part in parts(reply.played):
            match part:
                case Text(text=text):
                    blocks.append({"type": "text", "text": text})
                case Reasoning(text=text):
                    signature = _signature(reply)
                    blocks.append({"type": "thinking", "thinking": text, "signature": signature})
                case ToolCall(id=id, name=name, arguments=arguments):
                    given = msgspec.Raw(arguments.encode())
                    blocks.append({"type": "tool_use", "id": id, "name": name, "input": given})
                case _:
                    pass
        return _shell(reply) | {
            "content": blocks,
            "stop_reason": _stop(reply),
            "usage": _usage(reply.usage),
        }

    def refused(self, fault: Fault, refusal: Refusal) -> Refused:
        """Anthropic's error object."""
        error = _error(fault, refusal)
        return Refused(refusal.status, error, event(error, "error"))


def _error(fault: Fault, refusal: Refusal) -> dict[str, object]:
    error = {"type": refusal.anthropic_type, "message": fault.message or refusal.message}
    return {"type": "error", "error": error, "request_id": "req_scripted"}


def _piece(name: str, body: Mapping[str, object], characters: int = 0) -> Piece:
    return Piece(event({"type": name, **body}, name), characters)


def _signature(reply: Reply) -> str:
    return f"signature_{reply.played.number}"


def _stop(reply: Reply) -> str:
    return _STOPS.get(reply.played.turn.stop_reason, "end_turn")


def _shell(reply: Reply) -> dict[str, object]:
    return {
        "id": f"msg_{reply.played.number}",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _usage(usage: ScriptedUsage) -> dict[str, object]:
    return {
        "input_tokens": usage.input_uncached,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.output_text + usage.reasoning,
    }
