"""Reads a session along while another process writes it; needs no lease and changes nothing."""

import sqlite3
from contextlib import closing
from pathlib import Path

from ouroboros.core.events import Envelope
from ouroboros.store import resume
from ouroboros.store.db import explained
from ouroboros.store.layout import Layout


class Follower:
    """Gives each event once it is on the disk; every method blocks."""

    def __init__(self, home: Path, session: str, *, after: int = 0) -> None:
        """Begins after event number ``after``."""
        self._home, self._session = home, session
        self._last = after
        self._seen: tuple[int, ...] = ()
        self._is_calm = False
        self.warnings: tuple[str, ...] = ()

    def read(self) -> list[Envelope]:
        """The events since the last time; none at all after one that cannot be read.

        Raises:
            SessionUnknown: There is no such session, or not any more.
            StoreFailed: The database cannot be read.
        """
        stamp = self._stamp()
        if (stamp == self._seen and self._is_calm) or self.warnings:
            return []
        # A file's time moves in steps: what was written within the same one is seen by a second look.
        self._is_calm = stamp == self._seen
        try:
            with closing(resume.opened(self._home, self._session)) as connection:
                found = resume.read_after(connection, self._home, self._session, self._last)
        except sqlite3.Error as error:
            raise explained(error, self._home) from error
        self._seen = stamp
        self._last += len(found.envelopes)
        self.warnings = found.warnings
        return found.envelopes

    def _stamp(self) -> tuple[int, ...]:
        """Differs as soon as anybody has written; taken before the database is read."""
        stamp: list[int] = []
        for name in (f"{Layout(self._home).database}{end}" for end in ("", "-wal")):
            try:
                status = Path(name).stat()
            except OSError:
                continue
            stamp += [status.st_mtime_ns, status.st_size, status.st_ino]
        return tuple(stamp)


def page(home: Path, session: str, after: int, limit: int) -> list[Envelope]:
    """Events after one; fewer than ``limit`` only where there are no more yet. Blocking.

    Raises:
        SessionUnknown: There is no such session, or not any more.
        StoreFailed: The database cannot be read, or an event in it.
    """
    try:
        with closing(resume.opened(home, session)) as connection:
            found = resume.read_after(connection, home, session, after, limit)
    except sqlite3.Error as error:
        raise explained(error, home) from error
    if found.warnings:
        raise resume.damaged(found.warnings[0])
    return found.envelopes
