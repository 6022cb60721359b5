"""Requests for responses."""

from collections.abc import Collection, Sequence
from typing import cast

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
from ouroboros.llm.fields import Fields, parse
from ouroboros.llm.protocols.encoding import (
    call_id,
    data_url,
    encode_body,
    encode_items,
    left_out,
    raw,
    required_word,
    service_tier,
    spoken,
    whole_arguments,
)
from ouroboros.llm.protocols.protocol import BodyCache, Unit, results_in_order
from ouroboros.llm.request import Request


def build(request: Request, dialect: Dialect, origin: Origin, cache: BodyCache) -> bytes:
    """The body."""
    plain = frozenset(tool.name for tool in request.tools if _is_plain(tool, dialect))
    history = _History(dialect, origin, plain)
    target = (" ".join(("openai-responses", *sorted(plain))), dialect, origin)
    fragments = cache.encode(request.messages, target, history.encode)
    return encode_body(_head(request, dialect), "input", fragments, dialect)


def _head(request: Request, dialect: Dialect) -> Fields:
    head: Fields = {"model": request.model, "stream": request.stream}
    if dialect.stateless:
        head["store"] = False
        if dialect.effort_style != "none":
            # A model that does not reason refuses to be asked for what it reasoned.
            head["include"] = ["reasoning.encrypted_content"]
    if request.max_output_tokens is not None:
        head["max_output_tokens"] = request.max_output_tokens
    if request.temperature is not None:
        head["temperature"] = request.temperature
    if request.effort is not None and dialect.effort_style != "none":
        head["reasoning"] = {"effort": spoken(request.effort, dialect), "summary": "auto"}
    head.update(service_tier(request, dialect))
    if request.cache_key:
        head["prompt_cache_key"] = request.cache_key
    if request.tools:
        head["tools"] = [_tool(tool, dialect) for tool in request.tools] + _search(request, dialect)
        head["tool_choice"] = required_word(dialect, request.tool_choice)
    if instructions := "\n\n".join(piece for piece in request.system if piece):
        head["instructions"] = instructions
    return head


def _search(request: Request, dialect: Dialect) -> list[Fields]:
    """The vendor's own search, where it has one that does no more than is wanted."""
    if request.web_search == "off" or dialect.hosted_search == "none":
        return []
    if request.web_search == "live":
        return [{"type": "web_search"}]
    if dialect.hosted_search != "both":
        return []
    return [{"type": "web_search", "external_web_access": False}]


def _is_plain(tool: ToolSpec, dialect: Dialect) -> bool:
    return tool.freeform is not None and dialect.freeform_tools


def _tool(tool: ToolSpec, dialect: Dialect) -> Fields:
    told: Fields = {"name": tool.name, "description": tool.description}
    if tool.freeform is None or not dialect.freeform_tools:
        strict: Fields = {"strict": False} if dialect.supports_strict else {}
        return {"type": "function", **told, "parameters": raw(tool.schema), **strict}
    if not tool.freeform.syntax:
        return {"type": "custom", **told, "format": {"type": "text"}}
    grammar: Fields = {
        "type": "grammar",
        "syntax": tool.freeform.syntax,
        "definition": tool.freeform.definition,
    }
    return {"type": "custom", **told, "format": grammar}


class _History:
    """Messages as input items, for one vendor and model; ``plain`` names tools that take text."""

    def __init__(self, dialect: Dialect, origin: Origin, plain: Collection[str]) -> None:
        self._dialect = dialect
        self._origin = origin
        self._plain = plain

    def encode(self, unit: Unit) -> bytes:
        """A unit as list members."""
        first = unit.messages[0]
        if first.role == "assistant":
            return encode_items(self._assistant(first))
        before = unit.before
        is_own = before is not None and before.origin == self._origin
        calls = before.calls if before else ()
        custom = {call.id for call in calls if self._is_custom(call, is_own)}
        items: list[object] = [
            self._result(result, result.call_id in custom) for result in results_in_order(unit)
        ]
        parts = [part for message in unit.messages for part in message.parts]
        if content := _content(parts):
            items.append({"type": "message", "role": "user", "content": content})
        return encode_items(items)

    def _assistant(self, message: Message) -> list[object]:
        is_own = message.origin == self._origin
        thoughts = [part for part in message.parts if isinstance(part, Reasoning)]
        # Without its thoughts an item must not go by its id, or the vendor asks for them.
        has_ids = is_own and all(self._may_return(part) for part in thoughts)
        items: list[object] = []
        for part in _without_last_thoughts(message.parts):
            match part:
                # An empty text may be what its thoughts must be followed by.
                case Text() if part.text or (has_ids and part.meta.get("id")):
                    _add_text(items, part, has_ids)
                case ToolCall():
                    items.append(self._call(part, is_own, has_ids))
                case Reasoning() if is_own and self._may_return(part):
                    items.append(raw(str(part.meta["item"])))
                case Foreign() if is_own:
                    items.append(raw(part.content))
                case _:
                    pass
        return items

    def _may_return(self, part: Reasoning) -> bool:
        item = part.meta.get("item")
        if not isinstance(item, str):
            return False
        fields = parse(item) or {}
        carries = fields.get("encrypted_content") or fields.get("content")
        return bool(fields) and (bool(carries) or not self._dialect.stateless)

    def _call(self, call: ToolCall, is_own: bool, has_ids: bool) -> Fields:
        is_custom = self._is_custom(call, is_own)
        identifier = self._call_id(call.id)
        item: Fields = {"type": "custom_tool_call" if is_custom else "function_call"}
        if has_ids and (item_id := call.meta.get("id")):
            item["id"] = item_id
        item |= {"call_id": identifier, "name": call.name}
        if is_custom:
            item["input"] = _plain_text(call.arguments)
        else:
            item["arguments"] = whole_arguments(call.arguments)
        if is_own:
            extras = {key: call.meta[key] for key in call.meta if key not in {"id", "custom"}}
            item.update(extras)
        return item

    def _is_custom(self, call: ToolCall, is_own: bool) -> bool:
        return call.meta.get("custom") is True if is_own else call.name in self._plain

    def _result(self, result: ToolResult, is_custom: bool) -> Fields:
        media = any(isinstance(part, Media) for part in result.parts)
        return {
            "type": "custom_tool_call_output" if is_custom else "function_call_output",
            "call_id": self._call_id(result.call_id),
            "output": _content(result.parts) if media else result.text,
        }

    def _call_id(self, original: str) -> str:
        rule = self._dialect.tool_id_rule
        return call_id(original, "safe" if rule == "any" and len(original) > 64 else rule)


def _without_last_thoughts(parts: Sequence[Part]) -> Sequence[Part]:
    """A reply that broke off in thought: the vendor refuses thoughts that nothing follows."""
    end = len(parts)
    while end and isinstance(parts[end - 1], Reasoning):
        end -= 1
    return parts[:end]


def _plain_text(arguments: str) -> str:
    """What a plain text tool was given, from a call that names it as its one text."""
    fields = parse(arguments)
    texts = [value for value in (fields or {}).values() if isinstance(value, str)]
    return texts[0] if fields is not None and len(texts) == len(fields) == 1 else arguments


def _add_text(items: list[object], part: Text, has_ids: bool) -> None:
    is_refusal = part.meta.get("refusal") is True
    content: Fields = (
        {"type": "refusal", "refusal": part.text}
        if is_refusal
        else {
            "type": "output_text",
            "text": part.text,
            "annotations": (has_ids and part.meta.get("annotations")) or [],
        }
    )
    item_id = part.meta.get("id") if has_ids else None
    last = cast("Fields", items[-1]) if items and isinstance(items[-1], dict) else {}
    if item_id and last.get("id") == item_id:
        cast("list[Fields]", last["content"]).append(content)
        return
    item: Fields = {"type": "message"}
    if item_id:
        item["id"] = item_id
    item["role"] = "assistant"
    if has_ids and (phase := part.meta.get("phase")):
        item["phase"] = phase
    if item_id:
        item["status"] = "completed"
    item["content"] = [content]
    items.append(item)


def _content(parts: Sequence[Part]) -> list[Fields]:
    found: list[Fields] = []
    for part in parts:
        if isinstance(part, Text) and part.text:
            found.append({"type": "input_text", "text": part.text})
        elif isinstance(part, Media):
            found.append(_media(part))
    return found


def _media(media: Media) -> Fields:
    if media.media_type.startswith("image/"):
        return {"type": "input_image", "image_url": data_url(media)}
    if media.media_type.startswith(("audio/", "video/")):
        return {"type": "input_text", "text": left_out(media)}
    if media.url:
        return {"type": "input_file", "file_url": media.url}
    name = media.name or "attachment"
    return {"type": "input_file", "filename": name, "file_data": data_url(media)}
