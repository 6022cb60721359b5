"""Requests for Ollama's chat."""

from collections.abc import Sequence

from ouroboros.core.parts import Media, Message, Origin, Part, Reasoning, Text, ToolCall, ToolResult
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.fields import Fields
from ouroboros.llm.protocols.encoding import (
    encode_body,
    encode_items,
    left_out,
    raw,
    text_of_result,
    whole_arguments,
)
from ouroboros.llm.protocols.protocol import BodyCache, Unit, results_in_order
from ouroboros.llm.request import Request

SMALLEST_CONTEXT = 32_768
"""Tokens: room for the prompt, the tools and an hour's work; twice as much wants too much memory
of most machines to be asked for at once."""

LARGEST_CONTEXT = 1_048_576
ANSWER_TOKENS = 8_192
"""Kept free for the reply when nobody named a limit."""

_BYTES_PER_TOKEN = 3
_IMAGE_TOKENS = 2_048


def build(request: Request, dialect: Dialect, origin: Origin, cache: BodyCache) -> bytes:
    """The body; nothing may be left out of it without an error."""
    history = _History(origin)
    target = ("ollama-chat", dialect, origin)
    fragments = [_system(request), *cache.encode(request.messages, target, history.encode)]
    head = _head(request, dialect)
    size = sum(map(len, fragments)) + sum(len(tool.schema) for tool in request.tools)
    head["options"] = _options(request, size)
    return encode_body(head, "messages", fragments, dialect)


def _head(request: Request, dialect: Dialect) -> Fields:
    head: Fields = {"model": request.model, "stream": request.stream}
    # Without these an old part of the history goes missing, and no one is told.
    head |= {"truncate": False, "shift": False}
    if request.effort is not None and dialect.effort_style != "none":
        head["think"] = _thinking(request)
    # There is no way to forbid calls but to offer none, and no way to force one.
    if request.tools and request.tool_choice != "none":
        head["tools"] = [
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
    return head


def _thinking(request: Request) -> str | bool:
    if "gpt-oss" not in request.model:
        return request.effort != "none"
    return {"none": "low", "minimal": "low", "low": "low", "medium": "medium"}.get(
        request.effort or "", "high"
    )


def _options(request: Request, size: int) -> Fields:
    options: Fields = {"num_ctx": _context(request, size)}
    if request.max_output_tokens is not None:
        options["num_predict"] = request.max_output_tokens
    if request.temperature is not None:
        options["temperature"] = request.temperature
    return options


def _context(request: Request, size: int) -> int:
    """Tokens of context to ask for: enough, and the same for as long as that is so.

    A new number makes the server load the model anew, so it only ever doubles.
    """
    images = _images(request.messages)
    size -= sum(len(image.data) for image in images)
    needed = size // _BYTES_PER_TOKEN + len(images) * _IMAGE_TOKENS
    needed += request.max_output_tokens or ANSWER_TOKENS
    context = SMALLEST_CONTEXT
    while context < needed and context < LARGEST_CONTEXT:
        context *= 2
    return min(context, request.window or context)


def _system(request: Request) -> bytes:
    text = "\n\n".join(piece for piece in request.system if piece)
    return encode_items([{"role": "system", "content": text}]) if text else b""


def _images(messages: Sequence[Message]) -> list[Media]:
    """Every image whose bytes are sent, in results too."""
    found: list[Media] = []
    for message in messages:
        for part in message.parts:
            within = part.parts if isinstance(part, ToolResult) else (part,)
            found += [one for one in within if isinstance(one, Media) and _is_image(one)]
    return found


def _is_image(media: Media) -> bool:
    return bool(media.data) and media.media_type.startswith("image/")


class _History:
    """Messages as Ollama's, for one model."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin

    def encode(self, unit: Unit) -> bytes:
        """A unit as list members."""
        first = unit.messages[0]
        if first.role == "assistant":
            return encode_items(self._assistant(first))
        items = self._results(unit)
        # A tool's message takes no images; they follow after the last one.
        parts: list[Part] = [
            part
            for result in results_in_order(unit)
            for part in result.parts
            if isinstance(part, Media)
        ]
        parts += [part for message in unit.messages for part in message.parts]
        return encode_items([*items, *_user(parts)])

    def _assistant(self, message: Message) -> list[Fields]:
        is_own = message.origin == self._origin
        calls = [_call(call, is_own=is_own) for call in message.calls]
        text = message.text
        if not text and not calls:
            return []
        item: Fields = {"role": "assistant", "content": text}
        thoughts = "".join(part.text for part in message.parts if isinstance(part, Reasoning))
        if is_own and calls and thoughts:
            item["thinking"] = thoughts
        if calls:
            item["tool_calls"] = calls
        return [item]

    def _results(self, unit: Unit) -> list[Fields]:
        calls = {call.id: call for call in unit.before.calls} if unit.before else {}
        is_own = unit.before is not None and unit.before.origin == self._origin
        items: list[Fields] = []
        for result in results_in_order(unit):
            call = calls.get(result.call_id)
            item: Fields = {"role": "tool", "tool_name": call.name if call else result.name}
            if is_own and call and (server_id := call.meta.get("id")):
                item["tool_call_id"] = server_id
            item["content"] = text_of_result(result)
            items.append(item)
        return items


def _call(call: ToolCall, *, is_own: bool) -> Fields:
    function = {"name": call.name, "arguments": raw(whole_arguments(call.arguments))}
    if is_own and (server_id := call.meta.get("id")):
        return {"id": server_id, "function": function}
    return {"function": function}


def _user(parts: Sequence[Part]) -> list[Fields]:
    texts: list[str] = []
    images: list[str] = []
    for part in parts:
        if isinstance(part, Text) and part.text:
            texts.append(part.text)
        elif isinstance(part, Media) and _is_image(part):
            images.append(part.data)
        elif isinstance(part, Media):
            texts.append(left_out(part))
    if not texts and not images:
        return []
    item: Fields = {"role": "user", "content": "\n\n".join(texts)}
    if images:
        item["images"] = images
    return [item]
