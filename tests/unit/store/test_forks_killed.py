"""Forks, branches and snapshots that a kill or a full disk cuts short are whole or not there."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ouroboros.app.past import forking
from ouroboros.core.commands import Rollback
from ouroboros.core.errors import StoreFull
from ouroboros.core.events.session import SessionForked
from ouroboros.core.state import fold
from ouroboros.store import Lease, resume, sessions
from tests.small_disk import fill, mounted
from tests.unit.store.samples import SESSION, a_turn, keep, numbered, ready, said

pytestmark = pytest.mark.real


def check(home: Path, seed: int) -> None:
    chance = random.Random(seed)
    command = [sys.executable, "-m", "tests.unit.store.fork_driver", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(chance.randint(1, 4)):
            assert process.stdout.readline() == b"done\n"
        time.sleep(chance.random() * 0.05)
        process.send_signal(signal.SIGKILL)
    listed = sessions.list_sessions(home)
    assert len(listed) > 1
    for each in listed:
        found = resume.read(home, each.id)
        assert found.warnings == ()
        with Lease.take(home, each.id) as lease:
            assert resume.restore(home, lease).state == fold(found.envelopes)
        last = found.envelopes[-1].data
        assert each.id == SESSION or (isinstance(last, SessionForked) and last.parent == SESSION)


@pytest.mark.deep
@pytest.mark.proves("sessions-faults")
@pytest.mark.parametrize("seed", [0])
def test_a_kill_leaves_whole_sessions_only(tmp_path: Path, seed: int) -> None:
    keep(tmp_path, numbered([ready(), *a_turn(1), *a_turn(2)]))
    check(tmp_path, seed)


@pytest.mark.parametrize(
    "kills", [pytest.param(4, marks=pytest.mark.deep), pytest.param(200, marks=pytest.mark.soak)]
)
def test_many_kills_leave_whole_sessions_only(tmp_path: Path, kills: int) -> None:
    for number in range(kills):
        seed = random.randrange(1_000_000)
        print("seed", seed)
        home = tmp_path / str(number)
        keep(home, numbered([ready(), *a_turn(1), *a_turn(2)]))
        check(home, seed)


@pytest.mark.proves("sessions-faults")
def test_on_a_full_disk_nothing_is_half_made(tmp_path: Path) -> None:
    with mounted(tmp_path / "home", mebibytes=2) as home:
        keep(home, numbered([ready(), *a_turn(1), said("x" * 60_000), *a_turn(2)]))
        before = resume.read(home, SESSION).envelopes
        fill(home / "filler")
        with pytest.raises(StoreFull, match="No room on the disk"):
            forking.fork(home, SESSION, "ans_2")
        with pytest.raises(StoreFull, match="No room on the disk"):
            forking.move(home, SESSION, Rollback(turns=1))
        (home / "filler").unlink()
        assert [each.id for each in sessions.list_sessions(home)] == [SESSION]
        assert resume.read(home, SESSION).envelopes == before
        forking.move(home, SESSION, Rollback(turns=1))
        assert len(sessions.list_sessions(home)) == 1
