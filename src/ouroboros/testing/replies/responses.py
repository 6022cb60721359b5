"""OpenAI Responses, from the server's side."""

import msgspec

from ouroboros.core.parts import Part, Reasoning, Text, ToolCall
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
    openai_error,
    text_of,
)


class ResponsesFormat:
    """Speaks response objects and their events.

    A tool that the request offered as custom is called with its text instead of JSON.
    """

    manner = EVENTS

    def __init__(self) -> None:
        """For one request."""
        self._custom: frozenset[str] = frozenset()

    def read(self, body: dict[str, object]) -> Asked:
        """Counts runs of items that a model made."""
        tools = msgspec.convert(body.get("tools") or [], list[dict[str, object]])
        self._custom = frozenset(
            str(tool.get("name")) for tool in tools if tool.get("type") == "custom"
        )
        given = body.get("input", [])
        items = (
            [{"role": "user", "content": given}]
            if isinstance(given, str)
            else msgspec.convert(given, list[dict[str, object]])
        )
        answered, before = 0, False
        for item in items:
            made = item.get("role") == "assistant" or item.get("type") in {
                "function_call",
                "custom_tool_call",
                "reasoning",
            }
            answered += made and not before
            before = made
        return Asked(
            model=str(body.get("model", "")),
            stream=body.get("stream") is True,
            answered=answered,
            latest=text_of(dict(items[-1])) if items else "",
        )

    def frames(self, reply: Reply, asked: Asked) -> list[Piece]:
        """Created, each item from added to done, completed."""
        made = _Frames()
        opened = _shell(reply, "in_progress", [])
        made.add("response.created", {"response": opened})
        made.add("response.in_progress", {"response": opened})
        for index, part in enumerate(parts(reply.played)):
            self._tell(made, reply, index, part)
        final = self.whole(reply)
        made.add(f"response.{final['status']}", {"response": final})
        return made.pieces

    def whole(self, reply: Reply) -> dict[str, object]:
        """One response."""
        output = [self._done(reply, index, part) for index, part in enumerate(parts(reply.played))]
        cut = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(
            reply.played.turn.stop_reason
        )
        shell = _shell(reply, "incomplete" if cut else "completed", output)
        return shell | {
            "incomplete_details": {"reason": cut} if cut else None,
            "usage": _usage(reply.usage),
        }

    def refused(self, fault: Fault, refusal: Refusal) -> Refused:
        """OpenAI's error object, or an event that says the same."""
        body: dict[str, object] = {
            "type": "error",
            "code": refusal.openai_code or refusal.openai_type,
            "message": fault.message or refusal.message,
            "param": None,
            "sequence_number": 0,
        }
        return Refused(refusal.status, openai_error(fault, refusal), event(body, "error"))

    def _done(self, reply: Reply, index: int, part: Part) -> dict[str, object]:
        """One item of the output, complete."""
        if isinstance(part, ToolCall) and part.name in self._custom:
            text = _plain(part.arguments)
            if text is not None:
                return _custom_item(reply, index, part, text)
        return _item(reply, index, part)

    def _tell(self, made: "_Frames", reply: Reply, index: int, part: Part) -> None:
        item = self._done(reply, index, part)
        place: dict[str, object] = {"item_id": item["id"], "output_index": index}
        size = reply.played.turn.chunk
        bare: dict[str, object] = {
            "content": [],
            "summary": [],
            "arguments": "",
            "input": "",
            "encrypted_content": None,
        }
        opened = {key: bare.get(key, value) for key, value in item.items()}
        made.add(
            "response.output_item.added",
            {"output_index": index, "item": opened | {"status": "in_progress"}},
        )
        match part:
            case Text(text=text):
                place |= {"content_index": 0}
                made.add("response.content_part.added", place | {"part": _words("")})
                for piece in pieces(text, size):
                    made.add("response.output_text.delta", place | {"delta": piece}, len(piece))
                made.add("response.output_text.done", place | {"text": text})
                made.add("response.content_part.done", place | {"part": _words(text)})
            case Reasoning(text=text):
                place |= {"summary_index": 0}
                summary = {"type": "summary_text", "text": ""}
                made.add("response.reasoning_summary_part.added", place | {"part": summary})
                for piece in pieces(text, size):
                    made.add(
                        "response.reasoning_summary_text.delta",
                        place | {"delta": piece},
                        len(piece),
                    )
                made.add("response.reasoning_summary_text.done", place | {"text": text})
            case ToolCall():
                field = "input" if "input" in item else "arguments"
                kind = "custom_tool_call" if field == "input" else "function_call"
                told = str(item[field])
                for piece in pieces(told, size):
                    made.add(f"response.{kind}_{field}.delta", place | {"delta": piece}, len(piece))
                made.add(f"response.{kind}_{field}.done", place | {field: told})
            case _:
                pass
        made.add("response.output_item.done", {"output_index": index, "item": item})


class _Frames:
    """Numbers the events of one stream."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []

    def add(self, name: str, body: dict[str, object], characters: int = 0) -> None:
        """Appends one event."""
        numbered = {"type": name, "sequence_number": len(self.pieces)} | body
        self.pieces.append(Piece(event(numbered, name), characters))


def _words(text: str) -> dict[str, object]:
    return {"type": "output_text", "text": text, "annotations": []}


def _item(reply: Reply, index: int, part: Part) -> dict[str, object]:
    name = f"{reply.played.number}_{index}"
    match part:
        case Reasoning(text=text):
            return {
                "id": f"rs_{name}",
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": text}],
                "encrypted_content": f"opaque_{name}",
            }
        case ToolCall(id=id, name=tool, arguments=arguments):
            return {
                "id": f"fc_{name}",
                "type": "function_call",
                "status": "completed",
                "arguments": arguments,
                "call_id": id,
                "name": tool,
            }
        case _:
            return {
                "id": f"msg_{name}",
                "type": "message",
                "status": "completed",
                "role": "assistant",
                "content": [_words(part.text if isinstance(part, Text) else "")],
            }


def _custom_item(reply: Reply, index: int, call: ToolCall, text: str) -> dict[str, object]:
    return {
        "id": f"ctc_{reply.played.number}_{index}",
        "type": "custom_tool_call",
        "status": "completed",
        "call_id": call.id,
        "name": call.name,
        "input": text,
    }


def _plain(arguments: str) -> str | None:
    """What a script gives to a custom tool: text as it stands, or the one text of an object."""
    try:
        values = list(msgspec.json.decode(arguments, type=dict[str, object]).values())
    except (msgspec.DecodeError, msgspec.ValidationError):
        return arguments
    only = values[0] if len(values) == 1 else None
    return only if isinstance(only, str) else None


def _shell(reply: Reply, status: str, output: list[dict[str, object]]) -> dict[str, object]:
    return {
        "id": f"resp_{reply.played.number}",
        "object": "response",
        "created_at": 0,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": reply.model,
        "output": output,
        "usage": None,
    }


def _usage(usage: ScriptedUsage) -> dict[str, object]:
    asked = usage.input_uncached + usage.cache_read + usage.cache_write
    said = usage.output_text + usage.reasoning
    return {
        "input_tokens": asked,
        "input_tokens_details": {
            "cached_tokens": usage.cache_read,
            "cache_write_tokens": usage.cache_write,
        },
        "output_tokens": said,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": asked + said,
    }
