"""JSON values as a schema sees them: what kind they are of, and when two are the same."""

from typing import cast

import msgspec

type Table = dict[str, object]
type Rule = bool | Table

KINDS = frozenset({"string", "number", "integer", "boolean", "null", "array", "object"})
_SHOWN = 80


def kind(value: object) -> str:
    """The kind of a value; a number without a fraction is an ``integer``."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
        case float() if not value.is_integer():
            return "number"
        case _:
            return "integer"


def is_number(value: object) -> bool:
    """Whether it is one; ``true`` is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def canonical(value: object) -> bytes:
    """The same bytes for values that are the same."""
    return msgspec.json.encode(_even(value), order="sorted")


def shown(value: object) -> str:
    """The beginning of a value as JSON."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _even(value: object) -> object:
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_even(part) for part in cast("list[object]", value)]
        case dict():
            return {name: _even(part) for name, part in cast("Table", value).items()}
        case _:
            return value
