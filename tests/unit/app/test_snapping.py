"""A program that stays open keeps a snapshot when a run ends, after enough events, and off the loop."""

import threading
from pathlib import Path

import pytest

from ouroboros.app.wiring.session.past import EVERY, Past, snapping
from ouroboros.core.events import TaskCompleted, TurnStarted
from ouroboros.core.state import fold
from ouroboros.store import Lease, resume
from tests.unit.store.samples import SESSION, a_turn, keep, numbered, ready


def joined() -> None:
    for thread in threading.enumerate():
        if thread.name == "snapshot":
            thread.join(20)


@pytest.mark.proves("I07")
def test_the_end_of_a_run_after_enough_events_is_when_it_is_kept(tmp_path: Path) -> None:
    events = [ready(), *(each for number in range(EVERY) for each in a_turn(number))]
    envelopes = numbered(events)
    keep(tmp_path, envelopes)
    file = tmp_path / "snapshots" / f"{SESSION}.json"
    past = Past(id=SESSION, state=fold(envelopes[: EVERY * 5]))
    hear = snapping(tmp_path, past)
    hear(numbered([TurnStarted(turn=1)])[0])
    joined()
    assert not file.exists()
    hear(numbered([TaskCompleted(reason="completed")])[0])
    joined()
    with Lease.take(tmp_path, SESSION) as lease:
        assert resume.restore(tmp_path, lease).folded == len(events) - EVERY * 5
    file.unlink()
    hear(numbered([TaskCompleted(reason="completed")])[0])
    joined()
    assert not file.exists()
