"""Full-text search over past sessions; the index is filled when somebody searches."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.core.errors import StoreFull
from ouroboros.store.blobs import BlobLost, Blobs
from ouroboros.store.db import explained, open_existing

_INDEXED = "search.indexed"
_STEP = 8000

_MAKE = """
CREATE VIRTUAL TABLE IF NOT EXISTS {place}.event_text USING fts5(
    text, tokenize = "unicode61 remove_diacritics 2"
)
"""

_PASSING = (
    "PRAGMA temp_store=MEMORY",
    "CREATE TEMP TABLE app_settings (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    _MAKE.format(place="temp"),
)
"""Where the disk has no room: names of ours are looked up here first."""

_IS_MADE = """
SELECT 1 FROM sqlite_schema WHERE name = 'event_text'
UNION ALL SELECT 1 FROM sqlite_temp_schema WHERE name = 'event_text'
"""

_NEW = """
SELECT number, blob, body FROM events WHERE number > ? AND number <= ? AND type IN (
    'user.message', 'agent.message', 'tool.result', 'session.ready', 'session.changed'
)
"""

_LAST = "SELECT rowid FROM event_text ORDER BY rowid DESC LIMIT 1"

_FORGET = (
    "DELETE FROM event_text WHERE rowid IN (SELECT number FROM events WHERE session = ?)",
    "DELETE FROM event_text WHERE rowid IN (SELECT number FROM events_set_aside WHERE session = ?)",
)

_MARK = """
INSERT INTO app_settings (key, value) VALUES (?, ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""

_RANKED = "SELECT rowid FROM event_text WHERE event_text MATCH ? ORDER BY rank, rowid DESC"

_PLACE = """
SELECT events.session, events.seq FROM events LEFT JOIN sessions ON sessions.id = events.session
WHERE events.number = ? AND NOT (
    coalesce(sessions.taken_over, 0) >= events.seq
    AND EXISTS (SELECT 1 FROM sessions AS parent WHERE parent.id = sessions.parent)
)
"""

_SESSIONS = """
SELECT events.number, events.session, events.seq, min(event_text.rank) AS best
FROM event_text CROSS JOIN events ON events.number = event_text.rowid
JOIN sessions ON sessions.id = events.session
WHERE event_text MATCH :query
AND sessions.archived = :archived AND (:cwd IS NULL OR sessions.cwd = :cwd)
AND NOT (
    coalesce(sessions.taken_over, 0) >= events.seq AND EXISTS (
        SELECT 1 FROM sessions AS parent WHERE parent.id = sessions.parent
        AND parent.archived = :archived AND (:cwd IS NULL OR parent.cwd = :cwd)
    )
)
GROUP BY events.session ORDER BY best, events.number DESC LIMIT :limit
"""
"""With ``min`` the other columns are those of the best event; grouping costs less than ranking all."""

_EXCERPTS = """
SELECT rowid, snippet(event_text, 0, '', '', '…', 16) FROM event_text
WHERE event_text MATCH ? AND rowid BETWEEN ? AND ? AND +rowid IN (SELECT value FROM json_each(?))
"""
"""With the plus the hits are gone through once; each on its own would open the index anew."""

_MESSAGE = """
SELECT blob, body FROM events WHERE session = ? AND seq <= ?
AND type IN ('user.message', 'agent.message') ORDER BY seq DESC LIMIT 1
"""


class _Part(Struct, frozen=True, kw_only=True, gc=False):
    type: str = ""
    text: str = ""


class _Message(Struct, frozen=True, kw_only=True, gc=False):
    id: str = ""
    parts: tuple[_Part, ...] = ()


class _Event(Struct, frozen=True, kw_only=True, gc=False):
    """What has words in the events that are looked at; reading only that takes a third of the time."""

    message: _Message | None = None
    parts: tuple[_Part, ...] = ()
    title: str | None = None


class _Line(Struct, frozen=True, kw_only=True, gc=False):
    data: _Event


_line = msgspec.json.Decoder(_Line)

type _Places = dict[int, tuple[str, int]]
"""Session and number of events, by the number that the log gave them."""


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
    return _asked(home, words, lambda connection, query: _places(connection, query, limit))


def search_sessions(
    home: Path, words: str, *, cwd: str | None, archived: bool, limit: int
) -> tuple[Found, ...]:
    """The best event of each session of a folder, or of all, best first; otherwise as ``search``."""

    def places(connection: sqlite3.Connection, query: str) -> _Places:
        wanted = {"query": query, "cwd": cwd, "archived": archived, "limit": limit}
        rows = connection.execute(_SESSIONS, wanted).fetchall()
        return {number: (session, seq) for number, session, seq, _ in rows}

    return _asked(home, words, places)


def _asked(
    home: Path, words: str, places: Callable[[sqlite3.Connection, str], _Places]
) -> tuple[Found, ...]:
    query = _quoted(words)
    connection = open_existing(home) if query else None
    if connection is None:
        return ()
    with closing(connection):
        try:
            _catch_up(connection, home)
            connection.execute("BEGIN")
            return _found(connection, Blobs(home), query, places(connection, query))
        except sqlite3.Error as error:
            raise explained(error, home) from error


def _places(connection: sqlite3.Connection, query: str, limit: int) -> _Places:
    """Most hits of a common word are never shown: they are ranked, and nothing else is read of them."""
    places: _Places = {}
    for (number,) in connection.execute(_RANKED, (query,)):
        if len(places) == limit:
            break
        place: tuple[str, int] | None = connection.execute(_PLACE, (number,)).fetchone()
        if place is not None:
            places[number] = place
    return places


def _found(
    connection: sqlite3.Connection, blobs: Blobs, query: str, places: _Places
) -> tuple[Found, ...]:
    if not places:
        return ()
    among = msgspec.json.encode(list(places)).decode()
    excerpts: dict[int, str] = dict(
        connection.execute(_EXCERPTS, (query, min(places), max(places), among)).fetchall()
    )
    return tuple(
        Found(
            session=session,
            seq=seq,
            excerpt=excerpts.get(number, ""),
            node=_node(connection, blobs, session, seq),
        )
        for number, (session, seq) in places.items()
    )


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


def _catch_up(connection: sqlite3.Connection, home: Path) -> None:
    """Brings the index up to date; for this search alone, in memory, where the disk has no room."""
    try:
        _fill(connection, home)
    except sqlite3.Error as error:
        if not isinstance(explained(error, home), StoreFull):
            raise
        for statement in _PASSING:
            connection.execute(statement)
        _fill(connection, home)


def _fill(connection: sqlite3.Connection, home: Path) -> None:
    """In short transactions, so that a running session never waits long for its own."""
    if _is_made(connection) and _mark(connection) >= _newest(connection):
        return
    # The words can be read again from the events: a power cut may take the latest of the index.
    connection.execute("PRAGMA synchronous=NORMAL")
    blobs = Blobs(home)
    is_behind = True
    while is_behind:
        connection.execute("BEGIN IMMEDIATE")
        try:
            if not _is_made(connection):
                connection.execute(_MAKE.format(place="main"))
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
    texts = ((number, text) for number, blob, body in rows if (text := _text(blobs, blob, body)))
    last: tuple[int] | None = connection.execute(_LAST).fetchone()
    # To replace costs a look for each; there is something to replace only where the mark is wrong.
    verb = "INSERT" if last is None or last[0] <= done else "INSERT OR REPLACE"
    connection.executemany(f"{verb} INTO event_text (rowid, text) VALUES (?, ?)", texts)
    connection.execute(_MARK, (_INDEXED, until))
    return until < newest


def _is_made(connection: sqlite3.Connection) -> bool:
    return connection.execute(_IS_MADE).fetchone() is not None


def _newest(connection: sqlite3.Connection) -> int:
    row: tuple[int] = connection.execute("SELECT coalesce(max(number), 0) FROM events").fetchone()
    return row[0]


def _mark(connection: sqlite3.Connection) -> int:
    row: tuple[str] | None = connection.execute(
        "SELECT value FROM app_settings WHERE key = ?", (_INDEXED,)
    ).fetchone()
    return int(row[0]) if row else 0


def _read(blobs: Blobs, blob: str | None, body: bytes | None) -> _Event:
    """A damaged event has no words; ``resume`` is where it is reported."""
    try:
        return _line.decode(blobs.get(blob) if blob else body or b"").data
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, BlobLost):
        return _Event()


def _text(blobs: Blobs, blob: str | None, body: bytes | None) -> str:
    event = _read(blobs, blob, body)
    parts = event.message.parts if event.message else event.parts
    return "".join([part.text for part in parts if part.type == "text"]) or event.title or ""


def _node(connection: sqlite3.Connection, blobs: Blobs, session: str, seq: int) -> str:
    """A result belongs to the reply that asked for it, which is the last one before it."""
    row: tuple[str | None, bytes | None] | None = connection.execute(
        _MESSAGE, (session, seq)
    ).fetchone()
    event = _Event() if row is None else _read(blobs, row[0], row[1])
    return event.message.id if event.message else ""
