"""What a killed program left beside the database is cut, damaged or gone: what is left is a beginning."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ouroboros.core.errors import OuroborosError, SessionUnknown
from ouroboros.store import resume
from ouroboros.store.db import open_database
from ouroboros.store.health import Health, examine
from ouroboros.store.lease import Lease, acknowledged
from ouroboros.store.ledger import Ledger, Line
from ouroboros.store.line import encode
from tests.faults.faulted import fresh_seed
from tests.unit.store.samples import SESSION, a_turn, keep, numbered, ready, said

EVENTS = numbered([ready(), *(event for turn in range(1, 9) for event in a_turn(turn))])
EARLY = 7
"""So many of them are in the database itself; the rest is in the write-ahead file alone."""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home as kill -9 leaves it."""
    live, left = tmp_path_factory.mktemp("live"), tmp_path_factory.mktemp("killed")
    keep(live, EVENTS[:EARLY])
    with closing(open_database(live)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint=0")
        ledger = Ledger(live, connection)
        for each in EVENTS[EARLY:]:
            ledger.store([Line(envelope=each, encoded=encode(each))])
        for path in live.iterdir():
            shutil.copy(path, left / path.name)
    (left / "ouroboros.db-shm").unlink()
    return left


def copied(killed: Path, folder: Path) -> Path:
    shutil.copytree(killed, folder)
    return folder / "ouroboros.db-wal"


def goes_on(home: Path, *, least: int) -> list[str]:
    """A beginning of the log is there, and the session goes on after it without a gap."""
    try:
        with Lease.take(home, SESSION) as lease:
            found = resume.load(home, lease)
    except SessionUnknown:
        return [] if not least else ["there is no session any more"]
    except OuroborosError as told:
        return [] if told.hint else [f"no hint: {told}"]
    if found.envelopes != EVENTS[: len(found.envelopes)] or found.last < least:
        return [f"{found.last} events are no beginning"]
    keep(home, numbered([said("on")], after=found.last))
    again = resume.read(home, SESSION)
    return [] if again.last == found.last + 1 and not again.warnings else [str(again.warnings)]


def test_without_damage_everything_is_there(killed: Path, tmp_path: Path) -> None:
    copied(killed, tmp_path / "home")
    assert goes_on(tmp_path / "home", least=len(EVENTS)) == []


@pytest.mark.proves("sessions-faults")
def test_a_deleted_write_ahead_file_leaves_what_the_database_has(
    killed: Path, tmp_path: Path
) -> None:
    copied(killed, tmp_path / "home").unlink()
    assert goes_on(tmp_path / "home", least=EARLY) == []
    assert resume.read(tmp_path / "home", SESSION).last == EARLY + 1


@pytest.mark.proves("sessions-faults")
@pytest.mark.parametrize("seed", range(3))
def test_a_cut_one_leaves_a_beginning(killed: Path, tmp_path: Path, seed: int) -> None:
    for number in range(8):
        wal = copied(killed, tmp_path / str(number))
        size = random.Random(f"{seed}.{number}").randrange(wal.stat().st_size)
        with wal.open("r+b") as file:
            file.truncate(size)
        assert goes_on(wal.parent, least=EARLY) == [], size


def flips(killed: Path, folder: Path, *, seed: int, count: int) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    bits = (killed / "ouroboros.db-wal").stat().st_size * 8
    for bit in random.Random(seed).sample(range(bits), count):
        wal = copied(killed, folder / str(bit))
        content = bytearray(wal.read_bytes())
        content[bit // 8] ^= 1 << bit % 8
        wal.write_bytes(content)
        if wrong := goes_on(wal.parent, least=EARLY):
            found[bit] = wrong
        with closing(sqlite3.connect(wal.parent / "ouroboros.db")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        shutil.rmtree(wal.parent)
    return found


@pytest.mark.proves("sessions-faults")
def test_a_flipped_bit_in_it_leaves_a_beginning(killed: Path, tmp_path: Path) -> None:
    assert flips(killed, tmp_path, seed=1, count=20) == {}


CUT_OFF = """
import os, sys
from pathlib import Path
import anyio, anyio.to_thread
from ouroboros.store import EventLog, Lease, Writer
from tests.unit.store.samples import envelope, said

async def main(home, session):
    lease = await anyio.to_thread.run_sync(Lease.take, home, session)
    async with Writer(home) as writer:
        log = EventLog(writer, lease, after=int(sys.argv[3]))
        for number in range(24):
            log.append(envelope(log.last + 1, said("words " * number)))
            await log.settled()
        os.write(1, b"%d" % log.durable)
        os.kill(os.getpid(), 9)

anyio.run(main, Path(sys.argv[1]), sys.argv[2])
"""


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A home as a program leaves it that was killed while it wrote, and how far it had acknowledged."""
    home = tmp_path_factory.mktemp("cut_off")
    keep(home, EVENTS[:EARLY])
    return home, killed_writing(home, after=EARLY)


def killed_writing(home: Path, *, after: int) -> int:
    root = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "/usr/bin:/bin"}
    ran = subprocess.run(
        [sys.executable, "-c", CUT_OFF, str(home), SESSION, str(after)],
        capture_output=True,
        env=root,
        check=False,
    )
    assert ran.returncode == -9, ran.stderr
    return int(ran.stdout)


@pytest.mark.proves("sessions-faults-lost-wal")
@pytest.mark.parametrize("harm", ["deleted", "cut"])
def test_acknowledged_events_that_are_gone_with_it_are_missed(
    cut_off: tuple[Path, int], tmp_path: Path, harm: str
) -> None:
    left, told = cut_off
    wal = copied(left, tmp_path / "home")
    if harm == "deleted":
        wal.unlink()
    else:
        os.truncate(wal, wal.stat().st_size // 2)
    home = wal.parent
    before = resume.read(home, SESSION)
    assert examine(home).missing == {SESSION: told - before.last}
    assert before.last < told
    assert f"event {before.last + 1} is missing, though it was kept" in before.warnings[0]
    with Lease.take(home, SESSION) as lease:
        assert resume.load(home, lease).warnings == before.warnings
        assert resume.restore(home, lease).warnings == ()
        keep(home, numbered([said("on")], after=before.last))
    assert resume.read(home, SESSION).warnings == ()
    assert examine(home) == Health()


@pytest.mark.deep
@pytest.mark.proves("sessions-faults-lost-wal")
def test_a_session_that_is_gone_with_it_is_missed(tmp_path: Path) -> None:
    told = killed_writing(tmp_path, after=0)
    (tmp_path / "ouroboros.db-wal").unlink()
    with pytest.raises(SessionUnknown, match=f"{told} events of it were kept"):
        resume.read(tmp_path, SESSION)
    assert examine(tmp_path).missing == {SESSION: told}


@pytest.mark.proves("sessions-faults-lost-wal")
def test_nothing_is_missed_where_all_is_there(cut_off: tuple[Path, int], tmp_path: Path) -> None:
    left, told = cut_off
    copied(left, tmp_path / "home")
    with Lease.take(tmp_path / "home", SESSION) as lease:
        found = resume.load(tmp_path / "home", lease)
    assert (found.warnings, found.last) == ((), told)
    assert acknowledged(tmp_path / "home", SESSION) == told
    assert examine(tmp_path / "home") == Health()


@pytest.mark.proves("sessions-faults")
@pytest.mark.parametrize(
    "count", [pytest.param(60, marks=pytest.mark.deep), pytest.param(2_000, marks=pytest.mark.soak)]
)
def test_many_flipped_bits_in_it_leave_a_beginning(
    killed: Path, tmp_path: Path, count: int
) -> None:
    assert flips(killed, tmp_path, seed=fresh_seed(), count=count) == {}
