"""What is different between two checkpoints, as text."""

import stat
from collections.abc import Iterable
from pathlib import Path

from ouroboros.workspace.changes import LARGEST_BYTES, Side, told
from ouroboros.workspace.checkpoints.compare import Change
from ouroboros.workspace.checkpoints.library import Library
from ouroboros.workspace.checkpoints.objects import NOT_KEPT, Entry


def diff_of(library: Library, changes: Iterable[Change]) -> str:
    """The changes of files as git shows them, bounded; raises ``CheckpointLost``."""
    return told(sides_of(library, changes), name_of)


def name_of(path: Path) -> str:
    """A path as text that can be shown and sent."""
    return path.as_posix().encode("utf-8", "replace").decode()


def sides_of(
    library: Library, changes: Iterable[Change]
) -> dict[Path, tuple[Side | None, Side | None]]:
    """What each changed file was and is; raises ``CheckpointLost``."""
    return {
        Path(change.path): (_side(library, change.before), _side(library, change.after))
        for change in changes
        if not change.is_folder
    }


def _side(library: Library, entry: Entry | None) -> Side | None:
    if entry is None or entry.is_folder:
        return None
    if entry.mode == NOT_KEPT:
        return Side(mode="160000", size=int.from_bytes(entry.sha[:6]))
    data = library.get(entry.sha, "blob")
    is_script = entry.mode & stat.S_IXUSR
    mode = "120000" if stat.S_ISLNK(entry.mode) else "100755" if is_script else "100644"
    return Side(mode=mode, data=data if len(data) <= LARGEST_BYTES else None, size=len(data))
