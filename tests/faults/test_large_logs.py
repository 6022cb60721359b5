"""A log of a million events and an event of 100 MiB are kept, cut off, and read back as they were."""

import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from ouroboros.core.events import Envelope, TaskCompleted, TurnStarted, UserMessage
from ouroboros.store import resume, snapshots
from ouroboros.store.db import open_database
from ouroboros.store.health import Health, examine
from ouroboros.store.lease import Lease
from ouroboros.store.ledger import Ledger, Line
from ouroboros.store.line import encode
from ouroboros.store.sessions import list_sessions
from tests.faults import oracle
from tests.unit.store.samples import SESSION, a_turn, keep, numbered, ready, said

MEBIBYTES = 100
TIMELESS = (TurnStarted, TaskCompleted)
"""One long turn: what is looked up for each run is another matter."""


def text_of(envelope: Envelope) -> str:
    assert isinstance(envelope.data, UserMessage)
    return envelope.data.message.text


def write(home: Path, count: int) -> int:
    """So many events of ordinary turns; the number of the last one."""
    with closing(open_database(home)) as connection:
        ledger = Ledger(home, connection)
        last = 0
        while last < count:
            turns = [
                event
                for turn in range(1_000)
                for event in a_turn(last + turn)
                if not isinstance(event, TIMELESS)
            ]
            made = numbered([ready(), *turns] if not last else turns, after=last)
            ledger.store([Line(envelope=each, encoded=encode(each)) for each in made])
            last = made[-1].seq
    return last


@pytest.mark.proves("sessions-faults", "sessions-doctor")
@pytest.mark.parametrize(
    "count",
    [
        pytest.param(30_000, marks=pytest.mark.deep),
        pytest.param(1_000_000, marks=pytest.mark.soak),
    ],
)
def test_very_many_events_are_gone_on_with(tmp_path: Path, count: int) -> None:
    last = write(tmp_path, count)
    assert last >= count
    with Lease.take(tmp_path, SESSION) as lease:
        whole = resume.restore(tmp_path, lease)
        assert (whole.state.seq, whole.folded, whole.warnings) == (last, last, ())
        body = snapshots.encoded(whole.state)
        assert snapshots.save(tmp_path, SESSION, last, body)
        keep(tmp_path, numbered([said("on")], after=last))
        again = resume.restore(tmp_path, lease)
        assert (again.state.seq, again.folded, again.warnings) == (last + 1, 1, ())
    (listed,) = list_sessions(tmp_path)
    assert (listed.id, listed.status) == (SESSION, "idle")
    assert examine(tmp_path, seconds=60) == Health()
    assert examine(tmp_path, seconds=0) == Health(is_whole=False)


HUGE = """
import os, sys
from pathlib import Path
from tests.unit.store.samples import keep, numbered, said
os.write(1, b".")
keep(Path(sys.argv[1]), numbered([said("y" * {size})], after=1))
os.write(1, b"!")
"""


@pytest.mark.proves("sessions-faults")
@pytest.mark.deep
def test_an_event_of_100_mebibytes_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    home, size = tmp_path / "store", MEBIBYTES * 2**20
    keep(home, numbered([ready()]))
    program = [sys.executable, "-c", HUGE.format(size=size), str(home)]
    root = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(program, stdout=subprocess.PIPE, env=root) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"."
        while not list((home / "blobs").rglob("*.*")) and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
    sessions, wrong = oracle.on_disk(home)
    assert wrong == []
    # On a busy machine the kill may come when all is there.
    last = resume.read(home, SESSION).last
    assert [e.seq for e in sessions[SESSION]] == list(range(1, last + 1))
    if last == 1:
        subprocess.run(program, check=True, env=root, stdout=subprocess.DEVNULL)
    found = resume.read(home, SESSION)
    assert [text_of(each) for each in found.envelopes[1:]] == ["y" * size]
    keep(home, numbered([said("on")], after=2))
    assert resume.read(home, SESSION).last == 3
