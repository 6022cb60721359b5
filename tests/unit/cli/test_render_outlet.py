"""Writing that never holds up the loop."""

import os

import anyio
import pytest

from ouroboros.faces.cli.render.outlet import Outlet
from tests.unit.cli.render_stage import carried, pipe


@pytest.mark.deep
async def test_everything_arrives_in_order_through_a_slow_reader() -> None:
    reading, writing = os.pipe()
    outlet = Outlet(writing)
    expected = b"".join(b"line %d\n" % number for number in range(50_000))
    for number in range(50_000):
        outlet.write(f"line {number}\n")
    received = bytearray()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(outlet.drain)
        while len(received) < len(expected):
            await anyio.wait_readable(reading)
            received += await anyio.to_thread.run_sync(os.read, reading, 65_536)
        await outlet.flush()
        tasks.cancel_scope.cancel()
    os.close(reading)
    os.close(writing)
    assert received == expected


async def test_a_reader_that_went_away_is_noticed_and_not_an_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    outlet = Outlet(writing)
    outlet.write("nobody reads this")
    await carried(outlet)
    os.close(writing)
    assert outlet.gone.is_set()
    assert isinstance(outlet.failure, BrokenPipeError)
    outlet.write("nor this")
    await outlet.flush()


async def test_leaving_does_not_wait_for_a_reader_that_does_not_read() -> None:
    reading, writing = os.pipe()
    outlet = Outlet(writing)
    outlet.write("x" * 1_000_000)
    waiting = anyio.CancelScope(deadline=anyio.current_time() + 0.1)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(outlet.drain)
        with waiting:
            await outlet.flush()
        tasks.cancel_scope.cancel()
    os.close(reading)
    os.close(writing)
    assert waiting.cancelled_caught


async def test_text_that_the_encoding_lacks_is_replaced() -> None:
    with pipe() as (fd, written):
        outlet = Outlet(fd, encoding="ascii")
        outlet.write("é\udc9b.\n")
        await carried(outlet)
        assert written() == "??.\n"
