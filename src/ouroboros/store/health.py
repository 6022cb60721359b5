"""Looks whether the database is sound, without changing it."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic

from msgspec import Struct

from ouroboros.core.errors import SessionUnknown
from ouroboros.store.db import reading
from ouroboros.store.layout import Layout
from ouroboros.store.lease import acknowledged

LOOKING_SECONDS = 10.0
"""So long is looked at most; a log of a million events is looked through in one second."""

_ENDS = "SELECT session, max(seq) FROM events GROUP BY session"
_STEPS = 1000
_AGAIN_SECONDS = 0.05


class Health(Struct, frozen=True, kw_only=True):
    """What was found.

    Attributes:
        wrong: What is damaged; empty for nothing.
        missing: How many events of a session are gone that were acknowledged to somebody.
        is_whole: There was time for all of it.
    """

    wrong: str = ""
    missing: dict[str, int] = {}
    is_whole: bool = True


def examine(home: Path, *, seconds: float = LOOKING_SECONDS) -> Health:
    """What is wrong with the database; nothing, if there is none yet. Blocks for ``seconds`` at most.

    Raises:
        StoreFailed: It cannot even be opened.
    """
    with reading(home) as connection:
        if connection is None:
            return Health()
        try:
            with _until(connection, monotonic() + seconds):
                rows: list[tuple[str]] = connection.execute("PRAGMA quick_check(1)").fetchall()
                is_sound = rows == [("ok",)]
                missing = _missing(connection, home) if is_sound else {}
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:
                raise
            return Health(is_whole=False)
        wrong = rows[0][0] if rows else "no answer"
        return Health(wrong="" if is_sound else wrong, missing=missing)


def _missing(connection: sqlite3.Connection, home: Path) -> dict[str, int]:
    """Asked before the events are counted: what is written meanwhile is not missing."""
    told: dict[str, int] = {}
    for path in sorted(Layout(home).locks.glob("*.lock")):
        with suppress(SessionUnknown):
            told[path.stem] = acknowledged(home, path.stem)
    ends: dict[str, int] = dict(connection.execute(_ENDS).fetchall())
    lost = {name: seq - ends.get(name, 0) for name, seq in told.items()}
    return {name: count for name, count in lost.items() if count > 0}


@contextmanager
def _until(connection: sqlite3.Connection, deadline: float) -> Generator[None]:
    """Interrupts what is asked; the pages of a tree are gone through in one step, which only a thread ends."""
    is_done = Event()

    def watch() -> None:
        is_late = not is_done.wait(max(0.0, deadline - monotonic()))
        while is_late:
            connection.interrupt()
            is_late = not is_done.wait(_AGAIN_SECONDS)

    watcher = Thread(target=watch, name="health", daemon=True)
    connection.set_progress_handler(lambda: monotonic() >= deadline, _STEPS)
    watcher.start()
    try:
        yield
    finally:
        is_done.set()
        watcher.join()
        connection.set_progress_handler(None, 0)
