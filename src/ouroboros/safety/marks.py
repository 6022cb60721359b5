"""Marks in the environment of what we start, by which it is found again wherever it went."""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from time import sleep

MARK = "OUROBOROS_SPAWN"
"""Variable by which everything a child started can be found again."""

_PAUSES = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
"""Seconds before each further look at processes that show no variables."""

_CHUNK = 1 << 17
"""Bytes; more than most show."""

_TOLD_APART = 0.002
"""After such a pause a process that shows its words has no variables; before, they may be on their way."""


def marked(environment: Mapping[str, str], mark: str) -> dict[str, str]:
    """The marks of the spawns above stay, so that an outer one can end what an inner one started."""
    return {MARK: f"{environment.get(MARK, '')} {mark}".strip()}


def strays_of(mark: str) -> tuple[int, ...]:
    """Processes that carry the mark of one spawn, also those that left its group and parent; blocks.

    One that is just becoming another program shows none, so it is looked at again.
    """
    sought = mark.encode()
    found, blank = _carrying(sought, _processes())
    for pause in _PAUSES:
        if not blank:
            break
        sleep(pause)
        more, blank = _carrying(sought, blank, by_words=pause > _TOLD_APART)
        found += more
    return tuple(found)


def _processes() -> list[str]:
    """Their folders; none where the system shows none."""
    try:
        with os.scandir("/proc") as entries:
            return [entry.path for entry in entries if entry.name.isdecimal()]
    except FileNotFoundError:
        return []


def _carrying(
    sought: bytes, entries: list[str], *, by_words: bool = False
) -> tuple[list[int], list[str]]:
    """Which of them carry it, and which show no variables at all; ``by_words``: and no words either."""
    found: list[int] = []
    blank: list[str] = []
    for entry in entries:
        with contextlib.suppress(OSError):
            has_words = by_words and _read(f"{entry}/cmdline")
            variables = _read(f"{entry}/environ")
            if sought in variables:
                found.append(int(entry.rpartition("/")[2]))
            # The kernel names no program of one that has ended, nor of its own.
            elif not variables and not has_words and Path(entry, "exe").readlink():
                blank.append(entry)
    return found, blank


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        said = chunk = os.read(descriptor, _CHUNK)
        while chunk:
            chunk = os.read(descriptor, _CHUNK)
            said += chunk
        return said
    finally:
        os.close(descriptor)
