"""From the JSON a model wrote to a tool's argument Struct, and from the Struct to JSON Schema."""

import shlex
from contextlib import suppress
from functools import cache
from typing import Any, cast

import msgspec
from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.tools.aliases import ARGUMENTS, folded


class BadArguments(ToolFailed):
    """The arguments do not fit the tool; the text names the field and what is expected."""


def decode[Arguments: Struct](kind: type[Arguments], text: str) -> Arguments:
    """Reads arguments; foreign names, numbers as text and needless nulls are understood.

    Raises:
        BadArguments: They still do not fit.
    """
    text = text.strip() or "{}"
    try:
        return _decoder(kind).decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass  # the second reading below is the forgiving one, and names the fault
    try:
        raw: object = msgspec.json.decode(text)
        if isinstance(raw, str):
            raw = msgspec.json.decode(raw)
        renamed = _renamed(raw, kind.__struct_fields__)
        return msgspec.convert(_retyped(renamed, kind), kind, strict=False)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as broken:
        message = f"failed to parse function arguments: {_placed(broken, text)}; "
        message += f"expected {signature(kind)}"
        raise BadArguments(message) from broken


@cache
def schema(kind: type[Struct]) -> str:
    """Compact JSON Schema of an argument Struct: no titles, no defaults, no references."""
    (root,), definitions = msgspec.json.schema_components([kind], ref_template="{name}")
    compact = _compact(root, definitions)
    compact.pop("description", None)
    return msgspec.json.encode(compact).decode()


@cache
def signature(kind: type[Struct]) -> str:
    """One line of what is expected, such as ``{path: string, limit?: integer}``."""
    return _object_name(cast("dict[str, Any]", msgspec.json.decode(schema(kind))))


def _object_name(read: dict[str, Any]) -> str:
    required = read.get("required", [])
    fields = [
        f"{name}{'' if name in required else '?'}: {_kind_name(field)}"
        for name, field in read.get("properties", {}).items()
    ]
    return "{" + ", ".join(fields) + "}"


@cache
def _decoder(kind: type[Struct]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def _renamed(raw: object, fields: tuple[str, ...]) -> object:
    """The same value with foreign keys renamed, also in lists of objects.

    Nulls are left out, and so is what the tool has no field for and is not wished.
    """
    if isinstance(raw, list):
        return [_renamed(item, ()) for item in cast("list[object]", raw)]
    if not isinstance(raw, dict):
        return raw
    own = {folded(field): field for field in fields}
    known: dict[str, object] = {}
    for key, value in cast("dict[str, object]", raw).items():
        if value is None:
            continue
        name = _own_name(key, own)
        if value is False and own and name not in fields:
            continue
        if name in known:
            raise msgspec.ValidationError(f"Object names field `{name}` twice (also as `{key}`)")
        known[name] = _renamed(cast("object", value), ()) if isinstance(value, list) else value
    return known


def _retyped(raw: object, kind: type[Struct]) -> object:
    """Lists and objects that were sent as JSON text, and commands that were sent as a list of words."""
    if not isinstance(raw, dict):
        return raw
    fields = cast("dict[str, Any]", msgspec.json.decode(schema(kind))).get("properties", {})
    known = cast("dict[str, object]", raw)
    for name, value in known.items():
        wanted = fields.get(name, {}).get("type")
        if wanted in {"array", "object"} and isinstance(value, str):
            with suppress(msgspec.DecodeError):
                read: object = msgspec.json.decode(value)
                known[name] = _renamed(read, ()) if wanted == "array" else read
        elif wanted == "string" and name in {"command", "cmd"} and isinstance(value, list):
            known[name] = _shell_text(cast("list[object]", value))
    return known


def _shell_text(words: list[object]) -> object:
    match words:
        case ["bash" | "sh" | "/bin/bash" | "/bin/sh", "-c" | "-lc", str(script)]:
            return script
        case _ if all(isinstance(word, str) for word in words):
            return shlex.join(cast("list[str]", words))
        case _:
            return words


def _placed(broken: Exception, text: str) -> str:
    """What is wrong, and where if that is known."""
    is_cut = isinstance(broken, msgspec.DecodeError) and "truncated" in str(broken)
    return f"{broken} (byte {len(text.encode('utf-8', 'replace'))})" if is_cut else str(broken)


def _own_name(key: str, own: dict[str, str]) -> str:
    fold = folded(key)
    alias = ARGUMENTS.get(fold, "")
    if not own:
        return alias or key
    return own.get(fold) or own.get(folded(alias)) or key


def _compact(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        return _compact(definitions[node["$ref"]], definitions)
    if "anyOf" in node:
        options = [option for option in node["anyOf"] if option != {"type": "null"}]
        if len(options) == 1:
            outer = {key: value for key, value in node.items() if key not in {"anyOf", "default"}}
            return _compact(options[0], definitions) | outer
    shorter = {key: value for key, value in node.items() if key not in {"title", "default"}}
    if "properties" in shorter:
        shorter["additionalProperties"] = False
        shorter["properties"] = {
            name: _compact(field, definitions) for name, field in shorter["properties"].items()
        }
    if isinstance(shorter.get("items"), dict):
        shorter["items"] = _compact(shorter["items"], definitions)
        shorter["items"].pop("description", None)
    if isinstance(shorter.get("additionalProperties"), dict):
        values = _compact(node["additionalProperties"], definitions)
        shorter["additionalProperties"] = values
        values.pop("description", None)
    return shorter


def _kind_name(field: dict[str, Any]) -> str:
    if "enum" in field:
        return " | ".join(str(value) for value in field["enum"])
    if "properties" in field:
        return _object_name(field)
    if isinstance(field.get("items"), dict):
        return f"[{_kind_name(field['items'])}]"
    return str(field.get("type", "object"))
