"""What was true of a session at one of its events, so that resuming folds only those after it.

A snapshot is never believed against the log: it is left aside when another version wrote it, when
it cannot be read, or when the log no longer has the event that it was made at.
"""

import os
import sqlite3
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from zlib import crc32

import msgspec
from msgspec import Struct

from ouroboros.core import state as folds
from ouroboros.core.errors import StoreFailed
from ouroboros.core.state import State
from ouroboros.store.db import open_existing
from ouroboros.store.layout import Layout, make_private

_ROW = "SELECT crc FROM events WHERE session = ? AND seq = ?"
_COUNT = "SELECT count(*) FROM events WHERE session = ? AND seq <= ?"


class _Header(Struct, frozen=True, kw_only=True):
    """The first line of the file.

    Attributes:
        shape: Of the code that folds, and of what it folds.
        event: Checksum of the event ``seq`` as the log has it.
        body: Checksum of the lines after this one.
    """

    shape: int
    session: str
    seq: int
    event: int
    body: int


def encoded(state: State) -> bytes:
    """The state as bytes; takes some 30 ms for a session of 100,000 events."""
    return msgspec.json.encode(state)


def save(home: Path, session: str, seq: int, body: bytes) -> bool:
    """Keeps a state that ``encoded`` gave, unless its last event is not on the disk; blocks.

    A disk that refuses costs the next resume some time and nothing else.
    """
    connection = open_existing(home)
    if connection is None:
        return False
    with closing(connection), suppress(OSError, sqlite3.Error, StoreFailed):
        row: tuple[int] | None = connection.execute(_ROW, (session, seq)).fetchone()
        if row is None:
            return False
        header = _Header(shape=_shape(), session=session, seq=seq, event=row[0], body=crc32(body))
        _write(Layout(home).snapshot(session), msgspec.json.encode(header) + b"\n" + body)
        return True
    return False


def restored(home: Path, connection: sqlite3.Connection, session: str) -> State | None:
    """The state that was kept last, if it can be believed."""
    try:
        head, _, body = Layout(home).snapshot(session).read_bytes().partition(b"\n")
        header = msgspec.json.decode(head, type=_Header)
        if (header.shape, header.session, header.body) != (_shape(), session, crc32(body)):
            return None
        row: tuple[int] | None = connection.execute(_ROW, (session, header.seq)).fetchone()
        count: tuple[int] = connection.execute(_COUNT, (session, header.seq)).fetchone()
        if row != (header.event,) or count[0] != header.seq:
            return None
        state = msgspec.json.decode(body, type=State)
    except (OSError, msgspec.DecodeError):
        return None
    return state if state.seq == header.seq else None


@cache
def _shape() -> int:
    """Any change of the code that folds makes older snapshots worthless."""
    found = 0
    folder = Path(folds.__file__).parent.parent
    for path in sorted(folder.rglob("*.py")):
        found = crc32(path.read_bytes(), found)
    return found


def _write(path: Path, content: bytes) -> None:
    make_private(path.parent)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
