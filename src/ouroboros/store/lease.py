"""One owner for each session, held by a file lock that the kernel drops when the owner dies.

An owner that lives but stands still (stopped, hanging on a disk) loses it after ``LEASE_SECONDS``:
it signs the file while it works, by a clock that no setting of the time moves. Another one then puts
a new file in the place of the old, within a write transaction of the database; the ledger refuses
whoever holds the old file, within a transaction too. So no write of the old owner comes after the
first of the new one.

The file also holds the number of the last event that was acknowledged. It is written after each commit
and never waited for, so that after a kill it is right, and after a loss of power perhaps too low.
"""

import errno
import fcntl
import os
import time
from contextlib import closing, suppress
from pathlib import Path
from threading import Lock
from typing import Self

from ouroboros.core.errors import SessionBusy, StoreFailed, StoreFull
from ouroboros.store.layout import Layout, make_private

LEASE_SECONDS = 30.0
"""So long an owner may give no sign."""

SIGN_SECONDS = 10.0
"""So often a working owner signs."""

_LOOKS, _LOOK_SECONDS = 25, 0.02
"""A reader locks for a moment, and so does an owner before it has signed: so long each is waited for."""

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MOST_BYTES = 200


class Lease:
    """The right to write one session; reading needs none.

    Attributes:
        before: The process that had it before and gave no sign any more; 0 in nearly all cases.
    """

    def __init__(self, session: str, path: Path, descriptor: int, *, before: int = 0) -> None:
        """Made by ``take``."""
        self.session = session
        self.before = before
        self._acknowledged = _acknowledged(descriptor)
        self._sign_bytes = len(_signature())
        self._path = path
        self._descriptor: int | None = descriptor
        self._lock = Lock()

    @classmethod
    def take(cls, home: Path, session: str, *, patience: float = LEASE_SECONDS) -> Self:
        """Becomes the owner at once or not at all; waits half a second at most, for one that only looks.

        Args:
            home: Where sessions are kept.
            session: Its name.
            patience: Seconds without a sign after which a living owner loses it.

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
            before = 0
            if descriptor is None:
                before = _overdue(path, patience)
                if not before:
                    raise _busy(session, path)
                descriptor = _taken_over(home, path, session, patience)
            if _is_current(path, descriptor):
                _sign(path, descriptor, _acknowledged(descriptor))
                return cls(session, path, descriptor, before=before)
            os.close(descriptor)

    @property
    def is_held(self) -> bool:
        """False once released."""
        return self._descriptor is not None

    @property
    def is_current(self) -> bool:
        """Held, and taken by nobody else; counts within a write transaction of the database."""
        return self._descriptor is not None and _is_current(self._path, self._descriptor)

    def sign(self) -> None:
        """Says that the owner is at work; by any thread, and of no use once released."""
        with self._lock:
            if self._descriptor is not None:
                with suppress(OSError):  # on a full disk too, the old sign is overwritten in place
                    os.pwrite(self._descriptor, _signature(), 0)

    def acknowledge(self, seq: int) -> None:
        """Says that the log of the session ends with this event, which is on the disk; by any thread."""
        with self._lock:
            self._acknowledged = seq
            if self._descriptor is not None:
                with suppress(OSError):
                    os.pwrite(self._descriptor, _mark(seq), self._sign_bytes)

    def release(self) -> None:
        """Gives the session up; a second call does nothing."""
        with self._lock:
            if self._descriptor is not None:
                left = b"0 0 -" + _mark(self._acknowledged) if self._acknowledged else b""
                with suppress(OSError):
                    os.pwrite(self._descriptor, left, 0)
                os.ftruncate(self._descriptor, len(left))
                os.close(self._descriptor)
                self._descriptor = None

    def remove(self) -> None:
        """Gives up a session that is gone for good, and its lock file with it."""
        if self.is_current:
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
        return _signed(descriptor)[0]
    finally:
        os.close(descriptor)
    return None


def acknowledged(home: Path, session: str) -> int:
    """The last event of a session that anybody was told is kept; 0 where that is not known."""
    try:
        descriptor = os.open(Layout(home).lock(session), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        return _acknowledged(descriptor)
    finally:
        os.close(descriptor)


def _locked(path: Path) -> int | None:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unusable(path, error) from error
    for _ in range(_LOOKS):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if _is_alive(_signed(descriptor)[0]):
                break
            time.sleep(_LOOK_SECONDS)
        else:
            return descriptor
    os.close(descriptor)
    return None


def _overdue(path: Path, patience: float) -> int:
    """The process that has the file and gave no sign for too long; 0 if it did."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        pid, at, boot = _signed(descriptor)
    finally:
        os.close(descriptor)
    # The clock of another machine, or of an earlier start of this one, says nothing here.
    return pid if boot == _boot() and time.monotonic() - at > patience else 0


def _taken_over(home: Path, path: Path, session: str, patience: float) -> int:
    """Puts a locked file of our own in the place of the one that its owner no longer signs."""
    # Imported here: it is a rare thing, and the database knows nothing of leases.
    import sqlite3

    from ouroboros.store.db import explained, open_database

    with closing(open_database(home)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            try:
                if not _overdue(path, patience):
                    raise _busy(session, path)
                descriptor = _replaced(path, acknowledged(home, session))
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise explained(error, home) from error
    return descriptor


def _replaced(path: Path, seq: int) -> int:
    own = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        descriptor = os.open(own, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unusable(own, error) from error
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    _sign(own, descriptor, seq)
    own.replace(path)
    return descriptor


def _is_current(path: Path, descriptor: int) -> bool:
    """Between our open and our lock the last owner may have removed the file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _sign(path: Path, descriptor: int, seq: int) -> None:
    signed = _signature() + (_mark(seq) if seq else b"")
    try:
        os.pwrite(descriptor, signed, 0)
        os.ftruncate(descriptor, len(signed))
    except OSError as error:
        os.close(descriptor)
        raise _unusable(path, error) from error


def _signature() -> bytes:
    """Of one length for one process, so that it can be written over the last one."""
    return f"{os.getpid()} {time.monotonic():020.3f} {_boot()}".encode()


def _signed(descriptor: int) -> tuple[int, float, str]:
    """Process, time and start of the machine; an earlier version wrote the process alone."""
    words = os.pread(descriptor, _MOST_BYTES, 0).decode("ascii", "replace").split()
    pid = int(words[0]) if words and words[0].isdecimal() else 0
    try:
        return (pid, float(words[1]), words[2])
    except (IndexError, ValueError):
        return pid, 0.0, ""


def _mark(seq: int) -> bytes:
    return b" %020d" % seq


def _acknowledged(descriptor: int) -> int:
    words = os.pread(descriptor, _MOST_BYTES, 0).split()
    return int(words[3]) if len(words) == 4 and words[3].isdigit() else 0


def _boot() -> str:
    try:
        return _BOOT.read_text(encoding="utf-8").strip()
    except OSError:
        return os.uname().nodename


def _unusable(path: Path, error: OSError) -> StoreFailed:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return StoreFull(
            f"No room on the disk for the lock {str(path)!r}.",
            hint="Free some space; meanwhile sessions can be read, and not gone on with.",
        )
    return StoreFailed(
        f"Cannot write the lock {str(path)!r}: {error.strerror or error}.",
        hint="Check the rights of the folder and the room on its disk.",
    )


def _is_alive(pid: int) -> bool:
    """Whether there is such a process; one that was killed leaves its number in the file."""
    try:
        return pid > 0 and os.kill(pid, 0) is None
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True


def _busy(session: str, path: Path) -> SessionBusy:
    pid = 0
    with suppress(OSError), path.open("rb") as file:
        pid = _signed(file.fileno())[0]
    owner = f"process {pid}" if pid else "another process"
    return SessionBusy(
        f"Session {session!r} is in use by {owner}.",
        hint="Go on in that window, or end it first. Reading the session is possible meanwhile: "
        f"ouro sessions follow {session}",
    )
