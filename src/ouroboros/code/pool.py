"""Where isolates come from: a worker process each, one kept warm once somebody wants that."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from types import TracebackType
from typing import Self

import anyio
from anyio.abc import TaskGroup

from ouroboros.code.js.isolate import Isolate
from ouroboros.code.js.seat import Seat
from ouroboros.code.js.values import Host
from ouroboros.core.clock import Clock
from ouroboros.safety.guard import Guard
from ouroboros.safety.marks import MARK


class Isolates:
    """The workers of a session; starts nothing before the first need, ends all with its block."""

    def __init__(
        self, *, environment: Mapping[str, str], guard: Guard | None = None, clock: Clock
    ) -> None:
        """Of ``environment`` a worker gets nothing but the mark of who started it."""
        self._environment = {MARK: environment[MARK]} if MARK in environment else {}
        self._guard, self._clock = guard, clock
        self._stack = AsyncExitStack()
        self._tasks: TaskGroup | None = None
        self._warm: Seat | None = None
        self._keeps_warm = False
        self._seats: list[Seat] = []

    async def __aenter__(self) -> Self:
        """Begins; nothing is started yet."""
        self._tasks = await self._stack.enter_async_context(anyio.create_task_group())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends every worker."""
        for seat in self._seats:
            seat.leave()
        await self._stack.__aexit__(kind, problem, trace)

    @property
    def workers(self) -> tuple[Seat, ...]:
        """Those that run now, the warm one included."""
        return tuple(seat for seat in self._seats if not seat.ended.is_set())

    async def warm(self) -> None:
        """Keeps a worker ready from now on; returns at once."""
        self._keeps_warm = True
        if self._warm is None:
            self._warm = await self._started()

    @asynccontextmanager
    async def isolate(
        self, host: Host, *, globals: tuple[str, ...] = (), functions: tuple[str, ...]
    ) -> AsyncGenerator[Isolate]:
        """An isolate with the host's ``functions`` and the getters ``globals``; it ends with the block.

        Its worker is started by the first use of it.
        """
        isolate = Isolate(self._seat, host, globals=globals, functions=functions)
        try:
            yield isolate
        finally:
            with anyio.CancelScope(shield=True):
                await isolate.cancel()
                await isolate.close()

    async def _started(self) -> Seat:
        assert self._tasks is not None
        self._seats = list(self.workers)
        seat = Seat(self._environment, self._guard)
        self._seats.append(seat)
        await self._tasks.start(seat.keep)
        return seat

    async def _seat(self) -> Seat:
        """A worker that is ready, the warm one first.

        Raises:
            IsolateFailed: None could be started.
        """
        warm, self._warm = self._warm, None
        seat = warm if warm is not None and not warm.ended.is_set() else await self._started()
        if self._keeps_warm:
            self._warm = await self._started()
        try:
            await seat.ready()
        except BaseException:
            seat.leave()
            raise
        return seat
