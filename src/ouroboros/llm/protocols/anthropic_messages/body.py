"""Requests for messages."""

from collections.abc import Sequence

import msgspec

from ouroboros.core.parts import (
    Foreign,
    Media,
    Message,
    Origin,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.fields import Fields, child
from ouroboros.llm.protocols.cache_marks import MARK, marked_fragments
from ouroboros.llm.protocols.encoding import (
    call_id,
    encode_body,
    encode_items,
    left_out,
    may_think,
    raw,
    service_tier,
    whole_arguments,
)
from ouroboros.llm.protocols.protocol import BodyCache, Unit, results_in_order
from ouroboros.llm.request import Request

_BUDGETS = {"minimal": 1_024, "low": 4_096, "medium": 10_240, "high": 16_384}
_LARGEST_BUDGET = 32_768
_SMALLEST_BUDGET = 1_024
_ANY_SCHEMA = '{"type":"object"}'
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


def build(request: Request, dialect: Dialect, origin: Origin, cache: BodyCache) -> bytes:
    """The body, with cache marks on the last tool, the last system text and the latest message.

    The marks on messages move: prefixes are equal once marks are taken out.
    """
    return encode_body(
        _shown(head(request, dialect, origin)),
        "messages",
        history(request, dialect, origin, cache),
        dialect,
    )


def history(
    request: Request, dialect: Dialect, origin: Origin, cache: BodyCache
) -> Sequence[bytes]:
    """The messages, each as JSON."""
    encode = _History(origin)
    fragments = cache.encode(
        request.messages, ("anthropic-messages", dialect, origin), encode.encode
    )
    return marked_fragments(fragments, request.messages, encode.encode_marked)


def head(request: Request, dialect: Dialect, origin: Origin) -> Fields:
    """All members but the messages."""
    limit = request.max_output_tokens or dialect.default_max_output_tokens
    thinking = thinking_of(request, limit, dialect, origin)
    found: Fields = {"model": request.model, "max_tokens": limit, "stream": request.stream}
    if request.temperature is not None and not thinking:
        found["temperature"] = request.temperature
    found.update(thinking)
    found.update(service_tier(request, dialect))
    if tools := request.tools or _tools_used(request):
        choice = {"required": "any"}.get(request.tool_choice, request.tool_choice)
        # A model that thinks cannot be forced to call, and some never can.
        is_free = not thinking and dialect.tool_choice_required_word
        kind = "auto" if choice == "any" and not is_free else choice
        found["tool_choice"] = {"type": kind if request.tools else "none"}
        found["tools"] = _marked([*map(_tool, tools), *_search(request, dialect)])
    if pieces := [_text(piece) for piece in request.system if piece.strip()]:
        found["system"] = _marked(pieces)
    return found


def _search(request: Request, dialect: Dialect) -> list[Fields]:
    """The vendor's own search; it knows no cached one."""
    if request.web_search != "live" or dialect.hosted_search == "none" or not request.tools:
        return []
    return [{"type": "web_search_20250305", "name": "web_search", "max_uses": 8}]


def _tool(tool: ToolSpec) -> Fields:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": raw(tool.schema),
    }


def _tools_used(request: Request) -> tuple[ToolSpec, ...]:
    """Tools of a history that is sent without any: the API refuses calls of tools it is not told."""
    names = {call.name: None for message in request.messages for call in message.calls}
    return tuple(ToolSpec(name=name, description="", schema=_ANY_SCHEMA) for name in names)


def thinking_of(request: Request, limit: int, dialect: Dialect, origin: Origin) -> Fields:
    """The members that ask a Claude to think, or not to, in either of its two ways."""
    effort = request.effort
    if effort is None or dialect.effort_style == "none":
        return {}
    if effort == "none" and dialect.effort_none != "low":
        return {"thinking": {"type": dialect.effort_none}} if dialect.effort_none else {}
    if dialect.effort_style == "budget":
        # The budget is part of the limit; a quarter stays for the answer.
        budget = min(_BUDGETS.get(effort, _LARGEST_BUDGET), limit * 3 // 4)
        if budget < _SMALLEST_BUDGET or not may_think(request, origin):
            return {}
        return {"thinking": {"type": "enabled", "budget_tokens": budget}}
    level = "low" if effort in {"none", "minimal"} else effort
    return {"thinking": {"type": "adaptive"}, "output_config": {"effort": level}}


def _shown(head: Fields) -> Fields:
    """The members with a word for the thoughts, which newer models keep to themselves without."""
    thinking = child(head, "thinking")
    if thinking.get("type") == "adaptive":
        head["thinking"] = {**thinking, "display": "summarized"}
    return head


def _text(text: str) -> Fields:
    return {"type": "text", "text": text}


def _marked(blocks: Sequence[Fields]) -> list[Fields]:
    return [*blocks[:-1], {**blocks[-1], "cache_control": MARK}]


class _History:
    """Messages as Anthropic's, for one model."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin

    def encode(self, unit: Unit) -> bytes:
        """A unit as a list member; the API joins neighbours of the same role by itself."""
        if unit.messages[0].role == "assistant":
            return _encode("assistant", self._assistant(unit.messages[0]))
        return _encode("user", _user_unit(unit))

    def encode_marked(self, unit: Unit) -> bytes:
        """The unit; a user's carries the mark."""
        blocks = _user_unit(unit) if unit.messages[0].role == "user" else []
        return _encode("user", _marked(blocks)) if blocks else self.encode(unit)

    def _assistant(self, message: Message) -> list[Fields | msgspec.Raw]:
        is_own = message.origin == self._origin
        blocks: list[Fields | msgspec.Raw] = []
        for part in message.parts:
            match part:
                case Text() if part.text.strip():
                    blocks.append(_own_text(part) if is_own else _text(part.text))
                case ToolCall():
                    blocks.append(_call(part, is_own))
                case Reasoning() if is_own:
                    blocks += _reasoning(part)
                case Foreign() if is_own:
                    blocks.append(raw(part.content))
                case _:
                    pass
        # The API refuses a message that ends in thoughts, as a reply that broke off there does.
        while blocks and isinstance(blocks[-1], dict) and blocks[-1]["type"] in _THOUGHTS:
            blocks.pop()
        # The API refuses a last message that ends in white space; earlier ones must be equal.
        last = blocks[-1] if blocks else None
        if isinstance(last, dict) and isinstance(text := last.get("text"), str):
            last["text"] = text.rstrip()
        return blocks


def _encode(role: str, blocks: Sequence[Fields | msgspec.Raw]) -> bytes:
    return encode_items([{"role": role, "content": blocks}]) if blocks else b""


def _user_unit(unit: Unit) -> list[Fields]:
    blocks = [_result(result) for result in results_in_order(unit)]
    for message in unit.messages:
        blocks += _user(message.parts)
    return blocks


def _own_text(part: Text) -> Fields:
    block = _text(part.text)
    if citations := part.meta.get("citations"):
        block["citations"] = citations
    return block


def _call(call: ToolCall, is_own: bool) -> Fields:
    block: Fields = {
        "type": "tool_use",
        "id": call_id(call.id, "safe"),
        "name": call.name,
        "input": raw(whole_arguments(call.arguments)),
    }
    if is_own:
        block.update(call.meta)
    return block


def _reasoning(part: Reasoning) -> list[Fields]:
    if redacted := part.meta.get("redacted"):
        return [{"type": "redacted_thinking", "data": redacted}]
    if signature := part.meta.get("signature"):
        return [{"type": "thinking", "thinking": part.text, "signature": signature}]
    return []


def _result(result: ToolResult) -> Fields:
    block: Fields = {"type": "tool_result", "tool_use_id": call_id(result.call_id, "safe")}
    content = _user(result.parts)
    if content:
        is_text = all(one["type"] == "text" for one in content)
        block["content"] = content if not is_text or len(content) > 1 else content[0]["text"]
    if not result.ok:
        block["is_error"] = True
    return block


def _user(parts: Sequence[Part]) -> list[Fields]:
    blocks: list[Fields] = []
    for part in parts:
        if isinstance(part, Text) and part.text.strip():
            blocks.append(_text(part.text))
        elif isinstance(part, Media):
            blocks.append(_media(part))
    return blocks


def _media(media: Media) -> Fields:
    is_image = media.media_type.startswith("image/")
    if media.url:
        source: Fields = {"type": "url", "url": media.url}
    elif is_image or media.media_type == "application/pdf":
        source = {"type": "base64", "media_type": media.media_type, "data": media.data}
    elif media.media_type.startswith("text/"):
        source = {"type": "text", "media_type": "text/plain", "data": _plain(media.data)}
    else:
        return _text(left_out(media))
    block: Fields = {"type": "image" if is_image else "document", "source": source}
    if media.name and not is_image:
        block["title"] = media.name
    return block


def _plain(data: str) -> str:
    import base64
    import binascii

    try:
        return base64.b64decode(data).decode("utf-8", "replace")
    except binascii.Error:
        return data
