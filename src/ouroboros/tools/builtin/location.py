"""Paths as a model writes them and as a person reads them."""

import os
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ouroboros.core.errors import ToolFailed
from ouroboros.safety.paths import real
from ouroboros.tools.tool import ToolContext
from ouroboros.workspace.files import FileMissing

_LOOK_ENTRIES = 20_000
_LOOK_SECONDS = 0.1
_TOO_MANY = 4


def located(path: str, cwd: Path) -> Path:
    """The absolute path a model meant.

    Raises:
        ToolFailed: No path can be spelled like this.
    """
    if not path.strip() or "\0" in path:
        raise ToolFailed(f"not a path: {path!r}")
    try:
        path.encode()
        return cwd / Path(path).expanduser()
    except (UnicodeEncodeError, RuntimeError) as broken:
        raise ToolFailed(f"not a path: {path!r}") from broken


def shown(path: Path, cwd: Path) -> str:
    """The path from the working folder when it lies below it, else whole."""
    return str(path.relative_to(cwd)) if path.is_relative_to(cwd) else str(path)


def missing(path: Path, failed: FileMissing, context: ToolContext) -> ToolFailed:
    """The same failure, with the places of files of that name; it looks around for a moment."""
    places: list[str] = []
    for place in _namesakes(path.name, context):
        places.append(shown(place, context.cwd))
        if len(places) == _TOO_MANY:
            return failed
    if not places:
        return failed
    which = "a file of that name is" if len(places) == 1 else "files of that name are"
    return FileMissing(f"{path} does not exist; {which} at {', '.join(sorted(places))}")


def _namesakes(name: str, context: ToolContext) -> Iterator[Path]:
    """Files of this name in the working folder, the nearest to its top first."""
    from ouroboros.tools.builtin.walker import SKIPPED

    left = _LOOK_ENTRIES
    until = context.clock.monotonic() + _LOOK_SECONDS
    folders = deque([context.cwd])
    while folders and left > 0 and context.clock.monotonic() < until:
        with suppress(OSError), os.scandir(folders.popleft()) as entries:
            for entry in entries:
                left -= 1
                if left < 0:
                    return
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in SKIPPED:
                        folders.append(Path(entry.path))
                elif entry.name == name and not context.hides(real(Path(entry.path))):
                    yield Path(entry.path)
