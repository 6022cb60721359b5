"""The list of sessions and what a person does with it; every function blocks on the disk."""

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal

from msgspec import Struct, ValidationError, convert
from msgspec.json import encode as as_json

from ouroboros.core.clock import Clock
from ouroboros.core.errors import StoreFailed
from ouroboros.core.events import Envelope, SettingsChanged
from ouroboros.core.ids import Ids
from ouroboros.store import resume
from ouroboros.store.blobs import Blobs, refused
from ouroboros.store.db import damaged, explained, open_database, open_existing
from ouroboros.store.layout import Layout
from ouroboros.store.lease import Lease, holder
from ouroboros.store.ledger import Ledger, Line
from ouroboros.store.line import encode
from ouroboros.store.search import Found, forget, search_sessions

type SessionStatus = Literal["idle", "running", "waiting", "failed", "interrupted", "archived"]
type _Row = tuple[str, str, str, str, str, str, int, int, float, float, int, str]

_RECENT = 50

_SELECT = """
SELECT id, cwd, model, title, preview, status, waiting, turns, created, updated, archived, parent
FROM sessions
WHERE (:cwd IS NULL OR cwd = :cwd) AND (:archived IS NULL OR archived = :archived)
AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))
ORDER BY updated DESC, id DESC LIMIT :limit
"""

_TITLES = """
SELECT id, CASE title WHEN '' THEN preview ELSE title END FROM sessions
WHERE (:cwd IS NULL OR cwd = :cwd) AND (:archived IS NULL OR archived = :archived)
ORDER BY updated DESC, id DESC
"""

_DELETE = (
    "DELETE FROM events WHERE session = :session",
    "DELETE FROM events_set_aside WHERE session = :session",
    "DELETE FROM runs WHERE session = :session",
    "DELETE FROM agent_edges WHERE parent = :session OR child = :session",
    "DELETE FROM agent_messages WHERE sender = :session OR receiver = :session",
    "DELETE FROM sessions WHERE id = :session",
    "DELETE FROM owners WHERE session = :session",
    # A blob of nobody's stays listed until its file is gone, so that a crash leaks no file.
    "UPDATE OR REPLACE artifacts SET session = '' WHERE session = :session",
)

_ORPHANS = """
SELECT DISTINCT blob FROM artifacts WHERE session = ''
AND blob NOT IN (SELECT blob FROM artifacts WHERE session <> '')
"""


class Session(Struct, frozen=True, kw_only=True):
    """One line of the list.

    Attributes:
        title: What the person called it, else the beginning of their first message.
        status: ``interrupted`` means its process went away in the middle of a run.
        updated: Time of the last event.
        parent: The session that it was forked from; it may be deleted.
    """

    id: str
    cwd: str
    model: str
    title: str
    status: SessionStatus
    turns: int
    created: float
    updated: float
    parent: str = ""


def list_sessions(
    home: Path, *, cwd: str | None = None, archived: bool = False, limit: int = 1000
) -> tuple[Session, ...]:
    """Newest first, of one folder or of all; archived ones only when asked for."""
    return _select(home, cwd=cwd, archived=None if archived else False, limit=limit)


def put_away(home: Path, *, cwd: str | None = None, limit: int = 1000) -> tuple[Session, ...]:
    """The archived ones alone, newest first."""
    return _select(home, cwd=cwd, archived=True, limit=limit)


def latest(home: Path, cwd: str | None = None) -> Session | None:
    """The session of this folder, or of all, that was used last; no archived one.

    One that was only opened, in which nothing was said or reviewed, comes after all others.
    """
    found = _select(home, cwd=cwd, limit=_RECENT)
    return next((each for each in found if each.turns or each.title), next(iter(found), None))


def find(home: Path, session: str) -> Session:
    """One session by its name.

    Raises:
        SessionUnknown: There is none.
    """
    found = some(home, [session])
    if not found:
        raise resume.unknown(session)
    return next(iter(found.values()))


def some(home: Path, names: Sequence[str]) -> dict[str, Session]:
    """Those of these names that there are, in no order; nothing is read of others."""
    found = _select(home, names=names, archived=None, limit=len(names))
    return {each.id: each for each in found}


def titles(home: Path, *, cwd: str | None = None, archived: bool | None = None) -> dict[str, str]:
    """What the sessions of a folder or of all are called, newest first; None for archived ones too."""
    wanted = {"cwd": _kept(cwd), "archived": archived}
    return dict(_rows(home, _TITLES, wanted, list[tuple[str, str]]))


def searched(
    home: Path, words: str, *, cwd: str | None, archived: bool, limit: int
) -> tuple[Found, ...]:
    """Sessions in which the words were said, best first, each with the best place of it."""
    return search_sessions(home, words, cwd=_kept(cwd), archived=archived, limit=limit)


def is_known(connection: sqlite3.Connection, session: str) -> bool:
    """Whether there is such a session, as one that was begun or only as its events."""
    asked = "SELECT 1 FROM sessions WHERE id = :id UNION SELECT 1 FROM events WHERE session = :id LIMIT 1"
    return connection.execute(asked, {"id": session}).fetchone() is not None


def rename(home: Path, session: str, title: str, *, ids: Ids, clock: Clock) -> None:
    """Gives a session that nobody has open another title, as an event like any other.

    Raises:
        SessionBusy: It is open; its own process can rename it.
        SessionUnknown: There is none.
    """

    def renamed(envelopes: list[Envelope]) -> list[Envelope]:
        event = SettingsChanged(title=title)
        return [
            Envelope(
                id=ids.new("evt"),
                session=session,
                turn=envelopes[-1].turn if envelopes else 0,
                seq=len(envelopes) + 1,
                ts=clock.now(),
                type=event.type,
                source=event.source,
                data=event,
            )
        ]

    extend(home, session, renamed)


def extend(home: Path, session: str, more: Callable[[list[Envelope]], Sequence[Envelope]]) -> None:
    """Adds events to a session that nobody has open.

    Args:
        home: Where sessions are kept.
        session: Its name.
        more: From the events that are there to those that follow.

    Raises:
        SessionBusy: It is open.
        SessionUnknown: There is none.
    """
    find(home, session)
    with Lease.take(home, session) as lease:
        lines = [
            Line(envelope=each, encoded=encode(each))
            for each in more(resume.load(home, lease).envelopes)
        ]
        with closing(open_database(home)) as connection:
            ledger = Ledger(home, connection)
            ledger.admit(lease)
            ledger.store(lines)
        if lines:
            lease.acknowledge(lines[-1].envelope.seq)


def archive(home: Path, session: str) -> None:
    """Takes a session off the list; nothing of it is lost."""
    _set_archived(home, session, 1)


def unarchive(home: Path, session: str) -> None:
    """Puts a session back on the list."""
    _set_archived(home, session, 0)


def delete(home: Path, session: str, *, beside: Sequence[Callable[[str], object]] = ()) -> None:
    """Removes a session for good, with its artifacts, its variables and the blobs no other session names.

    Sessions that were forked from it stay as they are, and so do the files that their events name.

    Args:
        home: Where sessions are kept.
        session: Its name.
        beside: Called with it once it is gone: who keeps things of sessions elsewhere.

    Raises:
        SessionBusy: It is open somewhere.
        SessionUnknown: There is none.
    """
    find(home, session)
    lease = Lease.take(home, session)
    try:
        with closing(open_database(home)) as connection:
            try:
                connection.execute("PRAGMA secure_delete=ON")
                folders = _unused(connection, Layout(home), session)
                _delete_rows(connection, session)
                lease.acknowledge(0)
                _delete_orphans(connection, Blobs(home))
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.Error as error:
                raise explained(error, home) from error
        for folder in folders:
            _remove(folder)
        for path in (Layout(home).snapshot(session), Layout(home).mirror(session)):
            _unlink(path)
        for forget_it in beside:
            forget_it(session)
    except StoreFailed:
        lease.release()
        raise
    lease.remove()


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise refused(error, path) from error


def _remove(folder: Path) -> None:
    import shutil  # only a session with a browser or a REPL has any

    if folder.is_dir():
        try:
            shutil.rmtree(folder)
        except OSError as refused:
            raise StoreFailed(
                f"cannot remove {folder}: {refused.strerror or refused}",
                hint="remove it by hand",
            ) from refused


def _kept(name: str | None) -> str | None:
    """A name as the log keeps it, which holds nothing that is no text."""
    return name and re.sub(r"[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", name)


def _select(
    home: Path,
    *,
    cwd: str | None = None,
    names: Sequence[str] | None = None,
    archived: bool | None = False,
    limit: int,
) -> tuple[Session, ...]:
    ids = None if names is None else as_json([_kept(name) for name in names]).decode()
    wanted = {"cwd": _kept(cwd), "ids": ids, "archived": archived, "limit": limit}
    return tuple(_session(home, row) for row in _rows(home, _SELECT, wanted, list[_Row]))


def _rows[T](home: Path, asked: str, wanted: Mapping[str, object], kind: type[list[T]]) -> list[T]:
    connection = open_existing(home)
    if connection is None:
        return []
    with closing(connection):
        try:
            return convert(connection.execute(asked, wanted).fetchall(), kind)
        except sqlite3.Error as error:
            raise explained(error, home) from error
        except ValidationError as error:  # SQLite gives what stands there, of whatever kind
            raise damaged(home, str(error)) from error


def _session(home: Path, row: _Row) -> Session:
    name, cwd, model, title, preview, status, waiting, turns, created, updated, archived, parent = (
        row
    )
    return Session(
        id=name,
        cwd=cwd,
        model=model,
        title=title or preview,
        status="archived" if archived else _status(home, name, status, waiting),
        turns=turns,
        created=created,
        updated=updated,
        parent=parent,
    )


def _status(home: Path, session: str, status: str, waiting: int) -> SessionStatus:
    match status:
        case "failed":
            return "failed"
        case "running" if waiting:
            return "waiting"
        case "running":
            return "interrupted" if holder(home, session) is None else "running"
        case _:
            return "idle"


def _set_archived(home: Path, session: str, archived: int) -> None:
    find(home, session)
    with closing(open_database(home)) as connection:
        try:
            connection.execute("UPDATE sessions SET archived = ? WHERE id = ?", (archived, session))
        except sqlite3.Error as error:
            raise explained(error, home) from error


def _unused(connection: sqlite3.Connection, layout: Layout, session: str) -> list[Path]:
    """The folders that nobody needs without this session: a fork's events name files of its parent."""
    asked = "SELECT parent, (SELECT count(*) FROM sessions WHERE parent = :id) FROM sessions WHERE id = :id"
    row: tuple[str, int] | None = connection.execute(asked, {"id": session}).fetchone()
    parent, forks = row or ("", 0)
    folders = [layout.variables(session), *([] if forks else [layout.artifacts(session)])]
    others = "SELECT 1 FROM sessions WHERE id = :id OR (parent = :id AND id <> :session)"
    if parent and not connection.execute(others, {"id": parent, "session": session}).fetchone():
        folders.append(layout.artifacts(parent))
    return folders


def _delete_rows(connection: sqlite3.Connection, session: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        forget(connection, session)
        for statement in _DELETE:
            connection.execute(statement, {"session": session})
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _delete_orphans(connection: sqlite3.Connection, blobs: Blobs) -> None:
    """While this transaction is open no writer can come to name one of them."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        names: list[tuple[str]] = connection.execute(_ORPHANS).fetchall()
        for (name,) in names:
            blobs.discard(name)
        connection.execute("DELETE FROM artifacts WHERE session = ''")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
