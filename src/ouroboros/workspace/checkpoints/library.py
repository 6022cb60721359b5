"""All objects that are kept for one folder: packs to look in, and one that is being written."""

import errno
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from ouroboros.workspace.checkpoints.faults import CheckpointFailed, CheckpointLost
from ouroboros.workspace.checkpoints.objects import NAME_BYTES, Kind, entries_of, name_of, tree_in
from ouroboros.workspace.checkpoints.packs import Pack, PackWriter

SMALL_BYTES = 8_388_608
"""Smaller packs are joined when there are many."""

MANY_PACKS = 40

_NOT_NOW = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EACCES}
"""Says nothing of the file."""


class Library:
    """Objects by their names; every method blocks on the disk."""

    def __init__(self, folder: Path) -> None:
        """``folder`` is the Git directory; it is read when the first object is asked for."""
        self._folder = folder / "objects" / "pack"
        self._packs: dict[str, Pack] = {}
        self._writer: PackWriter | None = None

    def load(self) -> None:
        """Finds out which packs there are now.

        Raises:
            CheckpointLost: One of them is damaged.
            CheckpointFailed: One of them cannot be read now.
        """
        found = self._found()
        while found is None:
            found = self._found()
        for name in self._packs.keys() - found.keys():
            self._packs[name].close()
        self._packs = found

    def close(self) -> None:
        """Lets go of every file; the next ``load`` opens them again."""
        for pack in self._packs.values():
            pack.close()
        self._packs = {}

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        total = 0
        for path in self._folder.glob("*"):
            with suppress(OSError):
                total += path.stat().st_size
        return total

    def has(self, sha: bytes) -> bool:
        """Whether an object is kept."""
        return len(sha) == NAME_BYTES and any(
            pack.place(sha) is not None for pack in self._packs.values()
        )

    def names(self) -> set[bytes]:
        """The names of all objects."""
        return {sha for pack in self._packs.values() for sha in pack.names()}

    def get(self, sha: bytes, kind: Kind | None = None) -> bytes:
        """An object's content, which is what its name says.

        Raises:
            CheckpointLost: It is missing, damaged or of another kind.
        """
        found, data = self._find(sha)
        if name_of(found, data) != sha or kind not in {None, found}:
            raise CheckpointLost(f"the kept object {sha.hex()} is damaged")
        return data

    def tree_of(self, commit: bytes) -> bytes:
        """The tree that a commit names; raises as ``get``."""
        try:
            return tree_in(self.get(commit, "commit"))
        except ValueError as broken:
            raise CheckpointLost(f"the checkpoint {commit.hex()} is damaged") from broken

    def put(self, kind: Kind, sha: bytes, data: bytes) -> None:
        """Keeps an object, inside of ``writing``; raises ``OSError`` when there is no room."""
        assert self._writer is not None
        if sha not in self._writer and not self.has(sha):
            self._writer.add(kind, sha, data)

    @contextmanager
    def writing(self) -> Generator[None]:
        """Objects that are put meanwhile are durable at the end of the block, all of them or none."""
        self._writer = writer = PackWriter(self._folder)
        try:
            yield
            if writer.finish():
                self.load()
        finally:
            writer.discard()
            self._writer = None

    def clean(self) -> None:
        """Removes what a process that was killed left half written; nobody else may be writing."""
        for path in self._folder.glob("tmp_*"):
            with suppress(OSError):
                path.unlink()

    def join(self) -> None:
        """Makes one pack of many small ones."""
        small = [pack for pack in self._packs.values() if pack.path.stat().st_size < SMALL_BYTES]
        if len(small) >= MANY_PACKS:
            self._rewrite(small, lambda _: True)

    def sweep(self, wanted: set[bytes]) -> None:
        """Lets go of every object that is not wanted."""
        spoilt = [
            pack for pack in self._packs.values() if any(sha not in wanted for sha in pack.names())
        ]
        if spoilt:
            self._rewrite(spoilt, wanted.__contains__)

    def mend(self) -> int:
        """Puts packs with damaged objects aside, and keeps what is whole of them; how many were lost."""
        lost = 0
        for pack in tuple(self._packs.values()):
            whole = {sha for sha in pack.names() if self._is_whole(sha)}
            if len(whole) < len(pack):
                lost += len(pack) - len(whole)
                self._rewrite([pack], whole.__contains__, aside=True)
        return lost

    def reached(self, roots: set[bytes]) -> set[bytes]:
        """These commits and trees, and everything that they name and that is kept."""
        found: set[bytes] = set()
        waiting = list(roots)
        while waiting:
            sha = waiting.pop()
            if sha in found or not self.has(sha):
                continue
            found.add(sha)
            kind, data = self._find(sha)
            if kind == "commit":
                waiting.append(tree_in(data))
            elif kind == "tree":
                for entry in entries_of(data):
                    if entry.is_folder:
                        waiting.append(entry.sha)
                    else:
                        found.add(entry.sha)
        return found

    def _found(self) -> dict[str, Pack] | None:
        """The packs there are; None where another process tidied meanwhile."""
        names = {path.name: path for path in self._folder.glob("pack-*.pack")}
        try:
            return {
                name: self._packs[name] if name in self._packs else Pack(path)
                for name, path in names.items()
            }
        except (OSError, ValueError) as broken:
            if not all(os.path.lexists(path) for path in names.values()):
                return None
            if isinstance(broken, OSError) and broken.errno in _NOT_NOW:
                raise CheckpointFailed(f"the kept files cannot be read: {broken}") from broken
            raise CheckpointLost(f"the kept files are damaged: {broken}") from broken

    def _find(self, sha: bytes) -> tuple[Kind, bytes]:
        for pack in tuple(self._packs.values()):
            place = pack.place(sha)
            if place is not None:
                try:
                    return pack.read(place, self._find)
                except ValueError as broken:
                    raise CheckpointLost(f"the kept files are damaged: {broken}") from broken
        raise CheckpointLost(f"the kept object {sha.hex()} is missing")

    def _is_whole(self, sha: bytes) -> bool:
        try:
            self.get(sha)
        except CheckpointLost:
            return False
        return True

    def _rewrite(
        self, packs: list[Pack], wants: Callable[[bytes], bool], *, aside: bool = False
    ) -> None:
        """Writes what is wanted of some packs into a new one, then removes them."""
        writer = PackWriter(self._folder)
        try:
            for pack in packs:
                for sha in pack.names():
                    if wants(sha) and sha not in writer:
                        writer.add(*_named(sha, self._find(sha)))
            writer.finish()
        finally:
            writer.discard()
        kept = {path.name for path in self._folder.glob("pack-*.pack")}
        for pack in packs:
            if pack.path.name == writer.name and pack.path.name in kept:
                continue  # the same objects in the same order
            for path in (pack.path, pack.path.with_suffix(".idx")):
                if aside:
                    path.rename(path.with_name(f"damaged-{path.name}"))
                else:
                    path.unlink(missing_ok=True)
        self.load()


def _named(sha: bytes, found: tuple[Kind, bytes]) -> tuple[Kind, bytes, bytes]:
    return found[0], sha, found[1]
