"""OpenAI Chat Completions, from the server's side."""

import msgspec

from ouroboros.core.parts import ToolCall
from ouroboros.llm.script import deltas, parts
from ouroboros.llm.stream import BlockGrew, BlockStarted
from ouroboros.llm.turns import Fault, ScriptedUsage
from ouroboros.testing.replies.piece import (
    EVENTS,
    Asked,
    Piece,
    Refusal,
    Refused,
    Reply,
    event,
    openai_error,
    text_of,
)

_STOPS = {
    "end": "stop",
    "tool_calls": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
}


class ChatFormat:
    """Speaks chat.completion and its chunks."""

    manner = EVENTS

    def read(self, body: dict[str, object]) -> Asked:
        """Counts the assistant's messages."""
        messages = msgspec.convert(body.get("messages", []), list[dict[str, object]])
        options = msgspec.convert(body.get("stream_options") or {}, dict[str, object])
        return Asked(
            model=str(body.get("model", "")),
            stream=body.get("stream") is True,
            answered=sum(1 for message in messages if message.get("role") == "assistant"),
            latest=text_of(messages[-1].get("content")) if messages else "",
            wants_usage=options.get("include_usage") is True,
        )

    def frames(self, reply: Reply, asked: Asked) -> list[Piece]:
        """Chunks, the usage in a chunk of its own, then the end mark."""
        chunks = [Piece(self._chunk(reply, {"role": "assistant", "content": ""}))]
        index = -1
        for delta in deltas(reply.played):
            match delta:
                case BlockStarted(kind="call", name=name):
                    index += 1
                    function = {"name": name, "arguments": ""}
                    call = {"index": index, "id": reply.played.call_id(index), "type": "function"}
                    chunk = self._chunk(reply, {"tool_calls": [call | {"function": function}]})
                    chunks.append(Piece(chunk))
                case BlockGrew(kind="call", text=text):
                    call = {"index": index, "function": {"arguments": text}}
                    chunks.append(Piece(self._chunk(reply, {"tool_calls": [call]}), len(text)))
                case BlockGrew(kind=kind, text=text):
                    name = "content" if kind == "text" else "reasoning_content"
                    chunks.append(Piece(self._chunk(reply, {name: text}), len(text)))
                case _:
                    pass
        chunks.append(Piece(self._chunk(reply, {}, _stop(reply))))
        if asked.wants_usage:
            ending: dict[str, object] = {"choices": [], "usage": _usage(reply.usage)}
            shell = self._shell(reply, "chat.completion.chunk")
            chunks.append(Piece(event(shell | ending)))
        chunks.append(Piece(b"data: [DONE]\n\n"))
        return chunks

    def whole(self, reply: Reply) -> dict[str, object]:
        """One chat.completion."""
        turn = reply.played.turn
        message: dict[str, object] = {"role": "assistant", "content": turn.text or None}
        if turn.reasoning:
            message["reasoning_content"] = turn.reasoning
        calls = [part for part in parts(reply.played) if isinstance(part, ToolCall)]
        if calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in calls
            ]
        choice = {"index": 0, "message": message, "finish_reason": _stop(reply)}
        shell = self._shell(reply, "chat.completion")
        return shell | {"choices": [choice], "usage": _usage(reply.usage)}

    def refused(self, fault: Fault, refusal: Refusal) -> Refused:
        """OpenAI's error object."""
        error = openai_error(fault, refusal)
        return Refused(refusal.status, error, event(error))

    def _shell(self, reply: Reply, kind: str) -> dict[str, object]:
        return {
            "id": f"chatcmpl_{reply.played.number}",
            "object": kind,
            "created": 0,
            "model": reply.model,
        }

    def _chunk(self, reply: Reply, delta: dict[str, object], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return event(self._shell(reply, "chat.completion.chunk") | {"choices": [choice]})


def _stop(reply: Reply) -> str:
    return _STOPS.get(reply.played.turn.stop_reason, "stop")


def _usage(usage: ScriptedUsage) -> dict[str, object]:
    prompt = usage.input_uncached + usage.cache_read + usage.cache_write
    completion = usage.output_text + usage.reasoning
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read,
            "cache_write_tokens": usage.cache_write,
        },
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }
