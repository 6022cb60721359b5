"""The table of commands that outlive their call."""

import os
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import TaskGroup

from ouroboros.core.errors import ToolFailed, unwrapped
from ouroboros.safety.terminal import COLUMNS, ROWS
from ouroboros.tools.exec.running import Running
from ouroboros.tools.exec.snapshot import Snapshots

MOST = 64
"""Commands at one time. Source: codex, section 2.3, like the next two."""

PROTECTED = 8
"""The most recently used ones are not pushed out."""

LEAST_COLUMNS, MOST_COLUMNS = 20, 500
LEAST_ROWS, MOST_ROWS = 5, 200
"""What programs are told of a terminal; the output of one for a model is wrapped at its width."""

FIRST_NUMBER, LAST_NUMBER = 1000, 99_999


def _never() -> bool:
    return False


class Processes:
    """Commands by their numbers, the least recently used first; all end with the session."""

    def __init__(
        self,
        *,
        is_paused: Callable[[], bool] = _never,
        lost: Mapping[int, str] | None = None,
        snapshots: Path | None = None,
    ) -> None:
        """Holds none yet.

        Args:
            is_paused: Whether a person is being asked something.
            lost: Those that ended with an earlier program.
            snapshots: Where it is kept how shells are set up, the session's name last.
        """
        self.is_paused = is_paused
        self._lost = lost or {}
        self.size = (COLUMNS, ROWS)
        self._table: dict[int, Running] = {}
        self._running: set[Running] = set()
        self._tasks: TaskGroup | None = None
        self.snapshots: Snapshots | None = None
        if snapshots is not None:
            self.snapshots = Snapshots(snapshots.parent, snapshots.name, beside=self.beside)

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[None]:
        """Lets commands be added; at the end of the block nothing of them is left running."""
        try:
            async with anyio.create_task_group() as self._tasks:
                try:
                    yield
                finally:
                    self._tasks.cancel_scope.cancel()
                    self._tasks = None
                    self._table.clear()
                    if self.snapshots is not None:
                        with anyio.CancelScope(shield=True):
                            await self.snapshots.close()
        except ExceptionGroup as group:  # what failed in the block is its own, as without us
            raise unwrapped(group) from None

    def check(self) -> None:
        """Raises ``ToolFailed`` where no command can outlive its call."""
        if self._tasks is None:
            raise ToolFailed("commands cannot outlive a call here; use shell")

    def adopt(self, running: Running) -> None:
        """Reads it from now on, and ends it with the session at the latest."""
        self._running.add(running)
        self.beside(partial(self._pump, running))

    def beside(self, job: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Does something until it is done or the session ends."""
        self.check()
        assert self._tasks is not None
        self._tasks.start_soon(job)

    def keep(self, running: Running) -> int:
        """Gives it a number; the one that was not used for the longest time makes room, and ends."""
        if len(self._table) >= MOST:
            self._table.pop(self._least()).stop()
        number = _number()
        while number in self._table or number in self._lost:
            number = _number()
        self._table[number] = running
        if running.confined.held is not None:
            running.confined.held(running.stop)
        return number

    def used(self, number: int) -> Running:
        """The command of this number, which is the most recently used from now on.

        Raises:
            ToolFailed: There is none.
        """
        running = self._table.pop(number, None)
        if running is None:
            command = self._lost.get(number)
            ended = f" ({command!r} ended with the program that had started it)" if command else ""
            raise ToolFailed(f"write_stdin failed: Unknown process id {number}{ended}")
        self._table[number] = running
        return running

    def resize(self, columns: int, rows: int) -> None:
        """Gives every terminal this size, and those that are still to come."""
        self.size = (
            max(LEAST_COLUMNS, min(columns, MOST_COLUMNS)),
            max(LEAST_ROWS, min(rows, MOST_ROWS)),
        )
        for running in self._running:
            if running.terminal is not None and running.exit_code is None:
                running.terminal.resize(*self.size)

    def drop(self, number: int) -> None:
        """Forgets one that has ended."""
        self._table.pop(number, None)

    async def _pump(self, running: Running) -> None:
        try:
            await running.pump()
        finally:
            self._running.discard(running)

    def _least(self) -> int:
        """Whom to push out: an ended one first, the least recently used, and none of the last eight."""
        unprotected = list(self._table)[: max(1, len(self._table) - PROTECTED)]
        ended = (number for number in unprotected if self._table[number].exit_code is not None)
        return next(ended, unprotected[0])


def _number() -> int:
    return FIRST_NUMBER + int.from_bytes(os.urandom(8)) % (LAST_NUMBER - FIRST_NUMBER + 1)
