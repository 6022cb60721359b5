"""The schema as numbered steps forward; a released step never changes."""

from msgspec import Struct


class Migration(Struct, frozen=True, kw_only=True):
    """One step, run in one transaction with those after it."""

    number: int
    name: str
    statements: tuple[str, ...]


MIGRATIONS = (
    Migration(
        number=1,
        name="sessions and their events",
        statements=(
            """CREATE TABLE schema_migrations (
                number INTEGER PRIMARY KEY,
                name TEXT NOT NULL,
                applied INTEGER NOT NULL
            )""",
            """CREATE TABLE sessions (
                id TEXT PRIMARY KEY,
                cwd TEXT NOT NULL,
                model TEXT NOT NULL,
                mode TEXT NOT NULL,
                title TEXT NOT NULL,
                preview TEXT NOT NULL,
                status TEXT NOT NULL,
                waiting INTEGER NOT NULL,
                turns INTEGER NOT NULL,
                prompts TEXT NOT NULL,
                version TEXT NOT NULL,
                created REAL NOT NULL,
                updated REAL NOT NULL,
                archived INTEGER NOT NULL DEFAULT 0
            ) WITHOUT ROWID""",
            """CREATE TABLE events (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                session TEXT NOT NULL,
                seq INTEGER NOT NULL,
                type TEXT NOT NULL,
                crc INTEGER NOT NULL,
                blob TEXT,
                body BLOB,
                UNIQUE (session, seq)
            )""",
            """CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
            BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
            """CREATE TABLE events_set_aside (
                number INTEGER PRIMARY KEY,
                session TEXT NOT NULL,
                seq INTEGER NOT NULL,
                type TEXT NOT NULL,
                crc INTEGER NOT NULL,
                blob TEXT,
                body BLOB
            )""",
            """CREATE TABLE artifacts (
                blob TEXT NOT NULL,
                session TEXT NOT NULL,
                seq INTEGER NOT NULL,
                PRIMARY KEY (blob, session, seq)
            ) WITHOUT ROWID""",
            """CREATE TABLE runs (
                number INTEGER PRIMARY KEY,
                session TEXT NOT NULL,
                first_seq INTEGER NOT NULL,
                last_seq INTEGER,
                started REAL NOT NULL,
                ended REAL,
                reason TEXT NOT NULL DEFAULT ''
            )""",
            "CREATE INDEX runs_of_session ON runs (session)",
            """CREATE TABLE agent_edges (
                parent TEXT NOT NULL,
                child TEXT NOT NULL,
                started REAL NOT NULL,
                ended REAL,
                status TEXT NOT NULL DEFAULT '',
                PRIMARY KEY (parent, child)
            ) WITHOUT ROWID""",
            """CREATE TABLE agent_messages (
                number INTEGER PRIMARY KEY,
                sender TEXT NOT NULL,
                receiver TEXT NOT NULL,
                sent REAL NOT NULL,
                body BLOB NOT NULL
            )""",
            """CREATE TABLE app_settings (
                key TEXT PRIMARY KEY,
                value TEXT NOT NULL
            ) WITHOUT ROWID""",
        ),
    ),
    Migration(
        number=2,
        name="forks, and who may write",
        statements=(
            "ALTER TABLE sessions ADD COLUMN parent TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE sessions ADD COLUMN taken_over INTEGER NOT NULL DEFAULT 0",
            "CREATE INDEX sessions_of_parent ON sessions (parent) WHERE parent <> ''",
            """CREATE TABLE owners (
                session TEXT PRIMARY KEY,
                epoch INTEGER NOT NULL,
                pid INTEGER NOT NULL
            ) WITHOUT ROWID""",
        ),
    ),
    Migration(
        number=3,
        name="what was spent",
        statements=(
            """CREATE TABLE spending (
                session TEXT NOT NULL,
                seq INTEGER NOT NULL,
                ts REAL NOT NULL,
                tokens INTEGER NOT NULL,
                cost REAL,
                PRIMARY KEY (session, seq)
            ) WITHOUT ROWID""",
            "CREATE INDEX spending_by_time ON spending (ts)",
            """CREATE TABLE actions (
                session TEXT NOT NULL,
                seq INTEGER NOT NULL,
                ts REAL NOT NULL,
                PRIMARY KEY (session, seq)
            ) WITHOUT ROWID""",
            "CREATE INDEX actions_by_time ON actions (ts)",
        ),
    ),
    Migration(
        number=4,
        name="runs under way are found among many",
        statements=("CREATE INDEX runs_under_way ON runs (session) WHERE ended IS NULL",),
    ),
)
