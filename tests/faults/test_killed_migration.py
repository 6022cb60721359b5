"""An older store is brought up to date and the program is killed at any write of it: nothing is lost."""

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ouroboros.store import resume
from ouroboros.store.db import open_database
from ouroboros.store.migrations import MIGRATIONS
from tests import forked
from tests.faults import faulted, oracle
from tests.faults.faulted import Fault
from tests.unit.store.samples import SESSION, a_turn, keep, numbered, ready

EVENTS = numbered([ready(), *a_turn(1), *a_turn(2)])
NEWEST = MIGRATIONS[-1].number
KILL = "signal=KILL"


def old(home: Path) -> None:
    """A store of the first version with a session in it."""
    keep(home, EVENTS)
    rows = oracle.on_disk(home)[0][SESSION]
    assert rows == EVENTS
    with closing(sqlite3.connect(home / "ouroboros.db")) as connection:
        events = connection.execute("SELECT * FROM events").fetchall()
    for path in home.glob("ouroboros.db*"):
        path.unlink()
    with closing(open_database(home, migrations=MIGRATIONS[:1])) as connection:
        places = ", ".join("?" * len(events[0]))
        connection.executemany(f"INSERT INTO events VALUES ({places})", events)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def brought_up(home: Path, fault: Fault | None) -> int:
    program = [sys.executable, "-I", "-m", "ouroboros", "sessions", "list"]
    words = faulted.injected(fault, home.parent) if fault else []
    done = forked.run(
        [*words, *program],
        env={"PATH": os.environ["PATH"], "HOME": str(home.parent), "OUROBOROS_HOME": str(home)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode


def complaints(folder: Path, fault: Fault) -> tuple[bool, list[str]]:
    """Whether it was killed, and what does not hold."""
    home = folder / "store"
    folder.mkdir()
    old(home)
    code = brought_up(home, fault)
    found = [] if code in {0, -9} else [f"it ended with {code}"]
    sessions, wrong = oracle.on_disk(home)
    found += wrong + ([] if sessions[SESSION] == EVENTS else ["the events are not what they were"])
    if brought_up(home, None):
        return code == -9, [*found, "it does not start any more"]
    with closing(sqlite3.connect(home / "ouroboros.db")) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != NEWEST or resume.read(home, SESSION).envelopes != EVENTS:
        found.append(f"it is version {version} and holds something else")
    backup = home / "backups" / "ouroboros.schema-1.db"
    with closing(sqlite3.connect(backup)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM events").fetchone()
        sound = connection.execute("PRAGMA integrity_check").fetchall()
    if (count, sound) != (len(EVENTS), [("ok",)]):
        found.append("the backup is not whole")
    return code == -9, found


def run(tmp_path: Path, faults: list[Fault]) -> dict[str, list[str]]:
    faulted.needs_strace()
    found: dict[str, list[str]] = {}
    killed = 0
    for number, fault in enumerate(faults):
        is_killed, wrong = complaints(tmp_path / str(number), fault)
        killed += is_killed
        if wrong:
            found[f"{fault.calls} {fault.at}"] = wrong
    if killed * 2 < len(faults):
        found["all"] = [f"only {killed} of {len(faults)} were killed"]
    return found


PLACES = [
    Fault(where="a write", calls="pwrite64", how=KILL, at="60"),
    Fault(where="a sync", calls="fdatasync", how=KILL, at="8"),
    Fault(where="the backup's rename", calls="rename", how=KILL, at="1"),
]


@pytest.mark.proves("sessions-faults")
@pytest.mark.deep
def test_a_store_is_whole_though_its_migration_was_killed(tmp_path: Path) -> None:
    assert run(tmp_path, faulted.seeded(PLACES, faulted.fresh_seed(), each=1)) == {}


@pytest.mark.soak
def test_a_migration_may_be_killed_anywhere(tmp_path: Path) -> None:
    assert run(tmp_path, faulted.seeded(PLACES, faulted.fresh_seed(), each=20)) == {}
