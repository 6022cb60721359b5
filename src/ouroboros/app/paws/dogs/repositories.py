"""Repositories below a folder, held open so that each is known again wherever a command moves it."""

import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ouroboros.workspace.checkpoints.faults import CheckpointFailed

MOST = 100
"""So many repositories below a folder are looked at."""

_GIT = ".git"
_HELD = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


class Known(NamedTuple):
    """What a name led to: device and number, which nothing else has while it is held open."""

    device: int
    number: int


class Repositories:
    """The ``.git`` of a folder and of those below it, as they were; every method blocks."""

    def __init__(self, root: Path, inner: Collection[str]) -> None:
        """``inner`` as a look at the folder found them; ``close`` lets go of them."""
        self._root = root
        self._paths = {_GIT, *inner} if os.path.lexists(root / _GIT) else set(inner)
        self._known: dict[str, Known] = {}
        self._held: list[int] = []
        for path in (_GIT, *sorted(inner)[:MOST]):
            with suppress(OSError):  # one that cannot be held is found by nobody, and stays
                descriptor = os.open(root / path, _HELD)
                self._held.append(descriptor)
                seen = os.fstat(descriptor)
                self._known[path] = Known(seen.st_dev, seen.st_ino)

    def close(self) -> None:
        """Lets go of them."""
        while self._held:
            os.close(self._held.pop())

    def put_back(self) -> bool:
        """Moves each that is elsewhere below the folder to its place, where that is free.

        Returns:
            Whether one was moved.

        Raises:
            CheckpointFailed: One is not called ``.git`` any more, so that it would be taken for new
                files, and it cannot be moved.
        """
        is_moved = False
        for path, place in self._moved().items():
            if self._is_free(path):
                with suppress(OSError):
                    place.rename(self._root / path)
                    is_moved = True
                    continue
            if place.name != _GIT:
                raise CheckpointFailed(
                    f"the repository of {_shown(path)} is in "
                    f"{place.relative_to(self._root).as_posix()!r} and cannot be moved back"
                )
        return is_moved

    def new(self, inner: Iterable[str]) -> list[str]:
        """The folders of repositories that are there now, and were not or are others."""
        now = {_GIT, *inner} if os.path.lexists(self._root / _GIT) else set(inner)
        return sorted(
            _shown(path)
            for path in now
            if path not in self._paths
            or (path in self._known and _at(self._root / path) != self._known[path])
        )

    def _moved(self) -> dict[str, Path]:
        """Where those are that are not at their places."""
        lost = {
            known: path for path, known in self._known.items() if _at(self._root / path) != known
        }
        found: dict[str, Path] = {}
        if not lost:
            return found
        for folder, names, files in os.walk(self._root):
            for name in (*names, *files):
                place = Path(folder, name)
                if (path := lost.get(_at(place) or Known(-1, -1))) is not None:
                    found[path] = place
        return found

    def _is_free(self, path: str) -> bool:
        """Whether nothing is there, and folders lead to it; those that are gone are made."""
        above = self._root
        for part in path.split("/")[:-1]:
            above /= part
            with suppress(OSError):
                above.mkdir()
            if above.is_symlink() or not above.is_dir():
                return False
        return not os.path.lexists(self._root / path)


def _at(place: Path) -> Known | None:
    """What is at a name, a link itself."""
    with suppress(OSError):
        seen = place.lstat()
        return Known(seen.st_dev, seen.st_ino)
    return None


def _shown(path: str) -> str:
    return repr(path.removesuffix(_GIT).rstrip("/") or ".")
