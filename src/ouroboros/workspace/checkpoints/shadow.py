"""The repository of checkpoints of one folder: found again, locked, written and tidied."""

import os
import re
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Self

import msgspec
from msgspec import Struct

from ouroboros.workspace.checkpoints import index
from ouroboros.workspace.checkpoints.faults import (
    CheckpointFailed,
    CheckpointLost,
)
from ouroboros.workspace.checkpoints.index import Folder
from ouroboros.workspace.checkpoints.library import Library
from ouroboros.workspace.checkpoints.objects import commit_of, name_of
from ouroboros.workspace.checkpoints.place import (
    REFS,
    Place,
    alone,
    fill,
    found_for,
    keep_file,
    made_for,
    note,
)
from ouroboros.workspace.checkpoints.scan import Bounds, Look, Scan

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_\-]{0,127}")


class Taken(Struct, frozen=True, kw_only=True):
    """A checkpoint; ``is_new`` is false where an earlier one has the same files.

    Attributes:
        checkpoint: The commit, in hexadecimal digits, as ``tree`` is.
        entries: Names that were looked at.
        left: Paths that are there but not kept, and why.
        odd: Sockets, pipes and devices.
        inner: The ``.git`` of repositories below the folder.
    """

    checkpoint: str
    tree: str
    is_new: bool
    entries: int
    left: dict[str, str]
    odd: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()


class Shadow:
    """Checkpoints of one folder; every method blocks, and one thread at a time may use it."""

    def __init__(self, folder: Path, root: Path) -> None:
        """Made by ``opened``."""
        self.folder, self.root = folder, root
        self.library = Library(folder)
        self.notice = ""
        self._index: Folder | None = None
        self._generation: int | None = None
        self._depth = 0

    @classmethod
    def opened(cls, home: Path, root: Path) -> Self:
        """The repository of ``root``, made where there is none; one that is damaged is put aside.

        Raises:
            CheckpointFailed: It cannot be made, or ``root`` is gone.
        """
        try:
            found = root.stat()
            folder = found_for(home, root, found) or made_for(home, root, found)
            shadow = cls(folder, root)
            note(folder, root, found)
            try:
                shadow._load()
            except CheckpointLost as lost:
                aside = folder.with_name(f"{folder.name}.damaged-{os.urandom(4).hex()}")
                folder.rename(aside)
                shadow = cls(made_for(home, root, found), root)
                shadow._load()
                shadow.notice = f"{lost.message}; they were put aside in {str(aside)!r}"
        except OSError as failed:
            why = failed.strerror or str(failed)
            raise CheckpointFailed(f"files of {str(root)!r} cannot be kept: {why}") from failed
        return shadow

    @property
    def belongs_to(self) -> str:
        """The folder that it was last used for; empty where that cannot be read."""
        try:
            place = msgspec.json.decode((self.folder / "workspace.json").read_bytes(), type=Place)
        except (OSError, msgspec.DecodeError):
            return ""
        return os.fsdecode(place.root)

    def _load(self) -> None:
        if not all((self.folder / name).is_file() for name in ("HEAD", "config")):
            fill(self.folder)
        self.library.load()

    @contextmanager
    def locked(self) -> Generator[None]:
        """Nobody else writes or reads checkpoints of this folder meanwhile.

        Raises:
            CheckpointBusy: Somebody else did for too long.
            OSError: The lock cannot be written.
        """
        if self._depth:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
            return
        with alone(self.folder / "lock", self.root):
            self.library.load()
            self._depth = 1
            try:
                yield
            finally:
                self._depth = 0

    def look(self, bounds: Bounds, *, now: float, stop: Callable[[], bool] = lambda: False) -> Look:
        """What the files are now, all of it kept; inside of ``locked``.

        Raises:
            CheckpointFailed: There are too many, it took too long, or there is no room.
        """
        return self._kept(bounds, now, stop, None)[0]

    def glance(self, bounds: Bounds, *, now: float) -> str:
        """A checkpoint that nobody refers to, for comparing: it goes with the next ``tidy``.

        Inside of ``locked``; raises as ``look``.
        """
        commit = partial(_looked_at, now)
        return self._kept(bounds, now, lambda: False, commit)[1].hex()

    def _kept(
        self,
        bounds: Bounds,
        now: float,
        stop: Callable[[], bool],
        commit: Callable[[Look], bytes] | None,
    ) -> tuple[Look, bytes]:
        """A look, and the name of the commit that is made of it; one pack for both."""
        self._check_index()
        scan = Scan(self.root, self.library, bounds, now=now, stop=stop)
        sha = b""
        try:
            with self.library.writing():
                found = scan.look(self._index)
                if commit is not None and (data := commit(found)):
                    sha = name_of("commit", data)
                    self.library.put("commit", sha, data)
        except OSError as failed:
            why = failed.strerror or str(failed)
            raise CheckpointFailed(f"the files cannot be kept: {why}") from failed
        if found.root is not self._index:
            self._index = found.root
            with suppress(OSError):  # without it the files are read anew
                index.save(self._index_path, found.root)
        return found, sha

    def take(
        self,
        bounds: Bounds,
        *,
        session: str,
        message: str,
        last: tuple[str, str] = ("", ""),
        now: float,
        stop: Callable[[], bool] = lambda: False,
    ) -> Taken:
        """Keeps the files as they are.

        Args:
            bounds: What belongs to them.
            session: Whose checkpoint it is.
            message: What the commit says.
            last: The session's latest checkpoint and its tree; with the same files it is given back.
            now: Seconds since the epoch.
            stop: Is asked now and then whether to give up.

        Raises:
            CheckpointFailed: It cannot be done; the message says why.
        """

        def commit(found: Look) -> bytes:
            is_same = last[1] == found.root.tree.hex() and self.library.has(_sha(last[0]))
            return b"" if is_same else commit_of(found.root.tree, message, now)

        try:
            with self.locked():
                found, sha = self._kept(bounds, now, stop, commit)
                if sha:
                    self.refer(session, sha.hex())
        except OSError as failed:
            why = failed.strerror or str(failed)
            raise CheckpointFailed(f"the files cannot be kept: {why}") from failed
        return Taken(
            checkpoint=sha.hex() or last[0],
            tree=found.root.tree.hex(),
            is_new=bool(sha),
            entries=found.entries,
            left=found.left,
            odd=found.odd,
            inner=found.inner,
        )

    def refer(self, session: str, checkpoint: str) -> None:
        """Keeps a checkpoint for a session; inside of ``locked``."""
        folder = self.folder / REFS / _own(session)
        folder.mkdir(parents=True, exist_ok=True)
        number = max((int(name) for name in _numbers(folder)), default=0)
        keep_file(folder / f"{number + 1:08d}", f"{checkpoint}\n".encode())

    def has(self, checkpoint: str) -> bool:
        """Whether a checkpoint is still kept."""
        return self.library.has(_sha(checkpoint))

    def checkpoints(self, session: str) -> list[str]:
        """The commits that are kept of a session, the oldest first."""
        folder = self.folder / REFS / _own(session)
        return [(folder / name).read_text("ascii").strip() for name in _numbers(folder)]

    def sessions(self) -> list[str]:
        """Whose checkpoints there are."""
        folder = self.folder / REFS
        return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []

    def forget(self, session: str, keep: int = 0) -> int:
        """Lets go of all checkpoints of a session but the latest ``keep``; how many went."""
        folder = self.folder / REFS / _own(session)
        names = _numbers(folder)
        gone = names[: max(0, len(names) - keep)]
        for name in gone:
            (folder / name).unlink(missing_ok=True)
        if not keep:
            with suppress(OSError):
                folder.rmdir()
        return len(gone)

    def bound(self, session: str, keep: int, most: int) -> int:
        """Holds a session to so many checkpoints, and all of them to so many bytes; how many went.

        The latest of each session stays. Inside of ``locked``.
        """
        gone = self.forget(session, keep)
        size = self.library.size
        if gone or size > most:
            self.tidy()
            size = self.library.size
        while size > most:
            counts = {each: len(self.checkpoints(each)) for each in self.sessions()}
            more = sum(
                self.forget(each, max(1, count // 2)) for each, count in counts.items() if count > 1
            )
            if not more:
                break
            gone += more
            self.tidy()
            size = self.library.size
        self.library.join()
        return gone

    @contextmanager
    def reading(self) -> Generator[None]:
        """Within ``locked``; what turns out to be damaged is put aside, and what is whole stays.

        Raises:
            CheckpointLost: Something was damaged or missing; says what became of it.
        """
        with self.locked():
            try:
                yield
            except CheckpointLost as lost:
                gone = self.library.mend()
                if not gone:
                    raise
                self._renew()
                raise CheckpointLost(
                    f"{lost.message}; {gone} damaged objects were put aside in "
                    f"{str(self.folder)!r}, and whatever needs none of them is still there"
                ) from lost

    def tidy(self) -> None:
        """Removes what no checkpoint names any more, and joins small packs; inside of ``locked``."""
        roots = {
            _sha(checkpoint)
            for session in self.sessions()
            for checkpoint in self.checkpoints(session)
        }
        known = index.load(self._index_path)
        if known is not None:
            roots.add(known.tree)
        self.library.clean()
        self.library.sweep(self.library.reached(roots))
        self.library.join()
        self._renew()

    def _renew(self) -> None:
        """Has every process look anew at what is kept."""
        keep_file(self.folder / "swept", os.urandom(8).hex().encode())

    @property
    def _index_path(self) -> Path:
        return self.folder / "ouroboros.index"

    def _check_index(self) -> None:
        """Trusts the index only for objects that are there: another process may have tidied."""
        try:
            generation = (self.folder / "swept").stat().st_mtime_ns
        except OSError:
            generation = 0
        if generation == self._generation:
            return
        if self._index is None:
            self._index = index.load(self._index_path)
        if self._index is not None and not index.shas(self._index) <= self.library.names():
            self._index = None
        self._generation = generation


def _looked_at(now: float, found: Look) -> bytes:
    return commit_of(found.root.tree, "looked at", now)


def _numbers(folder: Path) -> list[str]:
    """The names of a session's refs in order; none where there are none."""
    if not folder.is_dir():
        return []
    return sorted(path.name for path in folder.iterdir() if path.name.isdecimal())


def _own(session: str) -> str:
    """A name that may be a folder and part of a ref."""
    if not _SESSION.fullmatch(session):
        raise CheckpointFailed(f"{session!r} is not a session's name")
    return session


def _sha(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""
