"""What one reader of a session has still to be shown; bounded, whoever reads how slowly."""

from collections import deque

import anyio
from msgspec import Struct

from ouroboros.core.events import Envelope


class Gap(Struct, frozen=True, kw_only=True):
    """The reader was too slow: live events were left out, and those after ``after`` come from the log."""

    after: int


class Feed:
    """Live events that wait for one reader, in order.

    A reader who is too slow loses deltas first. Where that is not enough the feed is ``lost``: it
    takes nothing more until the reader has caught up from the log.
    """

    def __init__(self, capacity: int) -> None:
        """``capacity`` is the number of events that may wait."""
        self._capacity = capacity
        self._waiting: deque[Envelope] = deque()
        self._wake = anyio.Event()
        self.is_lost = False
        self.is_closed = False

    def put(self, envelope: Envelope) -> None:
        """Takes a live event; never blocks."""
        if self.is_lost:
            return
        if len(self._waiting) >= self._capacity:
            self._waiting = deque(each for each in self._waiting if each.data.durable)
            if len(self._waiting) >= self._capacity:
                self._waiting.clear()
                self.is_lost = True
                self._wake.set()
                return
            if not envelope.data.durable:
                return
        self._waiting.append(envelope)
        self._wake.set()

    def close(self) -> None:
        """Nothing more comes; what waits is still read."""
        self.is_closed = True
        self._wake.set()

    def start_over(self) -> None:
        """Takes live events again, before the log is read."""
        self.is_lost = False

    def take(self, after: int) -> list[Envelope]:
        """All that waits and that who has seen everything up to ``after`` has not."""
        found = [
            each
            for each in self._waiting
            if each.seq > after or (not each.data.durable and each.seq == after)
        ]
        self._waiting.clear()
        self._wake = anyio.Event()
        if self.is_closed or self.is_lost:
            self._wake.set()
        return found

    async def wait(self) -> None:
        """Returns when there is something to take, or nothing will come."""
        await self._wake.wait()
