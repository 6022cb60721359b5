"""A worker's seat: what does not start is told, and what does not listen is ended."""

import os
import signal
import sys

import anyio
import pytest

from ouroboros.code.errors import IsolateFailed
from ouroboros.code.js.seat import Seat
from tests.unit.code.place import isolate


async def test_a_machine_without_the_engine_is_told_and_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setitem(sys.modules, "py_mini_racer", None)
    async with isolate() as one:
        with pytest.raises(IsolateFailed, match="mini-racer and tree-sitter are not installed"):
            await one.run("1")


async def test_a_worker_that_does_not_listen_is_ended():
    seat = Seat({}, None, listening_seconds=0.3)
    async with anyio.create_task_group() as tasks:
        await tasks.start(seat.keep)
        await seat.ready()
        os.kill(seat.pid, signal.SIGSTOP)
        with anyio.fail_after(20):
            with pytest.raises(IsolateFailed, match="does not listen"):
                await seat.send("Q", b"0 more\n" + b"x" * 4_000_000)
            await seat.ended.wait()
