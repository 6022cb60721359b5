"""Where the store keeps its files, all of them private to the person."""

import os
import re
from pathlib import Path
from typing import BinaryIO

from ouroboros.core.errors import SessionUnknown, StoreFailed

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,127}")
_PIECE = 1_048_576


class Layout:
    """The paths below one home folder; asking for a path creates nothing."""

    def __init__(self, home: Path) -> None:
        """``home`` need not exist yet."""
        self.home = home
        self.database = home / "ouroboros.db"
        self.blobs = home / "blobs"
        self.locks = home / "locks"
        self.backups = home / "backups"

    def lock(self, session: str) -> Path:
        """The lock file of a session; raises ``SessionUnknown`` for a name that is not ours."""
        return self.locks / f"{self._own(session)}.lock"

    def artifacts(self, session: str) -> Path:
        """The folder of files kept with a session; raises as ``lock``."""
        return self.home / "artifacts" / self._own(session)

    def variables(self, session: str) -> Path:
        """The folder in which a session's REPL keeps its variables; raises as ``lock``."""
        return self.home / "repl" / self._own(session)

    def snapshot(self, session: str) -> Path:
        """The file with what was true of a session at one of its events; raises as ``lock``."""
        return self.home / "snapshots" / f"{self._own(session)}.json"

    def mirror(self, session: str) -> Path:
        """The file that repeats a session's events, one on each line; raises as ``lock``."""
        return self.home / "mirror" / f"{self._own(session)}.jsonl"

    def _own(self, session: str) -> str:
        """A name that we could have made; ``../x`` is none."""
        if not _SESSION.fullmatch(session):
            raise SessionUnknown(
                f"There is no session {session!r}: this is not a session's name.",
                hint="List the sessions to see their names.",
            )
        return session


def make_private(folder: Path) -> None:
    """Makes a folder of mode 700 that survives a power cut; an existing one is left as it is.

    Raises:
        StoreFailed: It cannot be made.
    """
    if folder.is_dir():
        return
    try:
        if not folder.parent.is_dir():
            make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        sync_folder(folder.parent)
    except OSError as error:
        raise StoreFailed(
            f"Cannot make the folder {str(folder)!r}: {error.strerror or error}.",
            hint="Free or repair the disk, or set OUROBOROS_HOME to a folder you may write.",
        ) from error


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def put_whole(path: Path, content: bytes | BinaryIO, partial: Path) -> None:
    """Puts a private file in place in one step, by way of ``partial`` beside it; raises ``OSError``.

    Its bytes are durable then; its name is after ``sync_folder``.
    """
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if isinstance(content, bytes):
                file.write(content)
            else:
                while piece := content.read(_PIECE):
                    file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
