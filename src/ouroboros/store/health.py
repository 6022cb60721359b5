"""Looks whether the database is sound, without changing it."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic

from msgspec import Struct

from ouroboros.store.db import reading

LOOKING_SECONDS = 10.0
"""So long is looked at most; a log of a million events is looked through in one second."""

_STEPS = 1000
_AGAIN_SECONDS = 0.05


class Health(Struct, frozen=True, kw_only=True):
    """What was found; ``wrong`` is empty if nothing was, ``is_whole`` that there was time for all of it."""

    wrong: str = ""
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
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
            return Health(is_whole=False)
        said = rows[0][0] if rows else "no answer"
        return Health(wrong="" if said == "ok" else said)


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
