"""Pieces of request bodies that the wire formats have in common."""

import re
from collections.abc import Mapping, Sequence
from typing import cast
from urllib.parse import quote

import msgspec

from ouroboros.core.parts import Media, Message, Origin, Reasoning, Text, ToolResult
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.fields import (
    Fields,
    is_object,
    is_strict_json,
    parse,
    text_of,
    without_surrogates,
)
from ouroboros.llm.request import Effort, Request

_SAFE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NINE = re.compile(r"[A-Za-z0-9]{9}")
LONGEST_CHAT_ID = 40
"""Characters; OpenAI's chat completions refuse a longer id of a call."""

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def encode(value: object) -> bytes:
    """``value`` as JSON; unpaired surrogates are left out."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(without_surrogates(value))


def encode_items(items: Sequence[object]) -> bytes:
    """The members of a JSON list without its brackets."""
    return encode(items)[1:-1]


def encode_body(
    head: Mapping[str, object],
    key: str,
    fragments: Sequence[bytes],
    dialect: Dialect | None = None,
) -> bytes:
    """A body whose last member is the list of ``fragments``.

    With the ``dialect`` the head loses the members that the vendor refuses and gains its own.
    """
    if dialect is not None and (dialect.unsupported or dialect.body):
        head = _as_the_vendor_wants(head, key, dialect)
    items = b",".join(filter(None, fragments))
    start = encode(head)[:-1] + (b"," if head else b"")
    return b'%b"%b":[%b]}' % (start, key.encode(), items)


def _as_the_vendor_wants(head: Mapping[str, object], key: str, dialect: Dialect) -> Fields:
    found = {name: value for name, value in head.items() if name not in dialect.unsupported}
    for name in dialect.unsupported:
        outer, _, inner = name.partition(".")
        if inner and isinstance(whole := found.get(outer), dict):
            found[outer] = {key: whole[key] for key in cast("Fields", whole) if key != inner}
    for name, value in dialect.body.items():
        known = found.get(name)
        if isinstance(known, dict) and isinstance(value, Mapping):
            found[name] = {**cast("Fields", known), **cast("Mapping[str, object]", value)}
        elif name != key:
            found[name] = value
    return found


def service_tier(request: Request, dialect: Dialect) -> Fields:
    """The member that asks for a service tier, where the vendor has such."""
    if request.service_tier is None or not dialect.service_tier:
        return {}
    return {"service_tier": request.service_tier}


def raw(text: str) -> msgspec.Raw:
    """JSON text that goes out as it is."""
    return msgspec.Raw(text.encode("utf-8", "ignore"))


def whole_arguments(text: str) -> str:
    """A call's arguments as the model wrote them, wrapped if they are no JSON object.

    What only a lenient reader takes (half a surrogate pair, NaN) is written anew: vendors refuse
    the whole request for it.
    """
    if is_strict_json(text) and is_object(text):
        return text
    fields = parse(text)
    return text_of({"unparsed": without_surrogates(text)} if fields is None else fields)


def call_id(original: str, rule: str) -> str:
    """An id that the vendor takes; the same original always gives the same one."""
    match rule:
        case "nine":
            return original if _NINE.fullmatch(original) else _digest(original, 9)
        case "safe":
            if _SAFE_ID.fullmatch(original):
                return original
            readable = re.sub(r"[^A-Za-z0-9_-]", "_", original)[:48]
            return f"{readable}_{_digest(original, 12)}"
        case "short":
            readable = re.sub(r"[^A-Za-z0-9_-]", "_", original)[: LONGEST_CHAT_ID - 13]
            return f"{readable}_{_digest(original, 12)}"
        case _:
            return original


def _digest(text: str, length: int) -> str:
    import hashlib

    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:16], "big")
    digits: list[str] = []
    for _ in range(length):
        number, digit = divmod(number, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return "".join(digits)


def spoken(effort: Effort, dialect: Dialect) -> Effort:
    """The level to ask for by name; a model that always reasons knows none below ``low``."""
    return "low" if dialect.effort_none == "low" and effort in {"none", "minimal"} else effort


def may_think(request: Request, origin: Origin) -> bool:
    """Whether thinking by a budget may be asked for.

    A turn that goes on after calls must have begun with thoughts of this very model then.
    """
    began: Message | None = None
    for message in reversed(request.messages):
        if message.role == "assistant":
            if began is None and not message.calls:
                return True
            began = message
        elif began and not any(isinstance(part, ToolResult) for part in message.parts):
            break
    if began is None:
        return True
    thoughts = [part for part in began.parts if isinstance(part, Reasoning)]
    is_signed = any(part.meta.get("signature") or part.meta.get("redacted") for part in thoughts)
    return began.origin == origin and is_signed


def required_word(dialect: Dialect, tool_choice: str) -> str:
    """The vendor's word for a tool choice; ``auto`` where it cannot be forced."""
    if tool_choice != "required":
        return tool_choice
    return dialect.tool_choice_required_word or "auto"


def data_url(media: Media) -> str:
    """Where the vendor finds the bytes: an address, or the bytes themselves."""
    return media.url or f"data:{media.media_type};base64,{media.data}"


def left_out(media: Media) -> str:
    """What the model reads in the place of something the format cannot carry."""
    return f"[{media.name or 'attachment'} ({media.media_type}) left out: not supported here]"


def text_of_result(result: ToolResult) -> str:
    """A result's words, with a note where media follow elsewhere."""
    texts = [
        part.text if isinstance(part, Text) else f"[{part.media_type} attached below]"
        for part in result.parts
    ]
    return "\n".join(text for text in texts if text)


def model_path(model: str, verb: str) -> str:
    """Where Bedrock has a model; its name, which may be an ARN, is one segment of the path."""
    return f"/model/{quote(model, safe='')}/{verb}"
