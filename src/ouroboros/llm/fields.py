"""Reading vendor JSON that may hold anything: a field of the wrong type reads as absent."""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

type Fields = dict[str, object]

UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
"""All that msgspec raises for bytes that are not the JSON that was asked for."""

_decode = msgspec.json.Decoder().decode

# Compared with, not asked for: these questions are put several times for each event of a stream.
_OBJECT: Any = dict
_LIST: Any = list

_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_list = msgspec.json.Decoder(list[msgspec.Raw]).decode


def parse(text: str | bytes) -> Fields | None:
    """The JSON object that ``text`` holds, or None if it holds none."""
    value: Any
    try:
        value = _decode(text)
    except (msgspec.DecodeError, UnicodeError):
        value = _parse_leniently(text)
    except RecursionError:
        return None
    return value if value.__class__ is _OBJECT else None


def _parse_leniently(text: str | bytes) -> object:
    # Half a surrogate pair, NaN or a huge number: valid to other readers, and seen in the wild.
    import json

    try:
        return without_surrogates(json.loads(text))
    except (ValueError, RecursionError):
        return None


def is_object(text: str) -> bool:
    """Whether ``text`` is exactly one JSON object."""
    return parse(text) is not None


def is_strict_json(text: str) -> bool:
    """Whether every reader of JSON takes ``text``."""
    try:
        _decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return True


def string(fields: Mapping[str, object], key: str) -> str:
    """A text field, or the empty text."""
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def integer(fields: Mapping[str, object], key: str) -> int | None:
    """An integer field, or None."""
    value = fields.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def child(fields: Mapping[str, object], key: str) -> Fields:
    """An object field, or an empty object."""
    value: Any = fields.get(key)
    return value if value.__class__ is _OBJECT else {}


def children(fields: Mapping[str, object], key: str) -> list[Fields]:
    """The objects in a list field; whatever else the list holds is left out."""
    value: Any = fields.get(key)
    if value.__class__ is not _LIST:
        return []
    return [one for one in value if one.__class__ is _OBJECT]


def text_of(value: object) -> str:
    """``value`` as JSON text."""
    return msgspec.json.encode(value).decode()


def raw_member(text: str, key: str, value: object) -> str:
    """The JSON text of one member of an object, as it came.

    ``value`` is the member as parsed; it is encoded anew where the text cannot be sliced.
    """
    try:
        return bytes(_decode_members(text)[key]).decode()
    except (msgspec.DecodeError, UnicodeError, KeyError):
        return text_of(value)


def raw_members(text: str | bytes, key: str) -> list[str]:
    """The JSON texts of the objects in a list of an object; none if it cannot be sliced."""
    try:
        members = _decode_list(_decode_members(text)[key])
        texts = [bytes(member).decode() for member in members]
    except (msgspec.DecodeError, UnicodeError, KeyError):
        return []
    return [text for text in texts if text.lstrip()[:1] == "{"]


def without_surrogates(value: object) -> object:
    """The same value without unpaired surrogates, which no UTF-8 text can hold."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    if isinstance(value, dict):
        return {
            without_surrogates(key): without_surrogates(inner)
            for key, inner in cast("dict[object, object]", value).items()
        }
    if isinstance(value, list | tuple):
        return [without_surrogates(inner) for inner in cast("list[object]", value)]
    return value
