"""Requests for chat completions."""

from collections.abc import Sequence

from ouroboros.core.parts import Media, Message, Origin, Part, Reasoning, Text, ToolCall, ToolResult
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.fields import Fields, children
from ouroboros.llm.protocols.cache_marks import MARK, marked_fragments
from ouroboros.llm.protocols.encoding import (
    LONGEST_CHAT_ID,
    call_id,
    data_url,
    encode_body,
    encode_items,
    raw,
    required_word,
    service_tier,
    spoken,
    text_of_result,
    whole_arguments,
)
from ouroboros.llm.protocols.protocol import BodyCache, Unit, results_in_order
from ouroboros.llm.request import Effort, Request

_BETWEEN = "Noted."
"""What the assistant says where the words of a person may not follow a result."""


_GRADES = {"none": "low", "minimal": "low", "low": "low", "xhigh": "max", "max": "max"}
"""Levels of vendors that know three; the others are ``high``."""


def build(request: Request, dialect: Dialect, origin: Origin, cache: BodyCache) -> bytes:
    """The body; with ``cache_marker`` the marks on system, tools and latest message move."""
    history = _History(dialect, origin)
    target = ("openai-chat", dialect, origin)
    fragments = cache.encode(request.messages, target, history.encode)
    if dialect.cache_marker == "cache_control":
        fragments = marked_fragments(fragments, request.messages, history.encode_marked)
    fragments = [_system(request, dialect), *fragments]
    return encode_body(_head(request, dialect), "messages", fragments, dialect)


def _head(request: Request, dialect: Dialect) -> Fields:
    head: Fields = {"model": request.model, "stream": request.stream}
    if request.stream and dialect.usage_in_stream == "option":
        head["stream_options"] = {"include_usage": True}
    if request.max_output_tokens is not None:
        head[dialect.max_tokens_field] = request.max_output_tokens
    if request.temperature is not None:
        head["temperature"] = request.temperature
    if request.effort is not None:
        head.update(_effort(request.effort, dialect))
    head.update(service_tier(request, dialect))
    if request.cache_key and dialect.prompt_cache_key:
        head["prompt_cache_key"] = request.cache_key
    if request.tools:
        head["tools"] = _tools(request, dialect)
        head["tool_choice"] = required_word(dialect, request.tool_choice)
    return head


def _effort(effort: Effort, dialect: Dialect) -> Fields:
    match dialect.effort_style:
        case "field":
            return {"reasoning_effort": spoken(effort, dialect)}
        case "object":
            return {"reasoning": {"effort": effort}}
        case "thinking" if effort == "none" and dialect.effort_none != "low":
            return {"thinking": {"type": "disabled"}}
        case "thinking":
            return {"thinking": {"type": "enabled"}}
        case "graded" if effort == "none" and dialect.effort_none != "low":
            return {"thinking": {"type": "disabled"}}
        case "graded":
            return {
                "thinking": {"type": "enabled"},
                "reasoning_effort": _GRADES.get(effort, "high"),
            }
        case "high":
            return {"reasoning_effort": "none" if effort == "none" else "high"}
        case "switch":
            return {"enable_thinking": effort != "none"}
        case "template":
            return {"chat_template_kwargs": {"enable_thinking": effort != "none"}}
        case _:
            return {}


def _tools(request: Request, dialect: Dialect) -> list[Fields]:
    tools: list[Fields] = [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": raw(tool.schema),
            },
        }
        for tool in request.tools
    ]
    if dialect.cache_marker == "cache_control":
        tools[-1]["cache_control"] = MARK
    return tools


def _system(request: Request, dialect: Dialect) -> bytes:
    pieces = [piece for piece in request.system if piece.strip()]
    if not pieces:
        return b""
    content: object = "\n\n".join(pieces)
    if dialect.cache_marker == "cache_control":
        content = _marked([_text(piece) for piece in pieces])
    return encode_items([{"role": dialect.system_role, "content": content}])


def _text(text: str) -> Fields:
    return {"type": "text", "text": text}


def _marked(parts: Sequence[Fields]) -> list[Fields]:
    return [*parts[:-1], {**parts[-1], "cache_control": MARK}]


class _History:
    """Messages as chat messages, for one vendor and model."""

    def __init__(self, dialect: Dialect, origin: Origin) -> None:
        self._dialect = dialect
        self._origin = origin
        self._as_list = dialect.cache_marker == "cache_control"

    def encode(self, unit: Unit) -> bytes:
        """A unit as list members."""
        return encode_items(self._items(unit))

    def encode_marked(self, unit: Unit) -> bytes:
        """The unit with the cache mark on its last part."""
        items = self._items(unit)
        last = items[-1] if items else {}
        content = children(last, "content")
        if content and last.get("role") != "assistant":
            last["content"] = _marked(content)
        return encode_items(items)

    def _items(self, unit: Unit) -> list[Fields]:
        first = unit.messages[0]
        if first.role == "assistant":
            return self._assistant(first)
        is_own = unit.before is not None and unit.before.origin == self._origin
        items: list[Fields] = []
        parts: list[Part] = []
        called = {call.id: call.name for call in unit.before.calls} if unit.before else {}
        for result in results_in_order(unit):
            identifier = self._call_id(result.call_id, is_own=is_own)
            content = self._content([Text(text=text_of_result(result))]) or ""
            item: Fields = {"role": "tool", "tool_call_id": identifier, "content": content}
            if self._dialect.tool_result_name:
                item["name"] = called.get(result.call_id, result.name)
            items.append(item)
            # A tool message takes no media; they follow after the last one.
            parts += [part for part in result.parts if isinstance(part, Media)]
        parts += [part for message in unit.messages for part in message.parts]
        if content := self._content(parts):
            if self._dialect.assistant_after_tool and (items or _ends_in_results(unit.before)):
                between = self._content([Text(text=_BETWEEN)])
                items.append({"role": "assistant", "content": between})
            items.append({"role": "user", "content": content})
        return items

    def _content(self, parts: Sequence[Part]) -> str | list[Fields]:
        found: list[Fields] = []
        for part in parts:
            # Those behind a vendor that reads lists refuse a blank element.
            if isinstance(part, Text) and (part.text.strip() if self._as_list else part.text):
                found.append(_text(part.text))
            elif isinstance(part, Media):
                found.append(_media(part))
        if self._as_list or any(one["type"] != "text" for one in found):
            return found
        return "\n\n".join(str(one["text"]) for one in found)

    def _assistant(self, message: Message) -> list[Fields]:
        is_own = message.origin == self._origin
        thoughts = [part for part in message.parts if isinstance(part, Reasoning)]
        calls = [self._call(part, is_own) for part in message.calls]
        texts = [part for part in message.parts if isinstance(part, Text)]
        content: object = self._content([Text(text="".join(part.text for part in texts))])
        extras = self._thoughts(thoughts if is_own else (), bool(calls))
        if not content and not calls:
            return []
        item: Fields = {"role": "assistant", "content": content or None}
        if is_own and self._dialect.reasoning_send_back == "content" and thoughts:
            item["content"] = [_thinking(part.text) for part in thoughts if part.text]
            item["content"] += [_text(part.text) for part in texts if part.text]
        item.update(extras)
        if calls:
            item["tool_calls"] = calls
        return [item]

    def _thoughts(self, thoughts: Sequence[Reasoning], has_calls: bool) -> Fields:
        match self._dialect.reasoning_send_back:
            case "field" if has_calls or thoughts:
                # Vendors that want thoughts back refuse a call without the field, whoever made it.
                return {self._dialect.reasoning_field: "".join(part.text for part in thoughts)}
            case "details":
                details = [one for part in thoughts for one in children(part.meta, "details")]
                return {"reasoning_details": details} if details else {}
            case _:
                return {}

    def _call(self, call: ToolCall, is_own: bool) -> Fields:
        item: Fields = {
            "id": self._call_id(call.id, is_own=is_own),
            "type": "function",
            "function": {"name": call.name, "arguments": whole_arguments(call.arguments)},
        }
        if is_own:
            item.update(call.meta)
        return item

    def _call_id(self, original: str, *, is_own: bool) -> str:
        """The id as the vendor takes it; OpenAI refuses long ones, and knows its own."""
        rule = self._dialect.tool_id_rule
        if rule == "any" and not is_own and len(original) > LONGEST_CHAT_ID:
            rule = "short"
        return call_id(original, rule)


def _ends_in_results(message: Message | None) -> bool:
    """Whether a result is the last that the message became."""
    if message is None or message.role != "user":
        return False
    return bool(message.parts) and all(
        isinstance(part, ToolResult) and not any(isinstance(one, Media) for one in part.parts)
        for part in message.parts
    )


def _thinking(text: str) -> Fields:
    return {"type": "thinking", "thinking": [_text(text)]}


def _media(media: Media) -> Fields:
    if media.media_type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": data_url(media)}}
    if media.media_type.startswith("audio/") and media.data:
        sound = media.media_type.removeprefix("audio/").removeprefix("x-")
        name = "mp3" if sound == "mpeg" else sound
        return {"type": "input_audio", "input_audio": {"data": media.data, "format": name}}
    return {
        "type": "file",
        "file": {"filename": media.name or "attachment", "file_data": data_url(media)},
    }
