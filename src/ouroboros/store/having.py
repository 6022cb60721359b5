"""Which sessions something happened in."""

from pathlib import Path

from ouroboros.store.db import reading

_SESSIONS = "SELECT session FROM events WHERE type = ? GROUP BY session ORDER BY max(number) DESC"


def sessions_with(home: Path, type: str) -> list[str]:
    """The sessions that have an event of this type, the one with the latest first; blocks.

    Raises:
        StoreFailed: The database cannot be read.
    """
    with reading(home) as connection:
        if connection is None:
            return []
        rows: list[tuple[str]] = connection.execute(_SESSIONS, (type,)).fetchall()
        return [session for (session,) in rows]
