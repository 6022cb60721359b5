"""Following a path as the kernel would, link by link, and telling what lay on the way; it blocks."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

_MOST_LINKS = 40
_MOST_DETOURS = 200
"""So many folders may lie in the targets of links on one way."""
_NAMES_LOOKED_AT = 2_000


class Walked(Struct, frozen=True, kw_only=True):
    """Where a path leads.

    Attributes:
        path: Without links and dots; what does not exist is kept as written.
        visited: Every place on the way, the targets of links included.
        found: What is there; None for nothing.
        problem: Why it leads nowhere, empty when it may exist.
        last: The final name in its real folder, not followed when it is a link.
    """

    path: Path
    visited: tuple[Path, ...] = ()
    found: os.stat_result | None = None
    problem: str = ""
    last: Path = Path("/")

    @property
    def is_link(self) -> bool:
        """Whether the name itself is a link."""
        return self.last != self.path

    def unfollowed(self) -> "Walked":
        """The link itself."""
        until = self.visited.index(self.last) + 1 if self.last in self.visited else None
        return Walked(
            path=self.last,
            visited=self.visited[:until],
            found=_stat(self.last),
            last=self.last,
        )


def walked(path: Path) -> Walked:
    """Follows an absolute path; never raises."""
    rest = _parts(str(path))
    own = len(rest)
    here, last, links, detours = Path("/"), Path("/"), 0, 0
    visited: list[Path] = []
    while rest:
        is_final = own == len(rest) == 1
        own = min(own, len(rest) - 1)
        part = rest.pop()
        if part == "..":
            here = here.parent
            continue
        place = here / part
        last = place if is_final else last
        visited.append(place)
        try:
            mode = place.lstat().st_mode
            target = str(place.readlink()) if stat.S_ISLNK(mode) else ""
        except (FileNotFoundError, NotADirectoryError) as absent:
            problem = "it lies below a file" if isinstance(absent, NotADirectoryError) else ""
            end = Path(os.path.normpath(place.joinpath(*rest[::-1])))
            ended = last if is_final or last == place else end
            return Walked(path=end, visited=tuple(visited), problem=problem, last=ended)
        except (OSError, ValueError) as failed:
            return Walked(path=place, visited=tuple(visited), problem=str(failed), last=place)
        if not target:
            here = place
            continue
        links += 1
        added = _parts(target)
        detours += len(added)
        if links > _MOST_LINKS or detours > _MOST_DETOURS:
            problem = "its links go in a circle" if links > _MOST_LINKS else "its links go too far"
            return Walked(path=path, visited=tuple(visited), problem=problem, last=path)
        rest += added
        here = Path("/") if target.startswith("/") else here
    return Walked(
        path=here,
        visited=tuple(visited),
        found=_stat(here),
        last=last if last.name and own == 0 and not _ends_above(path) else here,
    )


def _parts(path: str) -> list[str]:
    """The parts of a path, the first one last."""
    return [part for part in path.split("/") if part not in {"", "."}][::-1]


def _ends_above(path: Path) -> bool:
    return path.name in {"", ".."}


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None


def has_other_name(path: Path, found: os.stat_result, roots: tuple[Path, ...]) -> bool:
    """Whether a file may have a name (a hard link) outside of ``roots``; looks at a few thousand names."""
    if found.st_nlink < 2:
        return False
    seen = 0
    budget = _NAMES_LOOKED_AT
    for root in (path.parent, *roots):
        names: set[str] = set()
        for entry in _entries(root, deep=root in roots):
            budget -= 1
            if budget < 0:
                return True
            try:
                if entry.inode() == found.st_ino and not entry.is_symlink():
                    names.add(entry.path)
            except OSError:
                continue
        seen = max(seen, len(names))
        if seen >= found.st_nlink:
            return False
    return True


def _entries(folder: Path, *, deep: bool) -> Iterator[os.DirEntry[str]]:
    folders = [str(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if deep and entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        yield entry
        except OSError:
            continue
