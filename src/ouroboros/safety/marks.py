"""Marks in the environment of what we start, by which it is found again wherever it went."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

MARK = "OUROBOROS_SPAWN"
"""Variable by which everything a child started can be found again."""


def marked(environment: Mapping[str, str], mark: str) -> dict[str, str]:
    """The marks of the spawns above stay, so that an outer one can end what an inner one started."""
    return {MARK: f"{environment.get(MARK, '')} {mark}".strip()}


def strays_of(mark: str) -> tuple[int, ...]:
    """Processes that carry the mark of one spawn, also those that left its group and parent."""
    sought = mark.encode()
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if sought in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return tuple(found)
