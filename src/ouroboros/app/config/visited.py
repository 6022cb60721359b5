"""What a workspace sets for itself that a session visits besides its own.

The same layers, trust and narrowing as for a project. Of files that nobody trusted yet counts what
asks, denies or narrows: whoever wrote them may make us more careful, and nothing else.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Literal, cast

from msgspec import Struct

from ouroboros.app.config import file as config_file
from ouroboros.app.config import schema, trust
from ouroboros.app.config.layers import (
    Layer,
    Reading,
    environment,
    read_project,
    read_user,
    rules_of,
)
from ouroboros.app.config.rule_names import MOST_RULES, is_modest, limiting
from ouroboros.app.config.schema import KeyPath, Table, WrongValue
from ouroboros.core.commands import Mode
from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.rules.values import Rule

_NARROWING: tuple[KeyPath, ...] = (("mode",), ("sandbox", "mode"), ("sandbox", "hide"))


_OF_A_PROJECT = frozenset({"project rules", "local rules", "project", "local"})


class OwnSettings(Struct, frozen=True, kw_only=True):
    """What holds in one workspace.

    Attributes:
        project: The folder whose files say it.
        rules: Permission rules, each with its layer.
        mode: How much is asked there; None where it says nothing.
        sandbox: What commands may write there; None where it says nothing.
        hide: Places that commands may not read, as they are written.
        warnings: Lines the person should see.
    """

    project: Path
    rules: tuple[Rule, ...] = ()
    mode: Mode | None = None
    sandbox: Literal["read-only", "workspace-write", "danger-full-access"] | None = None
    hide: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def settings_of(folder: Path, home: Path) -> OwnSettings:
    """What a workspace sets for itself; blocks.

    Raises:
        ConfigBroken: A file that is trusted cannot be understood.
    """
    project = trust.project_folder(folder, home)
    reading = Reading(
        home=home,
        project=project,
        of_strangers=partial(_careful, home=home, project=project),
        cwd=folder,
        person=Path(environment().get("HOME") or "/"),
    )
    read_user(reading, home / "config.toml")
    known = len(reading.warnings)
    read_project(reading, project, home)
    own = [layer for layer in reading.layers if layer.name in _OF_A_PROJECT]
    joined: Table = {}
    for layer in own:
        schema.join(joined, layer.table)
    cage = cast("Mapping[str, object]", joined.get("sandbox") or {})
    return OwnSettings(
        project=project,
        rules=rules_of(own),
        mode=cast("Mode | None", joined.get("mode")),
        sandbox=cast(
            'Literal["read-only", "workspace-write", "danger-full-access"] | None',
            cage.get("mode"),
        ),
        hide=tuple(cast("Iterable[str]", cage.get("hide") or ())),
        warnings=tuple(_told(each, own, project) for each in reading.warnings[known:]),
    )


def _told(warning: str, own: Iterable[Layer], project: Path) -> str:
    """A warning for somebody who works in another folder."""
    if trust.TO_USE not in warning:
        return warning
    named = warning.replace(trust.TO_USE, f"`ouro trust {project}` to use it")
    if any(layer.state == "not trusted" and layer.table for layer in own):
        return f"{named} (what asks, denies or narrows there counts already)"
    return named


def _careful(path: Path, content: bytes, *, home: Path, project: Path) -> Table:
    """The part of a stranger's file that narrows; nothing of one that is not understood."""
    try:
        known, _ = schema.check(config_file.parse(path, content))
    except (ConfigBroken, WrongValue, RecursionError):
        return {}
    kept: Table = {}
    for key, value in schema.flatten(known):
        if key in _NARROWING:
            schema.join(kept, schema.nest(key, value))
    lists = cast("Mapping[str, Iterable[object]]", known.get("permissions") or {})
    for outcome in ("ask", "deny"):
        rules = [each for each in lists.get(outcome, ()) if _is_sound(outcome, each, home, project)]
        if rules:
            schema.join(kept, {"permissions": {outcome: rules[:MOST_RULES]}})
    return kept


def _is_sound(outcome: str, written: object, home: Path, project: Path) -> bool:
    if not is_modest(written):
        return False
    try:
        limiting(outcome, written, home=home, project=project)
    except ConfigBroken:
        return False
    return True
