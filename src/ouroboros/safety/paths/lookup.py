"""Which file a shell runs for a bare name: the first of its name on PATH, whoever put it there."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from ouroboros.safety.paths.places import Places, real


def misled(names: Iterable[str], places: Places) -> str:
    """Why one of these names may run something else than the program of the system; empty if none does.

    That is a program in a folder that commands may write: there anybody of them can put one. Looks at
    the disk.
    """
    for name in dict.fromkeys(names):
        if name and "/" not in name and (found := _first(name, places)):
            return found
    return ""


def _first(name: str, places: Places) -> str:
    for entry in places.search:
        if not entry.startswith("/"):
            return f"PATH looks for {name} in the folder {entry or '.'!r}, wherever the command is"
        place = Path(entry, name)
        try:
            if not _runs(place):
                continue
            is_open = any(_is_open(each, places) for each in (place, real(place)))
        except OSError:
            return f"PATH leads to {place}, which cannot be looked at"
        return f"{name} is {place} here, which commands may change" if is_open else ""
    return ""


def _runs(place: Path) -> bool:
    """Whether a shell would take it."""
    try:
        mode = place.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return False
    return stat.S_ISREG(mode) and os.access(place, os.X_OK)


def _is_open(place: Path, places: Places) -> bool:
    return places.is_inside(place) or any(map(place.is_relative_to, places.written))
