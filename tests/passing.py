"""Time of the event loop that is let go by: what would wait for long has waited at once.

However busy the machine is, a wait that is long in this time ends neither too early nor too late.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager

import anyio

_TURNS = 3


class _Ahead:
    """A loop's clock that was put on, or goes more slowly."""

    def __init__(self, own: Callable[[], float], times: float = 1.0) -> None:
        self._own, self._began, self._times = own, own(), times
        self.seconds = 0.0

    def __call__(self) -> float:
        return self._began + (self._own() - self._began) / self._times + self.seconds


class LoopClock:
    """A ``Clock`` that shows the time of the event loop."""

    def now(self) -> float:
        return anyio.current_time()

    def monotonic(self) -> float:
        return anyio.current_time()


def passes(seconds: float) -> None:
    """Makes whatever waits in this event loop find that so much time has gone by."""
    loop = asyncio.get_running_loop()
    clock = loop.time
    if not isinstance(clock, _Ahead):
        clock = _Ahead(clock)
        loop.time = clock
    clock.seconds += seconds


async def until(holds: Callable[[], object], seconds: float = 60.0) -> None:
    """Returns when ``holds`` is true; fails when it is not in time, of which none can be let go by."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that"
        await anyio.sleep(0.01)


@contextmanager
def lingering(times: float) -> Generator[None]:
    """Time goes by so many times more slowly: a short while is time enough for a busy machine."""
    loop = asyncio.get_running_loop()
    own = loop.time
    loop.time = _Ahead(own, times)
    try:
        yield
    finally:
        loop.time = own


@asynccontextmanager
async def hurrying(step: float) -> AsyncGenerator[None]:
    """Time goes by in steps of so many seconds, each after everybody in the loop had several turns."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_hurry, step)
        yield
        tasks.cancel_scope.cancel()


async def _hurry(step: float) -> None:
    while True:
        for _ in range(_TURNS):
            await anyio.sleep(0.001)
        passes(step)
