"""One owner for each session, held by a file lock that the kernel drops when the owner dies."""

import errno
import fcntl
import os
import time
from pathlib import Path
from typing import Self

from ouroboros.core.errors import SessionBusy, StoreFailed, StoreFull
from ouroboros.store.layout import Layout, make_private

_LOOKS, _LOOK_SECONDS = 25, 0.02
"""A reader locks for a moment, and so does an owner before it has signed: so long each is waited for."""


class Lease:
    """The right to write one session; reading needs none."""

    def __init__(self, session: str, path: Path, descriptor: int) -> None:
        """Made by ``take``."""
        self.session = session
        self._path = path
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, home: Path, session: str) -> Self:
        """Becomes the owner at once or not at all; waits half a second at most, for one that only looks.

        Raises:
            SessionBusy: Another process, or another part of this one, owns it.
            SessionUnknown: The name is not a session's name.
            StoreFailed: The lock file cannot be written.
        """
        layout = Layout(home)
        path = layout.lock(session)
        make_private(layout.locks)
        while True:
            descriptor = _locked(path)
            if descriptor is None:
                raise _busy(session, path)
            if _is_current(path, descriptor):
                _write_pid(path, descriptor)
                return cls(session, path, descriptor)
            os.close(descriptor)

    @property
    def is_held(self) -> bool:
        """False once released."""
        return self._descriptor is not None

    def release(self) -> None:
        """Gives the session up; a second call does nothing."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None

    def remove(self) -> None:
        """Gives up a session that is gone for good, and its lock file with it."""
        if self._descriptor is not None:
            self._path.unlink(missing_ok=True)
            self.release()

    def __enter__(self) -> Self:
        """Held until the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Releases."""
        self.release()


def holder(home: Path, session: str) -> int | None:
    """The process that owns the session now, 0 when it does not say; None when nobody does."""
    path = Layout(home).lock(session)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _written_pid(descriptor)
    finally:
        os.close(descriptor)
    return None


def _locked(path: Path) -> int | None:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unusable(path, error) from error
    for _ in range(_LOOKS):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if _is_alive(_written_pid(descriptor)):
                break
            time.sleep(_LOOK_SECONDS)
        else:
            return descriptor
    os.close(descriptor)
    return None


def _is_current(path: Path, descriptor: int) -> bool:
    """Between our open and our lock the last owner may have removed the file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _write_pid(path: Path, descriptor: int) -> None:
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
    except OSError as error:
        os.close(descriptor)
        raise _unusable(path, error) from error


def _unusable(path: Path, error: OSError) -> StoreFailed:
    kind = StoreFull if error.errno == errno.ENOSPC else StoreFailed
    return kind(
        f"Cannot write the lock {str(path)!r}: {error.strerror or error}.",
        hint="Check the rights of the folder and the room on its disk.",
    )


def _written_pid(descriptor: int) -> int:
    text = os.pread(descriptor, 20, 0)
    return int(text) if text.isdigit() else 0


def _is_alive(pid: int) -> bool:
    """Whether there is such a process; one that was killed leaves its number in the file."""
    try:
        return pid > 0 and os.kill(pid, 0) is None
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True


def _busy(session: str, path: Path) -> SessionBusy:
    try:
        pid = int(path.read_bytes())
    except (OSError, ValueError):
        pid = 0
    owner = f"process {pid}" if pid else "another process"
    return SessionBusy(
        f"Session {session!r} is in use by {owner}.",
        hint="Go on in that window, or end it first. Reading the session is possible meanwhile.",
    )
