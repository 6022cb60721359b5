"""From the positional arguments of a JavaScript call to the object that a tool takes. Pure."""

from functools import cache

import msgspec
from msgspec import Raw, Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.tools.aliases import folded
from ouroboros.tools.arguments import schema


class Field(Struct, frozen=True, kw_only=True):
    """What a parameter may be given."""

    name: str
    takes_object: bool
    takes_null: bool
    is_required: bool


def named(name: str, arguments: Raw, kind: type[Struct]) -> str:
    """The JSON object of a call: values in the order of the fields, a last plain object by names.

    Nothing is decoded that need not be: a value of many megabytes is copied once.

    Raises:
        ToolFailed: There are too many values, or an option that does not exist.
    """
    values = [bytes(value) for value in msgspec.json.decode(arguments, type=list[Raw])]
    known = fields(kind)
    options: dict[str, bytes] = {}
    if values and values[-1][:1] == b"{" and not _takes_object(known, len(values) - 1):
        options = _options(name, values.pop(), known)
    if len(values) > len(known):
        raise ToolFailed(f"{name} takes at most {len(known)} arguments: {_spelled(known)}")
    given = {field.name: value for field, value in zip(known, values, strict=False)}
    twice = given.keys() & options.keys()
    if twice:
        raise ToolFailed(f"{name} was given {', '.join(sorted(twice))} twice")
    given |= options
    nulls = {f.name for f in known if not f.takes_null and given.get(f.name) == b"null"}
    pairs = [b'"%s":%s' % (key.encode(), v) for key, v in given.items() if key not in nulls]
    return (b"{" + b",".join(pairs) + b"}").decode()


@cache
def fields(kind: type[Struct]) -> tuple[Field, ...]:
    """The parameters of a tool, in order."""
    read = msgspec.json.decode(schema(kind), type=dict[str, Raw])
    properties = msgspec.json.decode(read.get("properties", Raw(b"{}")), type=dict[str, Raw])
    required = msgspec.json.decode(read.get("required", Raw(b"[]")), type=list[str])
    return tuple(
        Field(
            name=name,
            takes_object=_may_be("object", bytes(properties[name])),
            takes_null=_may_be("null", bytes(properties[name])),
            is_required=name in required,
        )
        for name in kind.__struct_encode_fields__
        if name in properties
    )


def _may_be(kind: str, property: bytes) -> bool:
    described = msgspec.json.decode(property, type=dict[str, Raw])
    if "type" not in described and "anyOf" not in described and "enum" not in described:
        return True  # anything
    return f'"{kind}"'.encode() in property


def _takes_object(known: tuple[Field, ...], index: int) -> bool:
    return index < len(known) and known[index].takes_object


def _options(name: str, written: bytes, known: tuple[Field, ...]) -> dict[str, bytes]:
    by_fold = {folded(field.name): field.name for field in known}
    options: dict[str, bytes] = {}
    for key, value in msgspec.json.decode(written, type=dict[str, Raw]).items():
        own = by_fold.get(folded(key))
        if own is None:
            raise ToolFailed(f"{name} has no option {key[:80]!r}; it takes {_spelled(known)}")
        options[own] = bytes(value)
    return options


def _spelled(known: tuple[Field, ...]) -> str:
    return ", ".join(f"{field.name}{'' if field.is_required else '?'}" for field in known)
