"""What a tool says of itself: ``tool.toml``, and the arguments that come of it."""

import keyword
import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from ouroboros.core.errors import ToolFailed

MANIFEST, CODE = "tool.toml", "tool.py"

LONGEST_SECONDS = 600.0

type Kind = Literal["string", "integer", "number", "boolean", "array", "object"]

_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list[Any],
    "object": dict[str, Any],
}
_NAME = re.compile(r"[a-z][a-z0-9_]{1,47}")


class Parameter(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[parameters.NAME]``: one argument."""

    type: Kind = "string"
    description: str = ""
    required: bool = False


class Manifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of ``tool.toml``.

    Attributes:
        read_only: It only looks; then it runs unasked, in a cage that lets it write nothing.
        timeout: Seconds a call may take.
    """

    name: str
    description: Annotated[str, Meta(min_length=1, max_length=2_000)]
    read_only: bool = False
    timeout: Annotated[float, Meta(gt=0, le=LONGEST_SECONDS)] = 60.0
    parameters: dict[str, Parameter] = field(default_factory=dict[str, Parameter])


def parse(text: str, where: str) -> Manifest:
    """Reads a manifest.

    Raises:
        ToolFailed: It is none; the message begins with ``where`` and names the line or the field.
    """
    import tomllib  # most runs have no tool of their own

    try:
        found = msgspec.convert(tomllib.loads(text), Manifest)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as broken:
        raise ToolFailed(f"{where}: {broken}") from broken
    if not _NAME.fullmatch(found.name):
        raise ToolFailed(f"{where}: {found.name!r} is no name; use 2-48 of a-z, 0-9 and _")
    for name in found.parameters:
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
            raise ToolFailed(f"{where}: {name!r} cannot name a parameter")
    return found


def written(manifest: Manifest) -> str:
    """The manifest as TOML."""
    import tomlkit

    plain: dict[str, Any] = msgspec.to_builtins(manifest)
    return tomlkit.dumps(plain)


def arguments(manifest: Manifest) -> type[Struct]:
    """The Struct that its arguments are read into."""
    fields: list[tuple[str, Any, Any] | tuple[str, Any]] = []
    for name, parameter in manifest.parameters.items():
        kind = Annotated[_TYPES[parameter.type], Meta(description=parameter.description)]
        plain: Any = kind if parameter.description else _TYPES[parameter.type]
        fields.append((name, plain) if parameter.required else (name, plain | None, None))
    return msgspec.defstruct(
        f"{manifest.name}_arguments",
        fields,
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )
