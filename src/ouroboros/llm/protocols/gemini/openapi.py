"""JSON Schema as the subset of OpenAPI that older Gemini models read."""

from collections.abc import Sequence
from typing import cast

from ouroboros.core.parts import ToolSpec
from ouroboros.llm.fields import Fields, child, children, parse, string, text_of

_KEPT = (
    "description",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
)
_FORMATS = frozenset({"date-time", "float", "double", "int32", "int64"})
_KINDS = frozenset({"string", "number", "integer", "boolean", "array", "object"})


def declaration(tool: ToolSpec) -> Fields:
    """A tool; one that takes nothing has no parameters at all."""
    found: Fields = {"name": tool.name, "description": tool.description}
    schema = parse(tool.schema) or {}
    parameters = _Subset(schema).read(schema)
    if parameters.get("properties"):
        found["parameters"] = parameters
    return found


class _Subset:
    """Schemas of one tool; references are resolved, for the subset has none."""

    def __init__(self, root: Fields) -> None:
        self._root = root

    def read(self, schema: Fields, within: tuple[str, ...] = ()) -> Fields:
        """What the subset knows of a schema; ``within`` are the references it was reached by."""
        schema, within = self._resolved(schema, within)
        for part in children(schema, "allOf"):
            schema = _joined(schema, self._resolved(part, within)[0])
        options, is_nullable = _options(schema)
        if len(options) == 1:
            alone = {key: schema[key] for key in schema if key not in {"anyOf", "oneOf", "type"}}
            schema, within = self._resolved({**alone, **options[0]}, within)
        found: Fields = {key: schema[key] for key in _KEPT if key in schema}
        if is_nullable:
            found["nullable"] = True
        if len(options) > 1:
            return {"anyOf": [self.read(option, within) for option in options], **found}
        return {**self._typed(schema, within), **found}

    def _typed(self, schema: Fields, within: tuple[str, ...]) -> Fields:
        kind = _kind(schema)
        if choices := _choices(schema, kind):
            return {"type": "STRING", "enum": choices}
        found: Fields = {"type": kind.upper()}
        if string(schema, "format") in _FORMATS:
            found["format"] = schema["format"]
        if kind == "array":
            found["items"] = self.read(_element(schema), within)
        if kind == "object":
            found |= self._members(schema, within)
        return found

    def _resolved(self, schema: Fields, within: tuple[str, ...]) -> tuple[Fields, tuple[str, ...]]:
        while reference := string(schema, "$ref"):
            if reference in within:
                return {"type": "object"}, within
            within = (*within, reference)
            found = self._root
            for name in reference.removeprefix("#").strip("/").split("/"):
                found = child(found, name.replace("~1", "/").replace("~0", "~"))
            schema = {**found, **{key: schema[key] for key in schema if key != "$ref"}}
        return schema, within

    def _members(self, schema: Fields, within: tuple[str, ...]) -> Fields:
        members = child(schema, "properties")
        if not members:
            return {}
        found: Fields = {
            "properties": {name: self.read(child(members, name), within) for name in members}
        }
        if names := [name for name in _names(schema) if name in members]:
            found["required"] = list(dict.fromkeys(names))
        return found


def _options(schema: Fields) -> tuple[list[Fields], bool]:
    """The schemas it may be one of, null not among them; and whether it may be null."""
    options = [*children(schema, "anyOf"), *children(schema, "oneOf")]
    kinds = schema.get("type")
    if isinstance(kinds, list) and not options:
        bare = {key: value for key, value in schema.items() if key != "type"}
        options = [{**bare, "type": kind} for kind in cast("list[object]", kinds)]
    some = [option for option in options if option.get("type") != "null"]
    may_be_null = len(some) < len(options) or None in _values(schema)
    return some, may_be_null or schema.get("nullable") is True


def _kind(schema: Fields) -> str:
    kind = string(schema, "type").lower()
    if kind in _KINDS:
        return kind
    if "properties" in schema:
        return "object"
    if "items" in schema or "prefixItems" in schema:
        return "array"
    return "string"


def _values(schema: Fields) -> Sequence[object]:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return cast("list[object]", values) if isinstance(values, list) else []


def _choices(schema: Fields, kind: str) -> list[str]:
    """The values to choose from as texts, which is all the subset takes."""
    if kind not in {"string", "number", "integer"}:
        return []
    return [
        value if isinstance(value, str) else text_of(value)
        for value in _values(schema)
        if value is not None
    ]


def _element(schema: Fields) -> Fields:
    """What an array holds; it must be told."""
    items = child(schema, "items")
    if items:
        return items
    several = children(schema, "prefixItems") or children(schema, "items")
    if several:
        return {"anyOf": several} if len(several) > 1 else several[0]
    return {"type": "string"}


def _joined(schema: Fields, other: Fields) -> Fields:
    """A schema and a part of its ``allOf``."""
    members = {**child(schema, "properties"), **child(other, "properties")}
    required = [*_names(schema), *_names(other)]
    joined = {**other, **schema}
    if members:
        joined["properties"] = members
    if required:
        joined["required"] = required
    return joined


def _names(schema: Fields) -> list[str]:
    names = schema.get("required")
    if not isinstance(names, list):
        return []
    return [name for name in cast("list[object]", names) if isinstance(name, str)]
