"""A writer killed at any moment loses nothing that it had acknowledged."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ouroboros.core.errors import SessionBusy
from ouroboros.store import resume
from ouroboros.store.lease import Lease, holder
from tests.unit.store import kill_driver
from tests.unit.store.samples import keep, numbered, said

pytestmark = pytest.mark.real

DRIVER = Path(kill_driver.__file__)


def acknowledged_before_kill(home: Path, chance: random.Random) -> int:
    """Starts a writer, kills it somewhere, and says up to where it had acknowledged."""
    command = [sys.executable, str(DRIVER), str(home), "ses_1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(chance.randint(1, 300)):
            process.stdout.readline()
        time.sleep(chance.random() * 0.004)
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split(b"\n")
        assert process.wait() == -signal.SIGKILL
    return max((int(line) for line in rest[:-1] if line), default=1)


def check(home: Path, seed: int) -> None:
    acknowledged = acknowledged_before_kill(home, random.Random(seed))
    with Lease.take(home, "ses_1") as lease:
        found = resume.load(home, lease)
    assert found.warnings == ()
    assert [each.seq for each in found.envelopes] == list(range(1, found.last + 1))
    assert found.last >= acknowledged
    assert all(each.data == kill_driver.written(each.seq) for each in found.envelopes)
    keep(home, numbered([said("on")], after=found.last))
    assert resume.read(home, "ses_1").last == found.last + 1


@pytest.mark.deep
@pytest.mark.proves("spine-store")
@pytest.mark.parametrize("seed", range(2))
def test_every_acknowledged_event_is_there_after_kill_nine(tmp_path: Path, seed: int) -> None:
    check(tmp_path, seed)


@pytest.mark.parametrize(
    "kills", [pytest.param(6, marks=pytest.mark.deep), pytest.param(200, marks=pytest.mark.soak)]
)
def test_every_acknowledged_event_is_there_after_many_kills(tmp_path: Path, kills: int) -> None:
    for number in range(kills):
        seed = random.randrange(1_000_000)
        print("seed", seed)
        check(tmp_path / str(number), seed)


def test_the_lease_of_a_killed_process_is_free(tmp_path: Path) -> None:
    command = [sys.executable, str(DRIVER), str(tmp_path), "ses_1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert holder(tmp_path, "ses_1") == process.pid
        with pytest.raises(SessionBusy, match=f"in use by process {process.pid}"):
            Lease.take(tmp_path, "ses_1")
        assert resume.read(tmp_path, "ses_1").last >= 1
        process.send_signal(signal.SIGKILL)
        process.stdout.read()
    assert holder(tmp_path, "ses_1") is None
    Lease.take(tmp_path, "ses_1").release()
