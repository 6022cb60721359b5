"""A file beside the database that repeats a session's events, one on each line, for any tool to read.

It follows the database and is never read back by us. What a crash left out or cut in half is made
good before the next event of the session is added.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from io import SEEK_END
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from ouroboros.core.errors import StoreFailed
from ouroboros.core.events import Envelope
from ouroboros.store.blobs import Blobs
from ouroboros.store.layout import Layout, make_private

_ROWS = "SELECT blob, body FROM events WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq"
_CHUNK = 65_536
_encoder = msgspec.json.Encoder()


class _Numbered(Struct):
    session: str
    seq: int


class Mirror:
    """Belongs to the thread that writes; an error stops the mirror of one session and nothing else."""

    def __init__(self, home: Path, connection: sqlite3.Connection) -> None:
        """Opens no file yet."""
        self._home, self._connection = home, connection
        self._layout, self._blobs = Layout(home), Blobs(home)
        self._files: dict[str, IO[bytes]] = {}
        self._given_up: set[str] = set()

    def add(self, session: str, envelopes: list[Envelope]) -> str:
        """Repeats events that are in the database by now; why it cannot, the first time it cannot."""
        if session in self._given_up:
            return ""
        try:
            file = self._files.get(session) or self._opened(session, envelopes[0].seq - 1)
            file.write(b"".join(_encoder.encode(each) + b"\n" for each in envelopes))
            file.flush()
        except (OSError, StoreFailed, sqlite3.Error) as failure:
            self._given_up.add(session)
            self.forget(session)
            why = failure.strerror if isinstance(failure, OSError) else str(failure)
            return f"the mirror {str(self._layout.mirror(session))!r} cannot be written: {why}"
        return ""

    def forget(self, session: str) -> None:
        """Looks at the file again before the next event: another process may have written."""
        file = self._files.pop(session, None)
        if file is not None:
            with suppress(OSError):  # what it still holds is what it could not write
                file.close()

    def close(self) -> None:
        """Closes every file."""
        for session in tuple(self._files):
            self.forget(session)

    def _opened(self, session: str, last: int) -> IO[bytes]:
        """The file of a session with all events up to ``last``."""
        path = self._layout.mirror(session)
        make_private(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        file = os.fdopen(descriptor, "r+b")
        try:
            there = _repaired(file, session)
            if there > last:
                file.truncate(0)
                there = 0
            file.seek(0, SEEK_END)
            for line in self._kept(session, there, last):
                file.write(line + b"\n")
        except BaseException:
            file.close()
            raise
        self._files[session] = file
        return file

    def _kept(self, session: str, after: int, last: int) -> Iterator[bytes]:
        rows = self._connection.execute(_ROWS, (session, after, last))
        for blob, body in rows:
            line = self._blobs.get(blob) if blob else body
            if not isinstance(line, bytes):
                raise StoreFailed(f"an event of {session!r} is damaged")
            yield line


def _repaired(file: IO[bytes], session: str) -> int:
    """Cuts off half a line; the number of the last event in it, 0 where it is not this session's."""
    end = _end_of_last_line(file, file.seek(0, SEEK_END))
    file.truncate(end)
    if not end:
        return 0
    begin = _end_of_last_line(file, end - 1)
    file.seek(begin)
    try:
        found = msgspec.json.decode(file.read(end - begin), type=_Numbered)
    except msgspec.DecodeError:
        found = _Numbered(session="", seq=0)
    if found.session == session:
        return found.seq
    file.truncate(0)
    return 0


def _end_of_last_line(file: IO[bytes], before: int) -> int:
    """The place after the last line end before ``before``."""
    while before > 0:
        begin = max(0, before - _CHUNK)
        file.seek(begin)
        at = file.read(before - begin).rfind(b"\n")
        if at >= 0:
            return begin + at + 1
        before = begin
    return 0
