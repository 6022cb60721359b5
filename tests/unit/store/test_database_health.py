"""The look at whether the database is sound ends in time, and tells what it could not look at."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ouroboros.core.errors import StoreFailed
from ouroboros.store.health import Health, examine
from ouroboros.store.sessions import list_sessions
from tests.unit.store.samples import SESSION, keep, numbered, ready, said


def test_without_a_database_nothing_is_wrong(tmp_path: Path) -> None:
    assert examine(tmp_path / "none") == Health()
    assert not (tmp_path / "none").exists()


@pytest.mark.proves("sessions-doctor")
def test_a_look_without_time_says_so_and_does_no_harm(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready(), *(said(f"words {number}") for number in range(2_000))]))
    assert examine(tmp_path, seconds=0) == Health(is_whole=False)
    assert examine(tmp_path) == Health()
    assert [each.id for each in list_sessions(tmp_path)] == [SESSION]


@pytest.mark.proves("sessions-doctor")
def test_a_name_that_is_no_text_is_damage(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready(), said("words")]))
    with closing(sqlite3.connect(tmp_path / "ouroboros.db")) as connection, connection:
        connection.execute("DROP TRIGGER events_are_never_changed")
        connection.execute("UPDATE events SET session = CAST(x'73ff73' AS TEXT)")
    with pytest.raises(StoreFailed, match="is damaged"):
        examine(tmp_path)


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    keep(tmp_path, numbered([ready(), *(said("x" * 3_000) for _ in range(50))]))
    with closing(sqlite3.connect(tmp_path / "ouroboros.db")) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'events'"
        ).fetchone()
    with (tmp_path / "ouroboros.db").open("r+b") as file:
        file.seek((root - 1) * size + 8)
        file.write(b"\xff" * 64)
    found = examine(tmp_path)
    assert found.wrong
    assert found.is_whole
