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

from ouroboros.store.layout import put_whole, sync_folder
from ouroboros.workspace.worktrees.faults import WorkBusy, WorkRefused, WorkUnknown
from ouroboros.workspace.worktrees.manifest import ID, Manifest, Step, Work, read, written
from ouroboros.workspace.worktrees.names import short

LOCK_SECONDS = 120.0
"""How long another process is waited for; it may be laying out many files."""

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
    """The sessions below one folder; every method that is not awaited blocks."""

    def __init__(self, folder: Path) -> None:
        """Creates nothing; ``folder`` is ``.paws/sessions``."""
        self.folder = folder
        self.warnings: list[str] = []

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

        Raises:
            WorkUnknown: None, or several.
            WorkRefused: Its record cannot be read.
        """
        ids = [name for name in self._ids() if words and name.startswith(words.lower())]
        if not ids:
            ids = [kept.id for kept in self.all() if words and kept.work.label == words.strip()]
        if len(ids) == 1:
            return ids[0]
        if ids:
            several = ", ".join(sorted(short(each) for each in ids)[:5])
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
        if (data := self._bytes(folder / _OURS)) is not None:
            work = read(data, Work, str(folder / _OURS))
        elif not (folder / "worktree").exists():
            work = Work(step=Step(kind="start"))  # it was just made
        if (data := self._bytes(folder / _RECORD)) is not None:
            manifest = read(data, Manifest, str(folder / _RECORD))
            if manifest.session_id != session_id:
                raise WorkRefused(f"{str(folder / _RECORD)!r} is the record of another session")
        elif work.step is None or work.step.kind != "start":
            raise WorkRefused(
                f"{str(folder / _RECORD)!r} is missing",
                hint=f"its commits are on the branch {work.branch or 'that it had'}",
            )
        return Kept(folder=folder, work=work, manifest=manifest)

    def new(self) -> str:
        """The id of a folder that was just made, with a beginning that no other has."""
        self.folder.mkdir(parents=True, exist_ok=True)
        while True:
            session_id = str(uuid4())
            if any(short(each) == short(session_id) for each in self._ids()):
                continue
            with suppress(FileExistsError):
                (self.folder / session_id).mkdir()
                return session_id

    def keep(self, session_id: str, value: Manifest | Work) -> None:
        """Puts a record in place; it is the old one or the new one after a crash.

        Raises:
            WorkRefused: It cannot be written.
        """
        path = self.folder / session_id / (_RECORD if isinstance(value, Manifest) else _OURS)
        partial = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
        try:
            put_whole(path, written(value, self._bytes(path) or b""), partial)
            sync_folder(path.parent)
        except OSError as failed:
            raise WorkRefused(
                f"{str(path)!r} cannot be written: {failed.strerror}",
                hint="make room on the disk, or let yourself write there",
            ) from failed

    def discard(self, session_id: str) -> None:
        """Removes the folder of a session that never began."""
        shutil.rmtree(self.folder / session_id, ignore_errors=True)

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
        async with held(place / ".lock", wait=LOCK_SECONDS if wait is None else wait):
            yield

    def _ids(self) -> list[str]:
        try:
            with os.scandir(self.folder) as entries:
                found = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
        except FileNotFoundError:
            return []
        return [name for name in found if ID.fullmatch(name)]

    def _bytes(self, path: Path) -> bytes | None:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError as failed:
            raise WorkRefused(f"{str(path)!r} cannot be read: {failed.strerror}") from failed
        with os.fdopen(descriptor, "rb") as file:
            return file.read()


@asynccontextmanager
async def held(lock: Path, *, wait: float, share: bool = False) -> AsyncGenerator[None]:
    """Holds a lock file, alone or with others who share it.

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
        while not _taken(descriptor, fcntl.LOCK_SH if share else fcntl.LOCK_EX):
            if anyio.current_time() >= until:
                raise WorkBusy(
                    f"another process works in {str(lock.parent)!r}",
                    hint="wait until it has ended, or stop it",
                )
            await anyio.sleep(_LOOK_SECONDS)
        yield
    finally:
        os.close(descriptor)


def _opened(lock: Path) -> int:
    lock.parent.mkdir(parents=True, exist_ok=True)
    return os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _taken(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
