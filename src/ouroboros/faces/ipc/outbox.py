"""Lines on their way out: taken at once, carried in order, given up where nobody reads them."""

from collections import deque
from collections.abc import Awaitable, Callable

import anyio

BEHIND_BYTES = 64 * 1_048_576
"""A reader that is so far behind is given up."""


class Outbox:
    """What one reader is told."""

    def __init__(
        self, carry: Callable[[bytes], Awaitable[object]], gone: tuple[type[Exception], ...]
    ) -> None:
        """``carry`` takes all of a line; ``gone`` is what it raises once nobody reads any more."""
        self._carry, self._gone = carry, gone
        self._waiting: deque[bytes] = deque()
        self._wake, self._empty = anyio.Event(), anyio.Event()
        self.bytes = 0
        self.is_gone = False

    def send(self, line: bytes) -> None:
        """Takes a line and returns at once."""
        if self.is_gone or self.bytes + len(line) > BEHIND_BYTES:
            self.is_gone = True
            return
        self._waiting.append(line)
        self.bytes += len(line)
        self._wake.set()

    async def drain(self) -> None:
        """Carries lines out until cancelled."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            try:
                while self._waiting:
                    await self._carry(self._waiting[0])
                    self.bytes -= len(self._waiting.popleft())
            except self._gone:
                self.is_gone = True
                self._waiting.clear()
            self._empty.set()
            self._empty = anyio.Event()

    async def flushed(self, seconds: float = 1.0) -> None:
        """Returns when all is out, or the reader is gone, or after so long."""
        with anyio.move_on_after(seconds):
            while self._waiting and not self.is_gone:
                await self._empty.wait()
