"""What many sessions cost: kept, listed, searched, gone on with, and left idle in one process.

Usage: python -m bench.sessions [rounds]

A search and a list run beside the writers, in a process of their own. Every round runs each
contestant once, in turn, next to a bare SQLite loop of the same shape; the table shows medians and
the median of what a round's contestant took beside its loop, and the time of the processor that it
took, which other work on the machine hardly changes. Set TMPDIR to the disk to be measured.
"""

import gc
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import AsyncExitStack, closing, contextmanager
from pathlib import Path

import anyio

from bench.store import EVENTS, REPLAYED, acknowledged, enveloped, prepare, sample
from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.settings import Settings
from ouroboros.core.events import SessionReady, UserMessage
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import State
from ouroboros.store import Lease, resume, snapshots
from ouroboros.store.db import open_database
from ouroboros.store.ledger import Ledger, Line
from ouroboros.store.line import encode
from ouroboros.store.search import search
from ouroboros.store.sessions import list_sessions

SESSIONS, EACH = 1_000, 50
EVERYWHERE, SOMEWHERE = "lazy", "needle"
PAUSE_SECONDS = 0.05

type Took = tuple[float, float]
"""Events for each second, or milliseconds; and milliseconds of the processor, 0 where not measured."""

type Contest = tuple[str, str, Callable[[], Took], Callable[[], float]]


def fill(home: Path) -> None:
    """A thousand sessions of some turns each, and the index of their words."""
    with closing(open_database(home)) as connection:
        ledger = Ledger(home, connection)
        for number in range(SESSIONS):
            name = f"ses_old{number}"
            ready = SessionReady(cwd=f"/w{number % 9}", model="m", mode="ask", version="1")
            made = [enveloped(1, ready, name)]
            made += [sample(seq, name) for seq in range(2, EACH + 1)]
            if number % 50 == 0:
                message = Message(id="msg", role="user", parts=(Text(text="A needle in hay."),))
                made.append(enveloped(EACH + 1, UserMessage(message=message), name))
            ledger.store([Line(envelope=each, encoded=encode(each)) for each in made])
    assert len(search(home, SOMEWHERE)) == SESSIONS // 50


@contextmanager
def looked_at(home: Path) -> Generator[None]:
    """Somebody lists and searches all the time."""
    looking = subprocess.Popen([sys.executable, "-m", "bench.sessions", "--look", str(home)])
    try:
        yield
    finally:
        looking.terminate()
        looking.wait()


def look(home: Path) -> None:
    while True:
        list_sessions(home)
        search(home, SOMEWHERE)
        time.sleep(PAUSE_SECONDS)


def writing(home: Path, producers: int) -> Took:
    with looked_at(home):
        return anyio.run(acknowledged, home, producers, f"ses_of_{producers}_"), 0.0


def bare_writing(home: Path, producers: int) -> float:
    """As many events in a commit as there are producers; nobody waits for an answer."""
    lines = [encode(sample(seq)) for seq in range(1, EVENTS + 1)]
    with closing(sqlite3.connect(home / "bare.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, body BLOB)")
        started = time.perf_counter()
        for seq, line in enumerate(lines):
            connection.execute("BEGIN IMMEDIATE")
            rows = [(seq * producers + number, line) for number in range(producers)]
            connection.executemany("INSERT INTO events VALUES (?, ?)", rows)
            connection.execute("COMMIT")
        return EVENTS * producers / (time.perf_counter() - started)


def timed(work: Callable[[], object]) -> Took:
    """Milliseconds by the clock and of the processor."""
    started, used = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - started) * 1e3, (time.process_time() - used) * 1e3


def waited(work: Callable[[], object]) -> float:
    """Milliseconds by the clock."""
    return timed(work)[0]


def first_search(home: Path) -> Took:
    """The index is made anew; what lies in the write-ahead file is not part of it."""
    with closing(sqlite3.connect(home / "ouroboros.db", isolation_level=None)) as connection:
        connection.execute("DROP TABLE event_text")
        connection.execute("DELETE FROM app_settings WHERE key = 'search.indexed'")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return timed(lambda: search(home, SOMEWHERE))


def bare_first(home: Path) -> float:
    """The same texts into an index in memory, in one transaction."""
    with closing(sqlite3.connect(home / "ouroboros.db")) as connection:
        texts = connection.execute("SELECT rowid, text FROM event_text").fetchall()
    with closing(sqlite3.connect(":memory:")) as memory:
        memory.execute("CREATE VIRTUAL TABLE t USING fts5(text)")
        return waited(
            lambda: memory.executemany("INSERT INTO t (rowid, text) VALUES (?, ?)", texts)
        )


def resumed(home: Path) -> State:
    with Lease.take(home, "ses_1") as lease:
        found = resume.restore(home, lease)
    assert found.state.seq == REPLAYED
    return found.state


def bare_rows(home: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(home / "ouroboros.db")) as connection:
        assert connection.execute(statement, values).fetchall()


async def opened(home: Path, count: int) -> tuple[float, float]:
    """Proportional memory in MiB and open files for one idle session more."""
    settings = Settings(model="openai-chat/x", base_url="http://127.0.0.1:9", mode="ask")
    engine = Ouroboros(settings, home=home, environment={"PATH": "/usr/bin:/bin", "HOME": "/"})
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(engine.open(cwd=home))
        before, files = _memory(), _files()
        for _ in range(count):
            await stack.enter_async_context(engine.open(cwd=home))
        return (_memory() - before) / count, (_files() - files) / count


def _memory() -> float:
    gc.collect()
    for line in Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def idle(home: Path) -> str:
    command = [sys.executable, "-m", "bench.sessions", "--idle", str(home)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def contests(many: Path, long: Path, cold: Callable[[], Path]) -> list[Contest]:
    rows = "SELECT body FROM events WHERE session = 'ses_1' ORDER BY seq"
    listed = (
        "SELECT id, cwd, model, title, preview, status, updated FROM sessions ORDER BY updated DESC"
    )
    found = "SELECT rowid FROM event_text WHERE event_text MATCH ? ORDER BY rank LIMIT 50"

    def whole() -> Took:
        for path in (long / "snapshots").glob("*"):
            path.unlink()
        return timed(lambda: resumed(long))

    def from_snapshot() -> Took:
        state = resumed(long)
        assert snapshots.save(long, "ses_1", state.seq, snapshots.encoded(state))
        return timed(lambda: resumed(long))

    def bare_long() -> float:
        return waited(lambda: bare_rows(long, rows))

    return [
        ("one session", "events/s", lambda: writing(many, 1), lambda: bare_writing(cold(), 1)),
        ("ten sessions", "events/s", lambda: writing(many, 10), lambda: bare_writing(cold(), 10)),
        (f"resume of {REPLAYED} events, snapshot", "ms", from_snapshot, bare_long),
        (f"resume of {REPLAYED} events, no snapshot", "ms", whole, bare_long),
        (
            f"list of {SESSIONS} sessions", "ms",
            lambda: timed(lambda: list_sessions(many)),
            lambda: waited(lambda: bare_rows(many, listed)),
        ),
        (
            f"first search of {SESSIONS} sessions", "ms",
            lambda: first_search(many),
            lambda: bare_first(many),
        ),
        (
            f"search of {SESSIONS} sessions for a rare word", "ms",
            lambda: timed(lambda: search(many, SOMEWHERE)),
            lambda: waited(lambda: bare_rows(many, found, SOMEWHERE)),
        ),
        (
            f"search of {SESSIONS} sessions for a word in every event", "ms",
            lambda: timed(lambda: search(many, EVERYWHERE)),
            lambda: waited(lambda: bare_rows(many, found, EVERYWHERE)),
        ),
    ]  # fmt: skip


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        long, many = Path(folder, "long"), Path(folder, "many")
        prepare(long)
        fill(many)
        fresh = (Path(folder, f"home{number}") for number in range(1_000_000))

        def cold() -> Path:
            home = next(fresh)
            home.mkdir()
            return home

        def again() -> Path:
            """Sessions to write to, beside those that are there; their names are used once."""
            home = cold()
            fill(home)
            return home

        print("| what | ours | of the processor, ms | bare loop | ratio |\n|---|---|---|---|---|")
        results: dict[str, list[tuple[Took, float]]] = {}
        units: dict[str, str] = {}
        for _ in range(rounds):
            for name, unit, ours, bare in contests(again(), long, cold):
                results.setdefault(name, []).append((ours(), bare()))
                units[name] = unit
        for name, pairs in results.items():
            mine = statistics.median(took[0] for took, _ in pairs)
            used = statistics.median(took[1] for took, _ in pairs)
            theirs = statistics.median(loop for _, loop in pairs)
            ratio = statistics.median(took[0] / loop for took, loop in pairs)
            row = f"{mine:,.1f} | {used:,.1f} | {theirs:,.1f} | x{ratio:.2f}"
            print(f"| {name}, {units[name]} | {row} |")
        print(f"| an idle session of {SESSIONS}, MiB; open files | {idle(cold())} | | | |")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--look", home]:
            look(Path(home))
        case ["--idle", home]:
            memory, files = anyio.run(opened, Path(home), SESSIONS)
            print(f"{memory:.2f}; {files:.1f}", end="")
        case [count]:
            main(int(count))
        case _:
            main(5)
