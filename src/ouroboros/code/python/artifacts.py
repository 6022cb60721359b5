"""The files that blocks put into the folder meant for them; everything here blocks."""

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from ouroboros.safety.paths.beneath import open_plain

MOST = 100
"""Files that one block may hand over."""

MOST_BYTES = 256 * 1_048_576
"""Of one file; larger ones stay where they are."""


class Artifact(Struct, frozen=True, kw_only=True):
    """A file: its path below the folder, its size and its digest."""

    name: str
    bytes: int
    sha256: str


class Shelf:
    """The folder that blocks write into, and the one in which what they wrote is kept."""

    def __init__(self, folder: Path, place: Path | None = None) -> None:
        """Makes nothing yet; ``place`` is where the workshop is made, else among temporary files."""
        self.folder = folder
        self.workshop: Path | None = None
        self._place = place
        self._known: dict[str, tuple[int, int, int]] = {}

    def make(self) -> None:
        """Makes the workshop."""
        if self.workshop is None:
            made = tempfile.mkdtemp(prefix="ouroboros-artifacts-", dir=self._place)
            self.workshop = Path(made).resolve()

    def remove(self) -> None:
        """Takes the workshop away; what was kept stays."""
        if self.workshop is not None:
            shutil.rmtree(self.workshop, ignore_errors=True)
            self.workshop = None

    def fresh(self) -> tuple[Artifact, ...]:
        """Keeps the files that are new or changed since the last look, at most 100."""
        found: list[Artifact] = []
        for name, path, seen in self._files():
            mark = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
            if self._known.get(name) == mark or len(found) == MOST:
                continue
            self._known[name] = mark
            kept = self._keep(name, path)
            if kept is not None:
                found.append(kept)
        return tuple(sorted(found, key=lambda artifact: artifact.name))

    def _files(self) -> Iterator[tuple[str, Path, os.stat_result]]:
        workshop = self.workshop
        for folder, _, names in os.walk(workshop, followlinks=False) if workshop else ():
            for name in names:
                path = Path(folder) / name
                try:
                    seen = path.lstat()
                except OSError:
                    continue
                if stat.S_ISREG(seen.st_mode) and seen.st_size <= MOST_BYTES:
                    yield str(path.relative_to(workshop or folder)), path, seen

    def _keep(self, name: str, path: Path) -> Artifact | None:
        """A copy; None for what is no plain file any more, or cannot be read."""
        target = self.folder / name
        digest, size = hashlib.sha256(), 0
        try:
            source = open_plain(path, os.O_RDONLY | os.O_NONBLOCK)
            with os.fdopen(source, "rb") as file:
                if not stat.S_ISREG(os.fstat(source).st_mode):
                    return None
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("wb") as copy:
                    while (piece := file.read(1_048_576)) and size <= MOST_BYTES:
                        digest.update(piece)
                        size += len(piece)
                        copy.write(piece)
        except OSError:
            return None
        return Artifact(name=name, bytes=size, sha256=digest.hexdigest())
