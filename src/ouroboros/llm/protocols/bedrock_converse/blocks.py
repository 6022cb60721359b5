"""Parts of messages as Converse's content blocks."""

import re
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
)
from ouroboros.llm.fields import Fields
from ouroboros.llm.protocols.encoding import call_id, left_out, raw, whole_arguments
from ouroboros.llm.protocols.protocol import Unit, results_in_order

type Block = Fields | msgspec.Raw

_OWN_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_IMAGES = {"png": "png", "jpeg": "jpeg", "jpg": "jpeg", "gif": "gif", "webp": "webp"}
_OFFICE = "application/vnd.openxmlformats-officedocument"
_DOCUMENTS = {
    "application/pdf": "pdf",
    "application/msword": "doc",
    f"{_OFFICE}.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    f"{_OFFICE}.spreadsheetml.sheet": "xlsx",
    "text/csv": "csv",
    "text/html": "html",
    "text/markdown": "md",
}
_NAME_LENGTH = 150
_SILENT: Fields = {"text": "(no output)"}


def assistant(message: Message, origin: Origin) -> list[Block]:
    """What a model said; opaque parts only where it is the same model."""
    is_own = message.origin == origin
    blocks: list[Block] = []
    for part in message.parts:
        match part:
            case Text() if part.text.strip():
                blocks.append(_said(part, is_own))
            case ToolCall():
                blocks.append(_call(part, is_own))
            case Reasoning() if is_own:
                blocks += _thought(part)
            case Foreign() if is_own:
                blocks.append(raw(part.content))
            case _:
                pass
    # As in Anthropic's own format: no message may end in thoughts, nor its text in white space.
    while blocks and isinstance(blocks[-1], dict) and "reasoningContent" in blocks[-1]:
        blocks.pop()
    last = blocks[-1] if blocks else None
    if isinstance(last, dict) and isinstance(text := last.get("text"), str):
        last["text"] = text.rstrip()
    return blocks


def user(unit: Unit, origin: Origin, *, result_media: bool) -> list[Block]:
    """Results in the order of their calls, then what the person says and shows."""
    is_own = unit.before is not None and unit.before.origin == origin
    blocks: list[Block] = []
    shown: list[Fields] = []
    for place, result in enumerate(results_in_order(unit)):
        key = f"{unit.messages[0].id}/r{place}"
        blocks.append(_result(result, key, is_own=is_own, with_media=result_media))
        if not result_media:
            media = [part for part in result.parts if isinstance(part, Media)]
            shown += _with_words(_content(media, f"{key}/m"))
    blocks += shown
    for message in unit.messages:
        blocks += _with_words(_content(message.parts, message.id))
    return blocks


def _said(part: Text, is_own: bool) -> Fields:
    if is_own and (citations := part.meta.get("citations")):
        content = [{"text": part.text}]
        return {"citationsContent": {"content": content, "citations": citations}}
    return {"text": part.text}


def _id(original: str, *, is_own: bool) -> str:
    """An id as Converse takes it; those of other models must also suit the strictest of these."""
    if is_own and _OWN_ID.fullmatch(original):
        return original
    return call_id(original, "safe")


def _call(call: ToolCall, is_own: bool) -> Fields:
    arguments = raw(whole_arguments(call.arguments))
    call_name = _id(call.id, is_own=is_own)
    return {"toolUse": {"toolUseId": call_name, "name": call.name, "input": arguments}}


def _thought(part: Reasoning) -> list[Block]:
    if redacted := part.meta.get("redacted"):
        return [{"reasoningContent": {"redactedContent": redacted}}]
    if signature := part.meta.get("signature"):
        text = {"text": part.text, "signature": signature}
        return [{"reasoningContent": {"reasoningText": text}}]
    return []


def _result(result: ToolResult, key: str, *, is_own: bool, with_media: bool) -> Fields:
    parts: Sequence[Part] = result.parts
    if not with_media:
        parts = [
            Text(text=f"[{part.media_type} attached below]") if isinstance(part, Media) else part
            for part in result.parts
        ]
    return {
        "toolResult": {
            "toolUseId": _id(result.call_id, is_own=is_own),
            "content": _content(parts, key) or [_SILENT],
            "status": "success" if result.ok else "error",
        }
    }


def _content(parts: Sequence[Part], key: str) -> list[Fields]:
    blocks: list[Fields] = []
    for place, part in enumerate(parts):
        if isinstance(part, Text) and part.text.strip():
            blocks.append({"text": part.text})
        elif isinstance(part, Media):
            blocks.append(_media(part, f"{key}/{place}"))
    return blocks


def _with_words(blocks: list[Fields]) -> list[Fields]:
    """The blocks; documents that came without a word get one, as the API demands."""
    has_document = any("document" in block for block in blocks)
    if has_document and not any("text" in block for block in blocks):
        return [*blocks, {"text": "The document is attached."}]
    return blocks


def _media(media: Media, key: str) -> Fields:
    kind, _, subtype = media.media_type.partition("/")
    source = _source(media)
    if source is None:
        return {"text": left_out(media)}
    if kind == "image" and subtype in _IMAGES:
        return {"image": {"format": _IMAGES[subtype], "source": source}}
    form = _DOCUMENTS.get(media.media_type) or ("txt" if kind == "text" else None)
    if form is None:
        return {"text": left_out(media)}
    return {"document": {"format": form, "name": _document_name(media, key), "source": source}}


def _source(media: Media) -> Fields | None:
    if media.url.startswith("s3://"):
        return {"s3Location": {"uri": media.url}}
    return {"bytes": media.data} if media.data else None


def _document_name(media: Media, key: str) -> str:
    """A name of the few characters that are allowed, and one that no other document has."""
    clean = " ".join(re.sub(r"[^A-Za-z0-9\-()\[\]]+", " ", media.name).split())
    return f"{clean[:_NAME_LENGTH].strip() or 'document'} {call_id(f'/{key}', 'nine')}"
