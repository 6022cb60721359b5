"""Looks whether the database is sound, without changing it."""

from pathlib import Path

from ouroboros.store.db import reading


def examine(home: Path) -> str:
    """What is wrong with the database; empty if nothing is, or if there is none yet.

    Raises:
        StoreFailed: It cannot even be opened.
    """
    with reading(home) as connection:
        if connection is None:
            return ""
        rows: list[tuple[str]] = connection.execute("PRAGMA quick_check(1)").fetchall()
        said = rows[0][0] if rows else "no answer"
        return "" if said == "ok" else said
