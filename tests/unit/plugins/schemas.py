"""As much of JSON Schema (draft 7) as the schemas of hooks use."""

from pathlib import Path
from typing import Any, cast

import msgspec

FOLDER = Path(__file__).parent / "hooks_schema"

_KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
}


def schema(name: str) -> dict[str, Any]:
    """One of codex's schemas, such as ``stop.command.input``."""
    return msgspec.json.decode((FOLDER / f"{name}.schema.json").read_bytes(), type=dict[str, Any])


def wrong(value: object, rule: Any, root: dict[str, Any]) -> list[str]:
    """What of a value does not fit."""
    if rule is True:
        return []
    if "$ref" in rule:
        return wrong(value, root["definitions"][rule["$ref"].rpartition("/")[2]], root)
    found = [each for part in rule.get("allOf", ()) for each in wrong(value, part, root)]
    kinds = rule.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not isinstance(value, tuple(kind for name in kinds for kind in _KINDS[name])):
        found.append(f"{value!r} is no {kinds}")
    if "enum" in rule and value not in rule["enum"]:
        found.append(f"{value!r} is none of {rule['enum']}")
    if "const" in rule and value != rule["const"]:
        found.append(f"{value!r} is not {rule['const']!r}")
    if isinstance(value, dict):
        found += _of_object(cast("dict[str, object]", value), rule, root)
    return found


def _of_object(value: dict[str, object], rule: Any, root: dict[str, Any]) -> list[str]:
    known = rule.get("properties", {})
    found = [f"{name} is missing" for name in rule.get("required", ()) if name not in value]
    for name, inner in value.items():
        if name in known:
            found += wrong(inner, known[name], root)
        elif rule.get("additionalProperties", True) is False:
            found.append(f"{name} is not known")
    return found
