"""How fast events become durable and come back, beside a bare SQLite loop in the same run.

Usage: python bench/store.py [rounds]

Every round runs each contestant once, in turn, so that a slow moment of the machine hits all of
them; the table shows medians. Files go to the system's temporary folder: set TMPDIR to the disk
that should be measured.
"""

import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import anyio
import anyio.to_thread

from ouroboros.core.events import Envelope, Event, ToolResulted, ToolStarted, UserMessage
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import fold
from ouroboros.store import resume
from ouroboros.store.db import open_database
from ouroboros.store.lease import Lease
from ouroboros.store.ledger import Ledger, Line
from ouroboros.store.line import encode
from ouroboros.store.log import EventLog
from ouroboros.store.writer import Writer

EVENTS = 2_000
REPLAYED = 100_000
WORDS = "The quick brown fox jumps over the lazy dog and does it again. " * 2


def enveloped(seq: int, event: Event, session: str = "ses_1") -> Envelope:
    return Envelope(
        id=f"evt_{seq:020}",
        session=session,
        turn=1,
        seq=seq,
        ts=1_700_000_000.5 + seq,
        type=event.type,
        source=event.source,
        data=event,
    )


def sample(seq: int, session: str = "ses_1") -> Envelope:
    """About 300 bytes as JSON; one in eight is a person's message, the rest are calls."""
    if seq % 8 == 1:
        message = Message(id=f"msg_{seq}", role="user", parts=(Text(text=WORDS),))
        return enveloped(seq, UserMessage(message=message), session)
    if seq % 2:
        call = ToolStarted(call_id=f"call_{seq}", name="read", arguments=WORDS)
        return enveloped(seq, call, session)
    result = ToolResulted(
        call_id=f"call_{seq - 1}", name="read", status="done", parts=(Text(text=WORDS),)
    )
    return enveloped(seq, result, session)


async def acknowledged(home: Path, producers: int, prefix: str = "ses_") -> float:
    """Events per second, each awaited by its producer before it makes the next one."""
    made = {
        f"{prefix}{number}": [sample(seq, f"{prefix}{number}") for seq in range(1, EVENTS + 1)]
        for number in range(producers)
    }
    leases = [await anyio.to_thread.run_sync(Lease.take, home, name) for name in made]
    async with Writer(home) as writer:
        await writer.ready()

        async def produce(lease: Lease) -> None:
            log = EventLog(writer, lease)
            for each in made[lease.session]:
                log.append(each)
                await log.settled(each.seq)

        started = time.perf_counter()
        async with anyio.create_task_group() as group:
            for lease in leases:
                group.start_soon(produce, lease)
        seconds = time.perf_counter() - started
    for lease in leases:
        lease.release()
    return producers * EVENTS / seconds


def bare(home: Path) -> float:
    """The least a durable append can cost here: one thread, one insert, one commit, no index."""
    lines = [encode(sample(seq)) for seq in range(1, EVENTS + 1)]
    with closing(sqlite3.connect(home / "bare.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, body BLOB)")
        started = time.perf_counter()
        for seq, line in enumerate(lines):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO events VALUES (?, ?)", (seq, line))
            connection.execute("COMMIT")
        return EVENTS / (time.perf_counter() - started)


async def loop_side(home: Path) -> float:
    """Microseconds of the event loop for one append; the writer is not started."""
    lease = await anyio.to_thread.run_sync(Lease.take, home, "ses_loop")
    made = [sample(seq, "ses_loop") for seq in range(1, EVENTS + 1)]
    async with Writer(home) as writer:
        await writer.ready()
        log = EventLog(writer, lease)
        started = time.thread_time()
        for each in made:
            log.append(each)
        seconds = time.thread_time() - started
    lease.release()
    return seconds / EVENTS * 1e6


async def first_commit(home: Path) -> float:
    """Milliseconds from starting the writer to the first durable event."""
    lease = await anyio.to_thread.run_sync(Lease.take, home, f"ses_first{time.monotonic_ns()}")
    started = time.perf_counter()
    async with Writer(home) as writer:
        log = EventLog(writer, lease)
        log.append(sample(1, lease.session))
        await log.settled()
        seconds = time.perf_counter() - started
    lease.release()
    return seconds * 1e3


def prepare(home: Path) -> None:
    with closing(open_database(home)) as connection:
        ledger = Ledger(home, connection)
        for first in range(1, REPLAYED, 5_000):
            envelopes = [sample(seq) for seq in range(first, first + 5_000)]
            ledger.store([Line(envelope=each, encoded=encode(each)) for each in envelopes])


def replay(home: Path) -> float:
    started = time.perf_counter()
    found = resume.read(home, "ses_1")
    seconds = time.perf_counter() - started
    assert len(found.envelopes) == REPLAYED
    return seconds


def folding(envelopes: list[Envelope]) -> float:
    started = time.perf_counter()
    state = fold(envelopes)
    seconds = time.perf_counter() - started
    assert state.seq == REPLAYED
    return seconds


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        long = Path(folder, "long")
        prepare(long)
        kept = resume.read(long, "ses_1").envelopes
        fresh = (Path(folder, f"home{number}") for number in range(1_000_000))

        def cold() -> Path:
            home = next(fresh)
            home.mkdir()
            return home

        contests: dict[str, Callable[[], float]] = {
            "bare SQLite loop, events/s": lambda: bare(cold()),
            "one producer, acknowledged events/s": lambda: anyio.run(acknowledged, cold(), 1),
            "ten producers, acknowledged events/s": lambda: anyio.run(acknowledged, cold(), 10),
            "append on the event loop, us": lambda: anyio.run(loop_side, cold()),
            "new database to first durable event, ms": lambda: anyio.run(first_commit, cold()),
            "old database to first durable event, ms": lambda: anyio.run(first_commit, long),
            f"replay of {REPLAYED} events, s": lambda: replay(long),
            f"fold of {REPLAYED} events, s": lambda: folding(kept),
        }
        measured: dict[str, list[float]] = {name: [] for name in contests}
        for _ in range(rounds):
            for name, contest in contests.items():
                measured[name].append(contest())
        print("| what | median | least | most |\n|---|---|---|---|")
        for name, values in measured.items():
            median = statistics.median(values)
            print(f"| {name} | {median:,.2f} | {min(values):,.2f} | {max(values):,.2f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
