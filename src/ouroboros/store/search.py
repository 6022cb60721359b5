"""Full-text search over past sessions; the index is filled when somebody searches."""

import sqlite3
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from ouroboros.core.events import (
    AgentMessage,
    Event,
    SessionReady,
    SettingsChanged,
    ToolResulted,
    UserMessage,
)
from ouroboros.core.events.schema import Unreadable, decode
from ouroboros.core.parts import Text
from ouroboros.store.blobs import BlobLost, Blobs
from ouroboros.store.db import explained, open_existing

_INDEXED = "search.indexed"
_STEP = 2000

_MAKE = """
CREATE VIRTUAL TABLE IF NOT EXISTS event_text USING fts5(
    text, tokenize = "unicode61 remove_diacritics 2"
)
"""

_NEW = """
SELECT number, blob, body FROM events WHERE number > ? AND number <= ? AND type IN (
    'user.message', 'agent.message', 'tool.result', 'session.ready', 'session.changed'
)
"""

_FORGET = (
    "DELETE FROM event_text WHERE rowid IN (SELECT number FROM events WHERE session = ?)",
    "DELETE FROM event_text WHERE rowid IN (SELECT number FROM events_set_aside WHERE session = ?)",
)

_MARK = """
INSERT INTO app_settings (key, value) VALUES (?, ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""

_FIND = """
SELECT events.session, events.seq, snippet(event_text, 0, '', '', '…', 16)
FROM event_text JOIN events ON events.number = event_text.rowid
LEFT JOIN sessions ON sessions.id = events.session
WHERE event_text MATCH ? AND NOT (
    sessions.taken_over >= events.seq
    AND EXISTS (SELECT 1 FROM sessions AS parent WHERE parent.id = sessions.parent)
) ORDER BY event_text.rank, events.number DESC LIMIT ?
"""


_MESSAGE = """
SELECT blob, body FROM events WHERE session = ? AND seq <= ?
AND type IN ('user.message', 'agent.message') ORDER BY seq DESC LIMIT 1
"""


class Found(Struct, frozen=True, kw_only=True):
    """One event that has the words.

    ``node`` is the message that it is, or belongs to; empty before the first one.
    """

    session: str
    seq: int
    excerpt: str
    node: str = ""


def search(home: Path, words: str, *, limit: int = 50) -> tuple[Found, ...]:
    """Events that hold all of the words, best first; any text is a valid query.

    The last letters of a word may be missing. Blocks on the disk; after many new events the first
    search takes longer.

    Raises:
        StoreFailed: The database cannot be used.
    """
    query = _quoted(words)
    connection = open_existing(home) if query else None
    if connection is None:
        return ()
    with closing(connection):
        try:
            _fill(connection, home)
            rows: list[tuple[str, int, str]] = connection.execute(_FIND, (query, limit)).fetchall()
            blobs = Blobs(home)
            return tuple(
                Found(
                    session=session,
                    seq=seq,
                    excerpt=text,
                    node=_node(connection, blobs, session, seq),
                )
                for session, seq, text in rows
            )
        except sqlite3.Error as error:
            raise explained(error, home) from error


def forget(connection: sqlite3.Connection, session: str) -> None:
    """Takes a session out of the index, within the caller's transaction."""
    if _is_made(connection):
        for statement in _FORGET:
            connection.execute(statement, (session,))
        # Without this the words themselves would stay in the index's older segments.
        connection.execute("INSERT INTO event_text (event_text) VALUES ('optimize')")


def _quoted(words: str) -> str:
    """Each word as a string of FTS5, in which only a quote and a NUL have a meaning."""
    plain = words.encode("utf-8", "replace").decode().replace("\0", " ").replace('"', " ")
    return " ".join(
        f'"{word}"*' for word in plain.split() if any(letter.isalnum() for letter in word)
    )


def _fill(connection: sqlite3.Connection, home: Path) -> None:
    """In short transactions, so that a running session never waits long for its own."""
    blobs = Blobs(home)
    is_behind = not _is_made(connection) or _mark(connection) < _newest(connection)
    while is_behind:
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(_MAKE)
            is_behind = _fill_step(connection, blobs)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _fill_step(connection: sqlite3.Connection, blobs: Blobs) -> bool:
    done = _mark(connection)
    newest = _newest(connection)
    until = min(done + _STEP, newest)
    if until <= done:
        return False
    rows: list[tuple[int, str | None, bytes | None]] = connection.execute(
        _NEW, (done, until)
    ).fetchall()
    texts = [(number, _text(blobs, blob, body)) for number, blob, body in rows]
    connection.executemany(
        "INSERT OR REPLACE INTO event_text (rowid, text) VALUES (?, ?)",
        [(number, text) for number, text in texts if text],
    )
    connection.execute(_MARK, (_INDEXED, until))
    return until < newest


def _is_made(connection: sqlite3.Connection) -> bool:
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'event_text'").fetchone()
    return found is not None


def _newest(connection: sqlite3.Connection) -> int:
    row: tuple[int] = connection.execute("SELECT coalesce(max(number), 0) FROM events").fetchone()
    return row[0]


def _mark(connection: sqlite3.Connection) -> int:
    row: tuple[str] | None = connection.execute(
        "SELECT value FROM app_settings WHERE key = ?", (_INDEXED,)
    ).fetchone()
    return int(row[0]) if row else 0


def _text(blobs: Blobs, blob: str | None, body: bytes | None) -> str:
    """A damaged event has no words; ``resume`` is where it is reported."""
    try:
        return _words(decode(blobs.get(blob) if blob else body or b"").data)
    except (Unreadable, BlobLost):
        return ""


def _node(connection: sqlite3.Connection, blobs: Blobs, session: str, seq: int) -> str:
    """A result belongs to the reply that asked for it, which is the last one before it."""
    row: tuple[str | None, bytes | None] | None = connection.execute(
        _MESSAGE, (session, seq)
    ).fetchone()
    if row is None:
        return ""
    try:
        event = decode(blobs.get(row[0]) if row[0] else row[1] or b"").data
    except (Unreadable, BlobLost):
        return ""
    return event.message.id if isinstance(event, UserMessage | AgentMessage) else ""


def _words(event: Event) -> str:
    match event:
        case UserMessage(message=message) | AgentMessage(message=message):
            return message.text
        case ToolResulted(parts=parts):
            return "".join(part.text for part in parts if isinstance(part, Text))
        case SessionReady(title=title):
            return title
        case SettingsChanged(title=title):
            return title or ""
        case _:
            return ""
