"""Killed on entering a write, a sync, an acknowledgement or a rename, wherever in a run that falls.

Mid-rewind is tests/unit/workspace/test_checkpoint_killed.py, which kills at every step of it.
"""

from pathlib import Path

import pytest

from tests.faults import faulted
from tests.faults.faulted import Fault

KILL = "signal=KILL"
BARRIERS = [
    Fault(where="before or in an append", calls="pwrite64", how=KILL, at="220", file=faulted.WAL),
    Fault(where="appended, not synced", calls="fdatasync", how=KILL, at="26", file=faulted.WAL),
    Fault(where="synced, not acknowledged", calls="write", how=KILL, at="14", file="out"),
    Fault(where="before a rename", calls="rename", how=KILL, at="8"),
    Fault(where="after a rename", calls="fsync", how=KILL, at="8"),
    Fault(where="log into database", calls="pwrite64", how=KILL, at="18", file=faulted.DATABASE),
]


@pytest.mark.proves("sessions-faults")
@pytest.mark.deep
async def test_a_run_that_is_killed_at_a_barrier_loses_and_repeats_nothing(tmp_path: Path) -> None:
    # Early places: a busy machine writes more at once, and comes to fewer of the later ones.
    assert await faulted.complaints(tmp_path, faulted.seeded(BARRIERS[1:4], seed=4, each=1)) == {}


@pytest.mark.soak
async def test_a_run_may_be_killed_at_any_barrier(tmp_path: Path) -> None:
    found = faulted.seeded(BARRIERS, faulted.fresh_seed(), each=12)
    assert await faulted.complaints(tmp_path, found) == {}
