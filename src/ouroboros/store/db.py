"""The database: its schema, its migrations, and what SQLite's errors mean to a person."""

import os
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep

from ouroboros.core.errors import StoreFailed, StoreFull, StoreNewer
from ouroboros.store.blobs import refused
from ouroboros.store.layout import Layout, make_private
from ouroboros.store.migrations import MIGRATIONS, Migration

BUSY_SECONDS = 30.0
"""How long others may hold the database before we give up; on a busy machine many writers take turns."""

_SPARE_BYTES = 65_536


def open_database(
    home: Path,
    *,
    busy_seconds: float = BUSY_SECONDS,
    migrations: Sequence[Migration] = MIGRATIONS,
    is_alone: bool = False,
) -> sqlite3.Connection:
    """Opens the database, making or migrating it first; belongs to the calling thread.

    ``is_alone``: nobody else can open it meanwhile, and no memory is shared by way of a file.

    Raises:
        StoreNewer: A later version wrote it.
        StoreFull: No room to make it.
        StoreFailed: It is damaged, locked for too long, or may not be opened.
    """
    layout = Layout(home)
    make_private(home)
    try:
        _make_private_file(layout.database)
        connection = _connect(layout.database, busy_seconds, is_alone=is_alone)
    except OSError as error:
        raise refused(error, layout.database) from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise explained(error, home) from error
    try:
        _bring_up_to_date(connection, layout, migrations, busy_seconds)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        connection.close()
        raise explained(error, home) from error
    except BaseException:
        connection.close()
        raise
    return connection


def open_existing(home: Path) -> sqlite3.Connection | None:
    """For readers: None when there is no database yet, and none is made.

    It can be read on a full disk too, where there is no room for the file that processes share.
    """
    if not Layout(home).database.exists():
        return None
    try:
        return open_database(home)
    except StoreFull:
        return open_database(home, is_alone=True)


@contextmanager
def reading(home: Path) -> Generator[sqlite3.Connection | None]:
    """For one question: as ``open_existing``, closed at the end, and what SQLite refuses explained."""
    connection = open_existing(home)
    if connection is None:
        yield None
        return
    with closing(connection):
        try:
            yield connection
        except sqlite3.Error as error:
            raise explained(error, home) from error


def explained(error: sqlite3.Error | UnicodeDecodeError, home: Path) -> StoreFailed:
    """What went wrong, on which file, and what to do; SQLite's own words may be no text."""
    path = str(Layout(home).database)
    # Without a code it is Python's own, about a column that is no text.
    is_no_text = isinstance(error, UnicodeDecodeError | sqlite3.OperationalError)
    is_no_text = is_no_text and not hasattr(error, "sqlite_errorcode")
    code = sqlite3.SQLITE_CORRUPT if is_no_text else getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _is_full(home)):
        return StoreFull(
            f"No room on the disk for {path!r}.",
            hint="Free some space, then resume the session; what was shown is kept.",
        )
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return StoreFailed(
            f"Another program holds {path!r} locked.",
            hint="Close what has the file open, then resume the session.",
        )
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        return damaged(home, str(error))
    return StoreFailed(
        f"Cannot use the database {path!r}: {error}.",
        hint="Check the disk and the rights of the folder, then resume the session.",
    )


def damaged(home: Path, why: str) -> StoreFailed:
    """The error of who finds in the database what nobody has written."""
    return StoreFailed(
        f"The database {str(Layout(home).database)!r} is damaged ({why}).",
        hint=f"Move it away or bring it back from {str(Layout(home).backups)!r} or your own "
        "backup; a new one is made at the next start.",
    )


def _is_full(home: Path) -> bool:
    try:
        space = os.statvfs(home)
    except OSError:
        return False
    return space.f_bavail * space.f_frsize < _SPARE_BYTES


def _make_private_file(path: Path) -> None:
    """SQLite gives its side files the mode of the main file."""
    if not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _connect(path: Path, busy_seconds: float, *, is_alone: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
    try:
        if is_alone:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        connection.execute("PRAGMA synchronous=FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection) -> int:
    row: tuple[int] = connection.execute("PRAGMA user_version").fetchone()
    return row[0]


def _bring_up_to_date(
    connection: sqlite3.Connection,
    layout: Layout,
    migrations: Sequence[Migration],
    busy_seconds: float,
) -> None:
    newest = migrations[-1].number
    found = _version(connection)
    if found == 0:
        _turn_on_wal(connection, busy_seconds)
    if 0 < found < newest:
        _back_up(connection, layout, found)
    if found < newest:
        _migrate(connection, migrations)
        found = _version(connection)
    if found > newest:
        raise StoreNewer(
            f"The database {str(layout.database)!r} was written by a later version "
            f"(schema {found}, this one knows {newest}).",
            hint="Update Ouroboros, or set OUROBOROS_HOME to another folder.",
        )


def _turn_on_wal(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """SQLite does not wait for a lock here, and two first starts may meet."""
    deadline = monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > deadline:
                raise
            sleep(0.005)


def _migrate(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = _version(connection)
        for migration in migrations:
            if migration.number > found:
                for statement in migration.statements:
                    connection.execute(statement)
                connection.execute(
                    "INSERT INTO schema_migrations (number, name, applied) "
                    "VALUES (?, ?, CAST(strftime('%s', 'now') AS INTEGER))",
                    (migration.number, migration.name),
                )
        if found < migrations[-1].number:
            connection.execute(f"PRAGMA user_version={migrations[-1].number:d}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _back_up(connection: sqlite3.Connection, layout: Layout, version: int) -> None:
    make_private(layout.backups)
    path = layout.backups / f"ouroboros.schema-{version}.db"
    if path.exists() and path.stat().st_size > 0:
        return
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    _make_private_file(partial)
    with closing(sqlite3.connect(partial)) as copy:
        connection.backup(copy)
    partial.replace(path)
