"""Starting calls early: together where that is safe, alone where it is not, answers by call."""

from collections.abc import Callable
from typing import Protocol

from anyio import Event
from anyio.abc import TaskGroup

from ouroboros.core.parts import ToolCall


class Hands(Protocol):
    """Does what was asked.

    ``do`` puts exactly one result on record for the call, also when it is cancelled, and raises
    only for cancellation or when the record itself cannot be kept.
    """

    async def do(self, call: ToolCall) -> object: ...
    def may_overlap(self, call: ToolCall) -> bool: ...


class Overlap:
    """The calls of one reply. A call that may not overlap waits for all before it and holds all after.

    Results carry their call's id; the context puts them in call order, whichever came first.
    """

    def __init__(self, tasks: TaskGroup, hands: Hands, *, before: Callable[[], None]) -> None:
        """``before`` runs right before a call is handed over, on the same step of the loop."""
        self._tasks, self._hands, self._before = tasks, hands, before
        self._all: list[Event] = []
        self._alone: list[Event] = []

    def start(self, call: ToolCall) -> None:
        """Takes up a call; it begins when the stream next waits, or at once when it has ended."""
        shared = self._hands.may_overlap(call)
        after = tuple(self._alone if shared else self._all)
        done = Event()
        self._all.append(done)
        if not shared:
            self._alone.append(done)
        self._tasks.start_soon(self._do, call, after, done)

    async def _do(self, call: ToolCall, after: tuple[Event, ...], done: Event) -> None:
        try:
            for earlier in after:
                await earlier.wait()
            self._before()
            await self._hands.do(call)
        finally:
            done.set()
