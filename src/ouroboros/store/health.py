"""Looks whether the database is sound, without changing it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from ouroboros.store.db import explained, open_existing


def examine(home: Path) -> str:
    """What is wrong with the database; empty if nothing is, or if there is none yet.

    Raises:
        StoreFailed: It cannot even be opened.
    """
    connection = open_existing(home)
    if connection is None:
        return ""
    with closing(connection):
        try:
            rows: list[tuple[str]] = connection.execute("PRAGMA quick_check(1)").fetchall()
        except sqlite3.Error as error:
            raise explained(error, home) from error
    said = rows[0][0] if rows else "no answer"
    return "" if said == "ok" else said
