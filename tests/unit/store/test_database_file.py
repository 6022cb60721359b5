"""The database file: made once, private, migrated forward with a backup, never by an older version."""

import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from zlib import crc32

import pytest

from ouroboros.core.errors import StoreFailed, StoreNewer
from ouroboros.store import resume
from ouroboros.store.db import open_database
from ouroboros.store.line import encode
from ouroboros.store.migrations import MIGRATIONS, Migration
from ouroboros.store.sessions import list_sessions
from tests.unit.store.samples import keep, numbered, said

NEWEST = MIGRATIONS[-1].number
NEXT = Migration(
    number=NEWEST + 1, name="colours", statements=("ALTER TABLE sessions ADD COLUMN colour TEXT",)
)
BROKEN = Migration(
    number=NEWEST + 1,
    name="broken",
    statements=("ALTER TABLE sessions ADD COLUMN colour TEXT", "ALTER TABLE none ADD COLUMN x"),
)

TABLES = {
    "sessions",
    "events",
    "artifacts",
    "runs",
    "agent_edges",
    "agent_messages",
    "app_settings",
    "schema_migrations",
    "owners",
    "spending",
}


def columns(home: Path) -> set[str]:
    with closing(sqlite3.connect(home / "ouroboros.db")) as connection:
        return {row[1] for row in connection.execute("PRAGMA table_info(sessions)")}


@pytest.mark.proves("I02")
def test_a_new_home_has_all_tables_in_a_private_file(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    with closing(open_database(home)) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
        applied = connection.execute("SELECT number, name FROM schema_migrations").fetchall()
        journal = connection.execute("PRAGMA journal_mode").fetchone()
        synchronous = connection.execute("PRAGMA synchronous").fetchone()
        connection.execute("INSERT INTO app_settings VALUES ('a', 'b')")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()}
    assert names >= TABLES
    assert applied == [
        (1, "sessions and their events"),
        (2, "forks, and who may write"),
        (3, "what was spent"),
        (4, "runs under way are found among many"),
    ]
    assert (journal, synchronous) == (("wal",), (2,))
    assert modes == {"ouroboros.db": 0o600, "ouroboros.db-shm": 0o600, "ouroboros.db-wal": 0o600}
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


@pytest.mark.proves("I02")
def test_events_are_append_only(tmp_path: Path) -> None:
    keep(tmp_path, numbered([said("one")]))
    with (
        closing(open_database(tmp_path)) as connection,
        pytest.raises(sqlite3.IntegrityError, match="append-only"),
    ):
        connection.execute("UPDATE events SET type = 'x'")


@pytest.mark.proves("I21")
def test_a_migration_keeps_a_backup_of_what_was_before(tmp_path: Path) -> None:
    keep(tmp_path, numbered([said("one")]))
    open_database(tmp_path, migrations=(*MIGRATIONS, NEXT)).close()
    assert "colour" in columns(tmp_path)
    backup = tmp_path / "backups" / f"ouroboros.schema-{NEWEST}.db"
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    restored = tmp_path / "restored"
    restored.mkdir()
    backup.rename(restored / "ouroboros.db")
    assert "colour" not in columns(restored)
    with closing(open_database(restored)) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (1,)


@pytest.mark.proves("I21")
def test_a_database_of_the_first_version_goes_on_with_a_backup_beside_it(tmp_path: Path) -> None:
    with closing(open_database(tmp_path, migrations=MIGRATIONS[:1])) as old:
        each = numbered([said("one")])[0]
        line = encode(each)
        kept = (each.session, 1, each.type, crc32(line), line)
        old.execute(
            "INSERT INTO events (session, seq, type, crc, body) VALUES (?, ?, ?, ?, ?)", kept
        )
        old.execute(
            "INSERT INTO sessions VALUES (?, '/w', 'm', 'ask', 'Old', '', 'idle', 0, 1, '{}', '1', 1, 1, 0)",
            (each.session,),
        )
    (found,) = list_sessions(tmp_path)
    assert (found.title, found.parent) == ("Old", "")
    assert resume.read(tmp_path, found.id).envelopes == [each]
    assert (tmp_path / "backups" / "ouroboros.schema-1.db").is_file()


@pytest.mark.proves("I21")
def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    keep(tmp_path, numbered([said("one")]))
    with pytest.raises(StoreFailed):
        open_database(tmp_path, migrations=(*MIGRATIONS, BROKEN))
    assert "colour" not in columns(tmp_path)
    open_database(tmp_path).close()


@pytest.mark.proves("I21")
def test_a_database_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    open_database(tmp_path, migrations=(*MIGRATIONS, NEXT)).close()
    before = (tmp_path / "ouroboros.db").read_bytes()
    with pytest.raises(
        StoreNewer, match=f"schema {NEXT.number}, this one knows {NEWEST}"
    ) as caught:
        open_database(tmp_path)
    assert "Update Ouroboros" in caught.value.hint
    assert (tmp_path / "ouroboros.db").read_bytes() == before


def test_first_starts_at_the_same_moment_all_work(tmp_path: Path) -> None:
    def start(number: int) -> None:
        keep(tmp_path, numbered([said("one")], session=f"ses_{number}"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(start, range(16)))
    with closing(open_database(tmp_path)) as connection:
        assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (16,)
        applied = connection.execute("SELECT count(*) FROM schema_migrations").fetchone()
    assert applied == (len(MIGRATIONS),)


def test_a_home_that_cannot_be_made_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    with pytest.raises(StoreFailed, match=r"/file'"):
        open_database(tmp_path / "file" / "home")


def test_a_folder_in_place_of_the_database_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "ouroboros.db").mkdir()
    with pytest.raises(StoreFailed, match=r"ouroboros\.db"):
        open_database(tmp_path)
