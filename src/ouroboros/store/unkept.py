"""The log of a session that is not kept: its events are shown and forgotten, and no file is made."""

import asyncio
from collections import deque
from collections.abc import Callable

from anyio import lowlevel

from ouroboros.core.events import Envelope


class Unkept:
    """Takes events as a log does; used on the event loop only.

    Attributes:
        last: Number of the last event handed in.
    """

    def __init__(self, *, on_durable: Callable[[list[Envelope]], None]) -> None:
        """``on_durable`` is called with events in order, each once, after ``append`` has returned."""
        self.last = 0
        self._on_durable = on_durable
        self._waiting: deque[Envelope] = deque()

    def append(self, envelope: Envelope) -> None:
        """Takes the next event."""
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self.flush)
        self._waiting.append(envelope)
        self.last = envelope.seq

    async def settled(self, seq: int) -> None:
        """Returns when events up to ``seq`` were shown; there is no disk to wait for."""
        del seq
        self.flush()
        await lowlevel.checkpoint()

    def flush(self) -> None:
        """Shows what waits."""
        while self._waiting:
            self._on_durable([self._waiting.popleft()])
