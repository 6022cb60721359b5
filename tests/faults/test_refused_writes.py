"""A disk that says no at the n-th write, sync or rename, for once or from then on, and a full one.

A write that takes nothing is what a short write comes to at its end; writes that take a part of what
they were given are made by a limit on the size of a file, which cuts them at any byte.
"""

from pathlib import Path

import pytest

from tests.faults import faulted
from tests.faults.faulted import Fault

EIO, FULL, NOTHING = "error=EIO", "error=ENOSPC", "retval=0"
WAL, DATABASE = faulted.WAL, faulted.DATABASE
FAULTS = [
    Fault(where="append fails", calls="pwrite64", how=EIO, at="220", file=WAL),
    Fault(where="append fails from now on", calls="pwrite64", how=EIO, at="220+", file=WAL),
    Fault(where="commit fails", calls="fdatasync", how=EIO, at="26", file=WAL),
    Fault(where="no room to append", calls="pwrite64", how=FULL, at="220+", file=WAL),
    Fault(where="no room to commit", calls="fdatasync", how=FULL, at="26+", file=WAL),
    Fault(where="a write takes nothing", calls="pwrite64", how=NOTHING, at="220", file=WAL),
    Fault(where="log into database fails", calls="pwrite64", how=EIO, at="18+", file=DATABASE),
    Fault(where="a file cannot be synced", calls="fsync", how=EIO, at="8"),
    Fault(where="no room for a file", calls="fsync", how=FULL, at="8+"),
    Fault(where="a rename fails", calls="rename", how=EIO, at="8"),
]


@pytest.mark.proves("sessions-faults")
@pytest.mark.deep
async def test_what_a_disk_refuses_is_told_and_loses_nothing_that_was_shown(tmp_path: Path) -> None:
    assert await faulted.complaints(tmp_path, faulted.sampled(FAULTS, 2)) == {}


@pytest.mark.soak
async def test_a_disk_may_refuse_at_any_write(tmp_path: Path) -> None:
    found = faulted.seeded(FAULTS, faulted.fresh_seed(), each=6)
    assert await faulted.complaints(tmp_path, found) == {}
