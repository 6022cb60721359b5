"""Which sessions something happened in."""

import sqlite3
from contextlib import closing
from pathlib import Path

from ouroboros.store.db import explained, open_existing

_SESSIONS = "SELECT session FROM events WHERE type = ? GROUP BY session ORDER BY max(number) DESC"


def sessions_with(home: Path, type: str) -> list[str]:
    """The sessions that have an event of this type, the one with the latest first; blocks.

    Raises:
        StoreFailed: The database cannot be read.
    """
    connection = open_existing(home)
    if connection is None:
        return []
    with closing(connection):
        try:
            rows: list[tuple[str]] = connection.execute(_SESSIONS, (type,)).fetchall()
        except sqlite3.Error as error:
            raise explained(error, home) from error
    return [session for (session,) in rows]
