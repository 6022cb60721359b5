"""An owner that stands still loses its session, and nothing of it is written after that."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from ouroboros.core.errors import SessionBusy
from ouroboros.store import resume
from ouroboros.store.db import open_database
from ouroboros.store.lease import Lease, holder
from ouroboros.store.ledger import Ledger, Line, TakenOver
from ouroboros.store.line import encode
from tests.unit.store.samples import numbered, said

pytestmark = pytest.mark.real

PATIENCE = 0.2


def write(ledger: Ledger, text: str, after: int) -> None:
    ledger.store([
        Line(envelope=each, encoded=encode(each)) for each in numbered([said(text)], after=after)
    ])


def still(path: Path) -> None:
    """Lets the last sign of an owner grow old."""
    pid, _, boot = path.read_text(encoding="utf-8").split()
    path.write_text(f"{pid} {time.monotonic() - 60:020.3f} {boot}", encoding="utf-8")


@pytest.mark.deep
@pytest.mark.proves("I15")
def test_a_stopped_owner_that_goes_on_later_is_refused_by_the_store_and_says_so(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "tests.unit.store.stale_driver", str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=Path.cwd()) as owner:
        assert owner.stdin is not None
        assert owner.stdout is not None
        for _ in range(2):
            owner.stdout.readline()
        with pytest.raises(SessionBusy, match=str(owner.pid)):
            Lease.take(tmp_path, "ses_1")
        owner.stdin.write("\n")
        owner.stdin.flush()
        os.waitid(os.P_PID, owner.pid, os.WSTOPPED)
        time.sleep(PATIENCE * 2)
        try:
            with pytest.raises(SessionBusy):
                Lease.take(tmp_path, "ses_1")
            with Lease.take(tmp_path, "ses_1", patience=PATIENCE) as lease:
                assert lease.before == owner.pid
                found = resume.load(tmp_path, lease)
                with closing(open_database(tmp_path)) as connection:
                    ledger = Ledger(tmp_path, connection)
                    ledger.admit(lease)
                    write(ledger, "new", found.last)
                    os.kill(owner.pid, signal.SIGCONT)
                    rest, _ = owner.communicate(timeout=60)
                    write(ledger, "new", found.last + 1)
        finally:
            owner.kill()
    *_, last = rest.splitlines()
    assert last.startswith(f"TakenOver Session 'ses_1' was taken over by process {os.getpid()}")
    events = resume.read(tmp_path, "ses_1")
    assert not events.warnings
    texts = [str(each.data) for each in events.envelopes[found.last :]]
    assert ["new" in text for text in texts] == [True, True]
    acknowledged = [int(line) for line in rest.splitlines() if line.isdecimal()]
    assert all(seq <= found.last for seq in acknowledged)


@pytest.mark.proves("I15")
def test_an_owner_that_signs_keeps_its_session_whatever_the_time_of_day(tmp_path: Path) -> None:
    with Lease.take(tmp_path, "ses_1") as lease:
        path = tmp_path / "locks" / "ses_1.lock"
        os.utime(path, (0, 0))
        with pytest.raises(SessionBusy):
            Lease.take(tmp_path, "ses_1")
        still(path)
        lease.sign()
        with pytest.raises(SessionBusy, match=f"process {os.getpid()}"):
            Lease.take(tmp_path, "ses_1")


def test_the_sign_of_another_start_of_the_machine_says_nothing(tmp_path: Path) -> None:
    with Lease.take(tmp_path, "ses_1"):
        path = tmp_path / "locks" / "ses_1.lock"
        still(path)
        path.write_text(f"{path.read_text(encoding='utf-8')}x", encoding="utf-8")
        with pytest.raises(SessionBusy):
            Lease.take(tmp_path, "ses_1")


def test_who_never_wrote_before_it_lost_the_session_writes_nothing(tmp_path: Path) -> None:
    old = Lease.take(tmp_path, "ses_1")
    still(tmp_path / "locks" / "ses_1.lock")
    new = Lease.take(tmp_path, "ses_1")
    assert (old.is_current, new.is_current) == (False, True)
    with closing(open_database(tmp_path)) as connection:
        stale = Ledger(tmp_path, connection)
        stale.admit(old)
        with pytest.raises(TakenOver):
            write(stale, "stale", 0)
        fresh = Ledger(tmp_path, connection)
        fresh.admit(new)
        write(fresh, "new", 0)
        with pytest.raises(TakenOver):
            write(stale, "stale", 1)
    old.remove()
    assert holder(tmp_path, "ses_1") == os.getpid()
    new.release()
    assert len(resume.read(tmp_path, "ses_1").envelopes) == 1


def test_the_sessions_beside_a_lost_one_are_kept(tmp_path: Path) -> None:
    """Two sessions of one writer: the database refuses the events of one of them only."""
    old = Lease.take(tmp_path, "ses_1")
    other = Lease.take(tmp_path, "ses_2")
    with closing(open_database(tmp_path)) as connection:
        ledger = Ledger(tmp_path, connection)
        ledger.admit(old)
        ledger.admit(other)
        write(ledger, "one", 0)
        still(tmp_path / "locks" / "ses_1.lock")
        with Lease.take(tmp_path, "ses_1") as new:
            fresh = Ledger(tmp_path, connection)
            fresh.admit(new)
            write(fresh, "two", 1)
            with pytest.raises(TakenOver) as refused:
                write(ledger, "stale", 2)
            assert refused.value.session == "ses_1"
            (mine,) = numbered([said("x")], session="ses_2")
            ledger.store([Line(envelope=mine, encoded=encode(mine))])
    other.release()
    old.release()


def test_who_lost_the_session_writes_nothing_before_the_new_owner_has_written(
    tmp_path: Path,
) -> None:
    """What the new owner has read is all there is, whenever the old one goes on."""
    old = Lease.take(tmp_path, "ses_1")
    with closing(open_database(tmp_path)) as connection:
        stale = Ledger(tmp_path, connection)
        stale.admit(old)
        write(stale, "one", 0)
        still(tmp_path / "locks" / "ses_1.lock")
        with Lease.take(tmp_path, "ses_1") as new:
            found = resume.load(tmp_path, new)
            with pytest.raises(TakenOver, match=f"process {os.getpid()}"):
                write(stale, "stale", 1)
            fresh = Ledger(tmp_path, connection)
            fresh.admit(new)
            write(fresh, "new", found.last)
    old.release()
    assert len(resume.read(tmp_path, "ses_1").envelopes) == 2
