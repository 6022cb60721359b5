"""When the disk refuses, nothing is acknowledged that is not on it, and nobody waits for ever."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import anyio
import anyio.to_thread
import msgspec
import pytest

from ouroboros.core.errors import SessionUnknown, StoreFailed, StoreFull, StoreNewer
from ouroboros.core.events import Envelope, UserMessage
from ouroboros.core.parts import Message, Text
from ouroboros.store import resume
from ouroboros.store.db import open_database
from ouroboros.store.lease import Lease
from ouroboros.store.ledger import Ledger, Line
from ouroboros.store.line import encode
from ouroboros.store.log import EventLog
from ouroboros.store.migrations import MIGRATIONS, Migration
from ouroboros.store.writer import Writer
from tests.small_disk import mounted
from tests.unit.store import full_driver
from tests.unit.store.samples import SESSION, envelope, keep, numbered, said

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[3]
SMALL, LARGE = 3_000, 90_000


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk", mebibytes=3) as disk:
        yield disk


def fill(home: Path, *arguments: int) -> dict[str, Any]:
    command = [sys.executable, full_driver.__file__, str(home), *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, check=True, timeout=60, env={"PYTHONPATH": str(ROOT)}
    )
    return msgspec.json.decode(done.stdout)


def check(home: Path, outcome: dict[str, Any], kind: str) -> None:
    shown = outcome["shown"]
    assert shown == list(range(1, len(shown) + 1))
    assert outcome["ends"].count("kept") == len(shown) > 0
    assert set(outcome["ends"]) == {"kept", kind}
    assert (outcome["refusal"], outcome["late"]) == (kind, kind)
    with Lease.take(home, SESSION) as lease:
        found = resume.load(home, lease)
    assert found.warnings == ()
    assert [each.seq for each in found.envelopes] == shown


@pytest.mark.deep
@pytest.mark.proves("spine-bad-input")
@pytest.mark.parametrize("size", [SMALL, pytest.param(LARGE, marks=pytest.mark.deep)])
def test_on_a_full_disk_every_waiter_hears_of_it(small_disk: Path, size: int) -> None:
    check(small_disk, fill(small_disk, size), "StoreFull")


@pytest.mark.deep
@pytest.mark.parametrize("size", [LARGE, pytest.param(SMALL, marks=pytest.mark.deep)])
def test_with_room_again_the_session_goes_on(small_disk: Path, size: int) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"0" * 1_000_000)
    shown = fill(small_disk, size)["shown"]
    ballast.unlink()
    keep(small_disk, numbered([said("on")], after=len(shown)))
    assert resume.read(small_disk, SESSION).last == len(shown) + 1


@pytest.mark.proves("sessions-faults-short-writes")
@pytest.mark.parametrize(
    "limit",
    [
        523_777,
        *(pytest.param(each, marks=pytest.mark.deep) for each in (400_001, 777_777, 1_000_000)),
    ],
)
def test_a_file_that_may_not_grow_ends_the_same_way(tmp_path: Path, limit: int) -> None:
    """The write that meets the limit takes a part of what it was given: a short write."""
    check(tmp_path, fill(tmp_path, SMALL, limit), "StoreFailed")


def test_a_database_at_its_limit_is_a_full_disk(tmp_path: Path) -> None:
    with closing(open_database(tmp_path)) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count={pages + 3}")
        ledger = Ledger(tmp_path, connection)
        lines = [
            Line(envelope=each, encoded=encode(each))
            for each in numbered([said("z" * SMALL) for _ in range(20)])
        ]
        ledger.store(lines[:1])
        with pytest.raises(StoreFull, match="No room on the disk") as caught:
            ledger.store(lines[1:])
        assert "Free some space" in caught.value.hint
        ledger.store(lines[1:2])
    assert [each.seq for each in resume.read(tmp_path, SESSION).envelopes] == [1, 2]


async def test_a_lock_held_for_a_while_is_waited_for(tmp_path: Path) -> None:
    lease = await anyio.to_thread.run_sync(Lease.take, tmp_path, SESSION)
    async with Writer(tmp_path, busy_seconds=60) as writer:
        await writer.ready()
        log = EventLog(writer, lease)
        other = await anyio.to_thread.run_sync(locked, tmp_path)
        log.append(envelope(1, said("one")))
        with anyio.move_on_after(0.05):
            await log.settled()
        assert log.durable == 0
        other.close()
        await log.settled()
        assert log.durable == 1


async def test_a_lock_held_for_too_long_is_an_error_and_the_other_sessions_go_on(
    tmp_path: Path,
) -> None:
    shown: list[Envelope] = []
    first = await anyio.to_thread.run_sync(Lease.take, tmp_path, SESSION)
    second = await anyio.to_thread.run_sync(Lease.take, tmp_path, "ses_2")
    async with Writer(tmp_path, busy_seconds=0.05) as writer:
        await writer.ready()
        log = EventLog(writer, first, on_durable=shown.extend)
        other = await anyio.to_thread.run_sync(locked, tmp_path)
        log.append(envelope(1, said("one")))
        log.append(envelope(2, said("two")))
        for seq in (1, 2):
            with pytest.raises(StoreFailed, match="Another program holds"):
                await log.settled(seq)
        other.close()
        with pytest.raises(StoreFailed, match="Another program holds"):
            log.append(envelope(3, said("three")))
        fine = EventLog(writer, second)
        fine.append(envelope(1, said("fine"), session="ses_2"))
        await fine.settled()
    assert shown == []


def locked(home: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        home / "ouroboros.db", isolation_level=None, check_same_thread=False
    )
    connection.execute("BEGIN IMMEDIATE")
    return connection


async def test_a_database_that_cannot_be_opened_refuses_every_event(tmp_path: Path) -> None:
    later = Migration(number=9, name="later", statements=())

    def make() -> None:
        open_database(tmp_path, migrations=(*MIGRATIONS, later)).close()

    await anyio.to_thread.run_sync(make)
    lease = await anyio.to_thread.run_sync(Lease.take, tmp_path, SESSION)
    async with Writer(tmp_path) as writer:
        log = EventLog(writer, lease)
        log.append(envelope(1, said("before it is known")))
        with pytest.raises(StoreNewer):
            await log.settled()
        with pytest.raises(StoreNewer):
            await writer.ready()
        with pytest.raises(StoreNewer):
            log.append(envelope(2, said("after")))
        another = EventLog(writer, lease)
        another.append(envelope(1, said("a new log on the same writer")))
        with pytest.raises(StoreNewer):
            await another.settled()


async def test_a_bug_in_the_writer_is_reported_and_leaves_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: SimpleQueue[str] = SimpleQueue()

    def report(bug: threading.ExceptHookArgs) -> None:
        reported.put(str(bug.exc_value))

    monkeypatch.setattr(threading, "excepthook", report)
    number = msgspec.structs.replace(Text(text=""), text=5)
    broken = UserMessage(message=Message(id="msg", role="user", parts=(number,)))
    lease = await anyio.to_thread.run_sync(Lease.take, tmp_path, SESSION)
    async with Writer(tmp_path) as writer:
        log = EventLog(writer, lease)
        log.append(envelope(1, broken))
        with pytest.raises(StoreFailed), anyio.fail_after(60):
            await log.settled()
        with pytest.raises(StoreFailed):
            log.append(envelope(2, said("two")))
    said_of_it = await anyio.to_thread.run_sync(lambda: reported.get(timeout=60))
    assert "expected str instance, int found" in said_of_it
    with pytest.raises(SessionUnknown):
        await anyio.to_thread.run_sync(resume.read, tmp_path, SESSION)
