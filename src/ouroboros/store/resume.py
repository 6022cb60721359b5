"""Reads a session back: every event up to the first one that cannot be trusted."""

import sqlite3
from contextlib import closing
from pathlib import Path
from zlib import crc32

from msgspec import Struct

from ouroboros.core.errors import SessionUnknown, StoreFailed, StoreNewer
from ouroboros.core.events import Envelope
from ouroboros.core.events.schema import Unreadable, decode
from ouroboros.core.state import State
from ouroboros.store import snapshots
from ouroboros.store.blobs import BlobLost, Blobs
from ouroboros.store.db import explained, open_existing
from ouroboros.store.layout import Layout
from ouroboros.store.lease import Lease, acknowledged

type Row = tuple[int, int, object, bytes | None]

_ROWS = "SELECT seq, crc, blob, body FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?"
_COUNT = "SELECT count(*) FROM events WHERE session = ? AND seq > ?"
_SET_ASIDE = """
INSERT INTO events_set_aside (number, session, seq, type, crc, blob, body)
SELECT number, session, seq, type, crc, blob, body FROM events WHERE session = ? AND seq > ?
"""
_DROP = "DELETE FROM events WHERE session = ? AND seq > ?"
_KNOWN = "SELECT max(CAST(coalesce(last_seq, first_seq) AS INTEGER)) FROM runs WHERE session = ?"
_FORGET = (
    "DELETE FROM runs WHERE session = :session AND first_seq > :last",
    "UPDATE runs SET last_seq = :last WHERE session = :session AND last_seq > :last",
)


class Resumed(Struct, frozen=True, kw_only=True):
    """What is left of a session, and what the person should know about it."""

    envelopes: list[Envelope]
    warnings: tuple[str, ...] = ()

    @property
    def last(self) -> int:
        """Number of the last event, the ``after`` of an ``EventLog``."""
        return self.envelopes[-1].seq if self.envelopes else 0


class Restored(Struct, frozen=True, kw_only=True):
    """What is true of a session, from how many events that were read, and what to know about it."""

    state: State
    folded: int
    warnings: tuple[str, ...] = ()


def read(home: Path, session: str) -> Resumed:
    """All events of a session, for showing or exporting; needs no lease and changes nothing.

    Raises:
        SessionUnknown: There is no such session.
        StoreFailed: The database cannot be read.
    """
    with closing(opened(home, session)) as connection:
        try:
            return _read(connection, home, session, is_for_writing=False)
        except sqlite3.Error as error:
            raise explained(error, home) from error


def load(home: Path, lease: Lease) -> Resumed:
    """All events of a session, for going on with it; damaged ones are set aside, not destroyed.

    Raises:
        SessionUnknown: There is no such session.
        StoreNewer: An event is whole, but of a kind only a later version knows.
        StoreFailed: The database cannot be read, or the damaged events not be set aside.
    """
    with closing(opened(home, lease.session)) as connection:
        try:
            found = _going_on(connection, home, lease.session)
        except sqlite3.Error as error:
            raise explained(error, home) from error
    if found.warnings:
        lease.acknowledge(found.last)
    return found


def restore(home: Path, lease: Lease) -> Restored:
    """What is true of a session that goes on: the last snapshot, and the events after it.

    Raises:
        SessionUnknown: There is no such session.
        StoreNewer: An event is whole, but of a kind only a later version knows.
        StoreFailed: The database cannot be read, or the damaged events not be set aside.
    """
    with closing(opened(home, lease.session)) as connection:
        try:
            state = snapshots.restored(home, connection, lease.session) or State()
            found = _going_on(connection, home, lease.session, after=state.seq)
        except sqlite3.Error as error:
            raise explained(error, home) from error
    for envelope in found.envelopes:
        state.apply(envelope)
    if found.warnings:
        lease.acknowledge(state.seq)
    return Restored(state=state, folded=len(found.envelopes), warnings=found.warnings)


def damaged(warning: str) -> StoreFailed:
    """The error of who cannot go on without an event that cannot be read."""
    return StoreFailed(warning, hint="Resume the session to go on with what is whole.")


def unknown(session: str) -> SessionUnknown:
    """The error of a session nobody has heard of."""
    return SessionUnknown(
        f"There is no session {session!r}.", hint="List the sessions to see their names."
    )


def _gone(session: str, count: int) -> SessionUnknown:
    return SessionUnknown(
        f"Session {session!r} is not in the database any more, though {count} events of it were kept: "
        "was the database or its -wal file cut or deleted?",
        hint="Bring both files back from your own backup, if there is one.",
    )


def read_after(
    connection: sqlite3.Connection, home: Path, session: str, after: int, limit: int = -1
) -> Resumed:
    """The events after one, as ``read`` gives them; raises ``SessionUnknown`` where it is gone.

    ``limit`` is how many at most; a negative one is none.
    """
    found = _read(connection, home, session, is_for_writing=False, after=after, limit=limit)
    if not found.envelopes and not _is_listed(connection, session):
        raise unknown(session)
    return found


def opened(home: Path, session: str) -> sqlite3.Connection:
    """A connection for reading a session; raises ``SessionUnknown`` where there is no database."""
    Layout(home).lock(session)
    connection = open_existing(home)
    if connection is None:
        raise unknown(session)
    return connection


def _going_on(
    connection: sqlite3.Connection, home: Path, session: str, *, after: int = 0
) -> Resumed:
    """The events after one, for going on: what is damaged behind them is set aside."""
    found = _mended(connection, home, session, after=after)
    if found.warnings:
        _set_aside(connection, session, after + len(found.envelopes))
    return found


def _mended(connection: sqlite3.Connection, home: Path, session: str, *, after: int = 0) -> Resumed:
    """What is there for going on; an index that has lost track of events is made anew first."""
    found = _read(connection, home, session, is_for_writing=True, after=after)
    if found.warnings:
        connection.execute("REINDEX events")
        found = _read(connection, home, session, is_for_writing=True, after=after)
    return found


def _read(
    connection: sqlite3.Connection,
    home: Path,
    session: str,
    *,
    is_for_writing: bool,
    after: int = 0,
    limit: int = -1,
) -> Resumed:
    envelopes: list[Envelope] = []
    blobs = Blobs(home)
    # Asked first: what another process writes meanwhile is no loss.
    told = acknowledged(home, session)
    (known,) = connection.execute(_KNOWN, (session,)).fetchone()
    for row in connection.execute(_ROWS, (session, after, limit)):
        last = after + len(envelopes)
        try:
            envelopes.append(_checked(row, last + 1, session, blobs))
        except (Unreadable, BlobLost, StoreNewer) as broken:
            if is_for_writing and isinstance(broken, StoreNewer):
                raise
            lost = _count_after(connection, session, last)
            warning = _warning(session, lost, last + 1, str(broken).rstrip("."))
            return Resumed(envelopes=envelopes, warnings=(warning,))
    if not envelopes and not after and not _is_listed(connection, session):
        raise _gone(session, told) if told else unknown(session)
    last = after + len(envelopes)
    if len(envelopes) != limit and max(known or 0, told) > last:
        known = max(known or 0, told)
        missing = f"event {last + 1} is missing"
        if told > last:
            missing += ", though it was kept: was the database or its -wal file cut or deleted?"
        warning = _warning(session, known - last, last + 1, missing)
        return Resumed(envelopes=envelopes, warnings=(warning,))
    return Resumed(envelopes=envelopes)


def _checked(row: Row, expected: int, session: str, blobs: Blobs) -> Envelope:
    seq, crc, blob, body = row
    if seq != expected:
        raise Unreadable(f"event {expected} is missing")
    if not isinstance(blob, str | None):  # a damaged column has any kind
        raise Unreadable("it names no blob")
    line = blobs.get(blob) if blob else body
    if not isinstance(line, bytes) or crc32(line) != crc:
        raise Unreadable("its checksum does not match")
    try:
        envelope = decode(line)
    except Unreadable as broken:
        raise StoreNewer(
            f"Event {seq} of session {session!r} is whole but of a kind this version does not "
            f"know: {broken}",
            hint="Update Ouroboros to go on with this session.",
        ) from broken
    if envelope.seq != seq or envelope.session != session:
        raise Unreadable(f"it is event {envelope.seq} of session {envelope.session!r}")
    return envelope


def _count_after(connection: sqlite3.Connection, session: str, last: int) -> int:
    row: tuple[int] = connection.execute(_COUNT, (session, last)).fetchone()
    return row[0]


def _warning(session: str, lost: int, number: int, reason: str) -> str:
    if lost == 1:
        return (
            f"The last event of session {session!r}, number {number}, could not be read and was "
            f"dropped: {reason}."
        )
    return (
        f"Session {session!r} is loaded up to event {number - 1}: event {number} could not be read "
        f"({reason}), so it and {lost - 1} after it were left out."
    )


def _is_listed(connection: sqlite3.Connection, session: str) -> bool:
    found = connection.execute("SELECT 1 FROM sessions WHERE id = ?", (session,)).fetchone()
    return found is not None


def _set_aside(connection: sqlite3.Connection, session: str, last: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_SET_ASIDE, (session, last))
        connection.execute(_DROP, (session, last))
        for statement in _FORGET:
            connection.execute(statement, {"session": session, "last": last})
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
