"""A worker's seat: what does not start is told, and what does not listen is ended."""

import os
import signal
import sys

import anyio
import pytest

from ouroboros.code.errors import IsolateFailed
from ouroboros.code.js.seat import Seat
from ouroboros.code.js.values import Answer
from ouroboros.code.wire import FRAME_BYTES
from tests.unit.code.place import TableHost, isolate, run_while, told

pytestmark = pytest.mark.real


@pytest.mark.proves("browser-stop")
async def test_a_machine_without_the_engine_is_told_and_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setitem(sys.modules, "py_mini_racer", None)
    async with isolate() as one:
        with pytest.raises(IsolateFailed, match="mini-racer and tree-sitter are not installed"):
            await one.run("1")


@pytest.mark.deep
@pytest.mark.proves("browser-stop")
async def test_a_worker_that_does_not_listen_is_ended():
    seat = Seat({}, None, listening_seconds=0.3)
    async with anyio.create_task_group() as tasks:
        await tasks.start(seat.keep)
        await seat.ready()
        os.kill(seat.pid, signal.SIGSTOP)
        with anyio.fail_after(60):
            with pytest.raises(IsolateFailed, match="does not listen"):
                await seat.send("Q", b"0 more\n" + b"x" * 4_000_000)
            await seat.ended.wait()


@pytest.mark.deep
@pytest.mark.proves("browser-stop")
async def test_getters_outlive_their_worker():
    async with isolate(globals=("tabs",)) as one:
        await one.run("1")
        await one.put("tabs", b"[7]")
        assert told(await one.run("tabs")) == "[7]"
        os.kill(one.pid, signal.SIGKILL)
        await one.run("1")
        assert told(await one.run("tabs")) == "[7]"


@pytest.mark.deep
@pytest.mark.proves("browser-host-calls")
async def test_an_answer_that_does_not_fit_is_an_error_of_its_call():
    async def large() -> Answer:
        return Answer(value=b'"%s"' % (b"x" * FRAME_BYTES))

    async with isolate(TableHost(large=large)) as one:
        code = "let said = ''; try { await large() } catch (e) { said = e.message } said"
        assert "does not fit into one frame" in told(await one.run(code))


@pytest.mark.proves("B23")
@pytest.mark.deep
async def test_a_frozen_worker_is_ended_by_a_cancel_and_another_goes_on():
    async with isolate() as one:
        await one.run("1")

        async def freeze_and_cancel() -> None:
            os.kill(one.pid, signal.SIGSTOP)
            await one.cancel()

        outcome = await run_while(one, "await wait()", freeze_and_cancel)
        assert outcome.stopped == "cancel"
        assert told(await one.run("2")) == "2"


@pytest.mark.soak
async def test_a_frozen_worker_is_ended_when_its_time_is_over_and_another_goes_on():
    async with isolate() as one:
        await one.run("1")

        async def freeze() -> None:
            os.kill(one.pid, signal.SIGSTOP)

        outcome = await run_while(one, "for (;;) {}", freeze, seconds=1)
        assert outcome.stopped == "time"
        assert told(await one.run("2")) == "2"
