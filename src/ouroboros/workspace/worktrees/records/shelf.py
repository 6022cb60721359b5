"""The folder of the sessions of one repository: records, read and put in place whole, and locks."""

import fcntl
import os
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from uuid import uuid4

import anyio
from anyio import to_thread
from msgspec import Struct

from ouroboros.safety.marks import strays_of
from ouroboros.store.layout import put_whole, sync_folder
from ouroboros.workspace.worktrees.faults import WorkBusy, WorkRefused, WorkUnknown
from ouroboros.workspace.worktrees.records import names
from ouroboros.workspace.worktrees.records.manifest import ID, Manifest, Step, Work, read, written

LOCK_SECONDS = 120.0
"""How long another process is waited for; it may be laying out many files."""

ORPHAN_SECONDS = 10.0
"""How long what a killed process started is waited for; it is killed itself after a second."""

_LOOK_SECONDS = 0.02
_RECORD, _OURS = "session.json", "work.json"


class Kept(Struct, frozen=True, kw_only=True):
    """One session as it is on the disk; ``manifest`` is None for one whose start was cut short."""

    folder: Path
    work: Work
    manifest: Manifest | None = None

    @property
    def id(self) -> str:
        """The session's id."""
        return self.folder.name

    @property
    def tree(self) -> Path:
        """Its work tree, which may be gone; never taken from what a file says."""
        return self.folder / "worktree"


class Shelf:
    """The sessions below one folder; every method that is not awaited blocks.

    Records have a copy that ``git clean -fdx`` leaves alone, read where the first one is gone.
    """

    def __init__(self, folder: Path, spare: Path, mark: str) -> None:
        """Creates nothing; ``folder`` is ``.paws/sessions``, ``spare`` is for the copies.

        What we start carries ``mark``, so that who comes after us can wait for what we left.
        """
        self.folder, self._spare, self._mark = folder, spare, mark
        self.warnings: list[str] = []

    def is_there(self) -> bool:
        """Whether a session was ever started."""
        return self.folder.is_dir() or self._spare.is_dir()

    def all(self) -> list[Kept]:
        """Those that can be read, the oldest first; ``warnings`` tells of the others."""
        found: list[Kept] = []
        self.warnings = []
        for name in sorted(self._ids()):
            try:
                found.append(self.read(name))
            except WorkRefused as broken:
                self.warnings.append(broken.message)
        return sorted(found, key=lambda kept: kept.manifest.start_time if kept.manifest else "")

    def find(self, words: str) -> str:
        """The id that is meant: it begins so, or the session is called so.

        A name that others' ids begin with is not taken for one of them, nor the other way round.

        Raises:
            WorkUnknown: None, or several.
            WorkRefused: Its record cannot be read.
        """
        known = self._ids()
        if words in known:
            return words
        ids = {name for name in known if words and name.startswith(words.lower())}
        if len(words) < names.SHORT or not ids:
            ids |= {kept.id for kept in self.all() if words and kept.work.label == words.strip()}
        if len(ids) == 1:
            return ids.pop()
        if ids:
            several = ", ".join(sorted(names.short(each) for each in ids)[:5])
            raise WorkUnknown(
                f"{words[:80]!r} may be several sessions", hint=f"say which: {several}"
            )
        raise WorkUnknown(
            f"there is no work session {words[:80]!r}",
            hint="`paws session list --all` shows what there is",
        )

    def read(self, session_id: str) -> Kept:
        """One session by its whole id.

        Raises:
            WorkRefused: Its files are damaged, of a later version, or not its own.
        """
        folder = self.folder / session_id
        work, manifest = Work(), None
        if found := self._record(session_id, _OURS):
            work = read(found[1], Work, str(found[0]))
        elif not (folder / "worktree").exists():
            work = Work(step=Step(kind="start"))  # it was just made
        if found := self._record(session_id, _RECORD):
            manifest = read(found[1], Manifest, str(found[0]))
            if manifest.session_id != session_id:
                raise WorkRefused(f"{str(found[0])!r} is the record of another session")
        elif work.step is None or work.step.kind != "start":
            raise WorkRefused(
                f"{str(folder / _RECORD)!r} is missing",
                hint=f"its commits are on the branch {work.branch or names.branch(session_id)}",
            )
        return Kept(folder=folder, work=work, manifest=manifest)

    def _record(self, session_id: str, name: str) -> tuple[Path, bytes] | None:
        for folder in (self.folder, self._spare):
            path = folder / session_id / name
            if (data := _bytes(path)) is not None:
                return path, data
        return None

    def new(self) -> str:
        """The id of a folder that was just made, with a beginning that no other has."""
        self.folder.mkdir(parents=True, exist_ok=True)
        while True:
            session_id = str(uuid4())
            if any(names.short(each) == names.short(session_id) for each in self._ids()):
                continue
            with suppress(FileExistsError):
                (self.folder / session_id).mkdir()
                return session_id

    def keep(self, session_id: str, value: Manifest | Work) -> None:
        """Puts a record in place; it is the old one or the new one after a crash.

        Raises:
            WorkRefused: It cannot be written.
        """
        name = _RECORD if isinstance(value, Manifest) else _OURS
        before = self._record(session_id, name)
        content = written(value, before[1] if before else b"")
        for folder in (self.folder / session_id, self._spare / session_id):
            path = folder / name
            try:
                folder.mkdir(parents=True, exist_ok=True)
                put_whole(path, content, folder / f".{name}.{os.urandom(4).hex()}.tmp")
                sync_folder(folder)
            except OSError as failed:
                raise WorkRefused(
                    f"{str(path)!r} cannot be written: {failed.strerror}",
                    hint="make room on the disk, or let yourself write there",
                ) from failed

    def discard(self, session_id: str) -> None:
        """Removes the folder of a session that never began or was deleted.

        Each is renamed first, so that a kill leaves no half of a record.
        """
        for folder in (self._spare, self.folder):
            with suppress(OSError):
                (folder / session_id).rename(folder / f".{session_id}.gone")
            for left in folder.glob(".*.gone"):
                shutil.rmtree(left, ignore_errors=True)

    @asynccontextmanager
    async def alone(
        self, session_id: str = "", *, wait: float | None = None
    ) -> AsyncGenerator[None]:
        """No other process changes this session meanwhile, or the list of them without an id.

        It is waited for others ``wait`` seconds, or as long as one of them may take.

        Raises:
            WorkBusy: Another one does for too long.
            WorkRefused: The lock cannot be used.
        """
        place = self.folder / session_id if session_id else self.folder
        async with held(place / ".lock", wait=LOCK_SECONDS if wait is None else wait) as lock:
            before = await to_thread.run_sync(_owned, lock, self._mark)
            if before:
                await _ended(before, place)
            try:
                yield
            finally:
                _disowned(lock)

    def _ids(self) -> set[str]:
        found: set[str] = set()
        for folder in (self.folder, self._spare):
            with suppress(FileNotFoundError), os.scandir(folder) as entries:
                found |= {each.name for each in entries if each.is_dir(follow_symlinks=False)}
        return {name for name in found if ID.fullmatch(name)}


@asynccontextmanager
async def held(lock: Path, *, wait: float) -> AsyncGenerator[int]:
    """Holds a lock file alone; gives its descriptor.

    Raises:
        WorkBusy: Somebody else did for longer than ``wait`` seconds.
        WorkRefused: It cannot be made.
    """
    try:
        descriptor = await to_thread.run_sync(_opened, lock)
    except OSError as failed:
        raise WorkRefused(f"{str(lock)!r} cannot be used: {failed.strerror}") from failed
    try:
        until = anyio.current_time() + wait
        while not _taken(descriptor):
            if anyio.current_time() >= until:
                raise WorkBusy(
                    f"another process works in {str(lock.parent)!r}",
                    hint="wait until it has ended, or stop it",
                )
            await anyio.sleep(_LOOK_SECONDS)
        yield descriptor
    finally:
        os.close(descriptor)


async def _ended(mark: str, place: Path) -> None:
    """Waits for what a killed owner of the lock had started, which its guard ends."""
    with anyio.move_on_after(ORPHAN_SECONDS):
        while True:
            if not await to_thread.run_sync(strays_of, mark):
                return
            await anyio.sleep(_LOOK_SECONDS)
    raise WorkBusy(
        f"what a killed command started in {str(place)!r} has not ended",
        hint="wait until it has, or end that git",
    )


def _owned(descriptor: int, mark: str) -> str:
    """Writes whose the lock is; gives the mark of an owner who could not take theirs off."""
    before = os.pread(descriptor, 64, 0).decode("ascii", "replace").strip()
    with suppress(OSError):  # without room nobody is waited for
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, mark.encode(), 0)
    return before if before.isalnum() else ""


def _disowned(descriptor: int) -> None:
    with suppress(OSError):
        os.ftruncate(descriptor, 0)


def _opened(lock: Path) -> int:
    lock.parent.mkdir(parents=True, exist_ok=True)
    return os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _bytes(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as failed:
        raise WorkRefused(f"{str(path)!r} cannot be read: {failed.strerror}") from failed
    with os.fdopen(descriptor, "rb") as file:
        return file.read()
