"""Rules from an older map of levels: what each tool may do by itself."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import msgspec

from ouroboros.app.config import file as config_file
from ouroboros.app.config.rule_names import limiting
from ouroboros.core.errors import ConfigBroken, Misuse
from ouroboros.safety.rules import parse_rule

LEVELS = {"auto": "allow", "approve": "ask", "denied": "deny"}


def read_levels(path: Path, *, home: Path, project: Path) -> dict[str, tuple[str, ...]]:
    """The rules of a JSON file ``{"tool": "auto" | "approve" | "denied"}``, by outcome.

    All of it is read or nothing: a level that nobody knows must not become one that allows.

    Raises:
        Misuse: There is no such file.
        ConfigBroken: It is no such map, or names a tool that there is not.
    """
    content = config_file.read_bytes(path)
    if content is None:
        raise Misuse(f"there is no file {path}")
    try:
        held: object = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigBroken(f"{path}: {error}", hint="it should be an object in JSON") from None
    if not isinstance(held, Mapping):
        raise ConfigBroken(f"{path}: expected an object of tools and levels")
    found: dict[str, list[str]] = {"allow": [], "ask": [], "deny": []}
    for tool, level in cast("Mapping[str, object]", held).items():
        outcome = LEVELS.get(level) if isinstance(level, str) else None
        if outcome is None:
            raise ConfigBroken(
                f"{path}: {tool}: no level {level!r}", hint="there are auto, approve and denied"
            )
        try:
            parse_rule(outcome, tool)
            limiting("deny", tool, home=home, project=project)
        except ConfigBroken as error:
            raise ConfigBroken(f"{path}: {error.message}", hint=error.hint) from None
        found[outcome].append(tool)
    return {outcome: tuple(tools) for outcome, tools in found.items() if tools}
