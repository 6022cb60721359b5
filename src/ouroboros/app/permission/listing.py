"""The permission rules that count, line by line, and lines put into a file or taken out; it blocks."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from msgspec import Struct

from ouroboros.app.config import saving
from ouroboros.app.config.layers import Loaded
from ouroboros.app.config.rule_names import limiting
from ouroboros.app.permission import policies
from ouroboros.core.errors import Misuse
from ouroboros.safety.rules.values import Outcome
from ouroboros.safety.rules.written import parse_rule

_CHARS = 100_000


class Line(Struct, frozen=True, kw_only=True):
    """One rule as it is written, and where; ``editable`` where a face may take it out."""

    outcome: str
    rule: str
    layer: str
    source: str
    editable: bool


class PolicyFile(Struct, frozen=True, kw_only=True):
    """One file of policy; without ``text`` where it is not trusted or cannot be read."""

    path: str
    text: str
    counts: bool
    problem: str = ""


def lines(loaded: Loaded) -> tuple[Line, ...]:
    """Every line of every layer, the nearest layer first."""
    found: list[Line] = []
    for layer in reversed(loaded.layers):
        lists = layer.table.get("permissions")
        if not isinstance(lists, dict):
            continue
        for outcome, written in cast("Mapping[str, list[object]]", lists).items():
            found += [
                Line(
                    outcome=outcome,
                    rule=str(parse_rule(outcome, each)),
                    layer=layer.name,
                    source=layer.source,
                    editable=layer.name in {"user", "project", "local"} and isinstance(each, str),
                )
                for each in written
            ]
    return tuple(found)


def place_of(line: Line, project: Path) -> str:
    """The layer of a line and where it stands, short where that is in the project."""
    source = line.source.removeprefix(f"{project}/")
    return line.layer if source == line.layer else f"{line.layer}: {source}"


def policy_files(home: Path, cwd: Path) -> tuple[PolicyFile, ...]:
    """The files of policy, the person's own first."""
    return tuple(
        PolicyFile(
            path=str(source.path),
            text=(source.content or b"")[:_CHARS].decode("utf-8", "replace"),
            counts=source.content is not None and not source.problem,
            problem=source.problem or ("" if source.content is not None else "it is not trusted"),
        )
        for source in policies.sources(home, cwd)
    )


def add(at: saving.Place, outcome: Outcome, rule: str, *, reload: Callable[[], Loaded]) -> Loaded:
    """Adds a line; gives the settings as they are then.

    Raises:
        ConfigBroken: It is no rule, or limits what there is not; the file is as it was.
        StoreFailed: It cannot be written.
    """
    parse_rule(outcome, rule)
    limiting(outcome, rule, home=at.home, project=at.folder or at.home)
    return saving.add_values(at, ("permissions", outcome), [rule], reload=reload)


def remove(at: saving.Place, outcome: str, rule: str, *, reload: Callable[[], Loaded]) -> Loaded:
    """Takes a line out; raises ``Misuse`` where it does not stand there, else as ``add``."""
    if outcome not in {"allow", "ask", "deny"}:
        raise Misuse(f"there is no list {outcome!r}", hint="allow, ask or deny")
    return saving.drop_value(at, ("permissions", outcome), rule, reload=reload)
