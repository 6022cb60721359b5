"""A history that is fetched in steps, each of them kept: git cannot go on with half a pack.

The latest commit comes first, then ever more of what was before it. A fetch that was cut off goes on
after its last whole step.
"""

import os
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.workspace.repos.faults import RepoFailed, RepoRefused
from ouroboros.workspace.repos.shelf import MARK, Shelf, discard

DEPTHS = (1, 100, 1_000, 10_000)
"""How many commits there are after each step; then all of them."""

KEPT_SECONDS = 7 * 86_400.0
"""How long steps wait for somebody to go on with them."""


class Mark(Struct, frozen=True, kw_only=True):
    """What is fetched, and how many commits deep it is by now; 0 for nothing yet."""

    url: str
    ref: str
    depth: int
    done: int = 0


def depths(wanted: int, done: int = 0) -> tuple[int, ...]:
    """The steps that are left to so many commits, where 0 is all of them."""
    steps = (*(each for each in DEPTHS if not wanted or each < wanted), wanted)
    return tuple(each for each in steps if each == 0 or each > done)


def is_whole(folder: Path) -> bool:
    """Whether the history that is here reaches to its beginning; blocks."""
    return not (folder / ".git/shallow").exists()


def begun(folder: Path, mark: Mark) -> Mark | None:
    """What an earlier process fetched of just this, made ready to go on; blocks.

    Anything else that lies there is removed.
    """
    try:
        had = msgspec.json.decode((folder / MARK).read_bytes(), type=Mark)
    except (OSError, msgspec.DecodeError):
        had = None
    if had is None or msgspec.structs.replace(had, done=0) != mark:
        discard(folder)
        return None
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            if path.name != ".git":
                discard(path)
        else:
            path.unlink()
    kept = folder / ".git"
    (kept / "index").unlink(missing_ok=True)
    for root, _, names in os.walk(kept):
        is_object = Path(root).is_relative_to(kept / "objects")
        for name in names:  # whoever held these is dead
            if name.endswith(".lock") or (is_object and name.startswith("tmp_")):
                (Path(root) / name).unlink()
    return had


def note(folder: Path, mark: Mark) -> None:
    """Writes down a step that is whole; blocks."""
    path = folder / MARK
    unfinished = path.with_suffix(".new")
    unfinished.write_bytes(msgspec.json.encode(mark))
    unfinished.replace(path)


def forget(folder: Path) -> None:
    """Nothing that is here is gone on with; blocks."""
    with suppress(OSError):
        (folder / MARK).unlink(missing_ok=True)


def is_kept(failed: RepoFailed) -> bool:
    """Whether another try may go on after such a failure."""
    return not isinstance(failed, RepoRefused) and "no room" not in failed.message


def sweep(shelf: Shelf, now: float) -> None:
    """Removes what nobody came back for; blocks."""
    parts = shelf.folder / ".part"
    with suppress(OSError):
        for path in parts.iterdir():
            if (path / MARK).is_file() and now - (path / MARK).stat().st_mtime > KEPT_SECONDS:
                with suppress(RepoFailed), shelf.locked(path.name) as part:
                    forget(part)
