"""Writes batches of events, each in one transaction that is on the disk when it returns."""

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

from msgspec import Struct

from ouroboros.core.errors import StoreFailed
from ouroboros.core.events import Envelope, ToolResulted
from ouroboros.core.limits import BLOB_BYTES
from ouroboros.store import overview, spending
from ouroboros.store.blobs import Blobs
from ouroboros.store.db import explained
from ouroboros.store.lease import Lease, holder

_INSERT = "INSERT INTO events (session, seq, type, crc, blob, body) VALUES (?, ?, ?, ?, ?, ?)"
_NAME = "INSERT OR IGNORE INTO artifacts (blob, session, seq) VALUES (?, ?, ?)"
_OWNER = "SELECT epoch, pid FROM owners WHERE session = ?"
_CLAIM = "INSERT OR REPLACE INTO owners (session, epoch, pid) VALUES (?, ?, ?)"


class Line(Struct, frozen=True, kw_only=True):
    """An event and its bytes."""

    envelope: Envelope
    encoded: bytes


class Refused(StoreFailed):
    """Events of one ``session`` are not taken; those of others are fine."""

    session = ""


class OutOfOrder(Refused):
    """The log of one session does not end where its writer thinks."""

    def __init__(self, session: str, found: int, given: int) -> None:
        """``found`` is the last event on the disk, ``given`` the one that should follow it."""
        super().__init__(
            f"Session {session!r} ends with event {found} on the disk, so event {given} "
            "cannot follow.",
            hint="Another program wrote to this session. Resume it to go on from what is kept.",
        )
        self.session = session


class TakenOver(Refused):
    """Another process owns the session by now."""

    def __init__(self, session: str, pid: int) -> None:
        """``pid`` is the new owner's, 0 when it is not known."""
        by = f"process {pid}" if pid else "another process"
        super().__init__(
            f"Session {session!r} was taken over by {by} while this one stood still; nothing that "
            "was done here since then is kept.",
            hint="Go on there, or resume the session once it is free.",
        )
        self.session = session


class Ledger:
    """The one place that inserts events; belongs to the thread that opened the connection."""

    def __init__(
        self, home: Path, connection: sqlite3.Connection, *, is_copy: bool = False
    ) -> None:
        """Does not close ``connection``; what a copy tells was spent before."""
        self._is_copy = is_copy
        self._home = home
        self._connection = connection
        self._blobs = Blobs(home)
        self._last: dict[str, int] = {}
        self._written: dict[str, float] = {}
        self._leases: dict[str, Lease] = {}
        self._epochs: dict[str, int] = {}

    def admit(self, lease: Lease) -> None:
        """From now on events of this session are taken while this lease is the valid one.

        The disk is looked at again before the next event: another process may have written.
        """
        self._last.pop(lease.session, None)
        self._written.pop(lease.session, None)
        self._epochs.pop(lease.session, None)
        self._leases[lease.session] = lease

    def store(self, lines: Sequence[Line]) -> None:
        """Keeps all of these events or none.

        Raises:
            OutOfOrder: An event does not follow the last one of its session.
            TakenOver: Another process became the owner of a session.
            StoreFull: No room on the disk.
            StoreFailed: The disk refused, or another program holds the database.
        """
        last: dict[str, int] = {}
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                claimed = self._fence(lines)
                self._insert(lines, last)
                envelopes = [line.envelope for line in lines]
                written = overview.record(self._connection, envelopes, self._written)
                if not self._is_copy:
                    spending.record(self._connection, envelopes)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise explained(error, self._home) from error
        self._epochs.update(claimed)
        self._last.update(last)
        self._written.update(written)

    def _fence(self, lines: Sequence[Line]) -> dict[str, int]:
        """Looks that nobody else has become the owner; the epochs that begin with these events."""
        claimed: dict[str, int] = {}
        for session in {line.envelope.session for line in lines}:
            lease = self._leases.get(session)
            if lease is None:
                continue
            row: tuple[int, int] | None = self._connection.execute(_OWNER, (session,)).fetchone()
            epoch, writer = row or (0, 0)
            known = self._epochs.get(session)
            has_written = known not in {None, epoch}
            if has_written or not lease.is_current:
                by = holder(self._home, session) or (writer if has_written else 0)
                raise TakenOver(session, by)
            if known is None:
                claimed[session] = epoch + 1
                self._connection.execute(_CLAIM, (session, epoch + 1, os.getpid()))
        return claimed

    def _insert(self, lines: Sequence[Line], last: dict[str, int]) -> None:
        rows: list[tuple[str, int, str, int, str | None, bytes | None]] = []
        names: list[tuple[str, str, int]] = []
        for line in lines:
            envelope, encoded = line.envelope, line.encoded
            self._advance(envelope, last)
            blob = self._blobs.put(encoded) if len(encoded) > BLOB_BYTES else None
            if blob:
                names.append((blob, envelope.session, envelope.seq))
            event = envelope.data
            if isinstance(event, ToolResulted) and event.blob:
                names.append((event.blob, envelope.session, envelope.seq))
            body = None if blob else encoded
            rows.append((
                envelope.session, envelope.seq, envelope.type, crc32(encoded), blob, body
            ))  # fmt: skip
        self._connection.executemany(_INSERT, rows)
        if names:
            self._connection.executemany(_NAME, names)

    def _advance(self, envelope: Envelope, last: dict[str, int]) -> None:
        session = envelope.session
        found = last.get(session) or self._last.get(session)
        if found is None:
            found = self._last_on_disk(session)
        if envelope.seq != found + 1:
            raise OutOfOrder(session, found, envelope.seq)
        last[session] = envelope.seq

    def _last_on_disk(self, session: str) -> int:
        row: tuple[int] = self._connection.execute(
            "SELECT coalesce(max(seq), 0) FROM events WHERE session = ?", (session,)
        ).fetchone()
        return row[0]
