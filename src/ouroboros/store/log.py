"""The log of one session: events go in at once and are acknowledged when they are on the disk."""

from collections import deque
from collections.abc import Callable

import anyio

from ouroboros.core.errors import StoreFailed
from ouroboros.core.events import Envelope
from ouroboros.store.lease import Lease
from ouroboros.store.line import encode
from ouroboros.store.writer import Writer


class EventLog:
    """Appends to one session; used on the event loop only.

    Attributes:
        last: Number of the last event handed in.
        durable: Number of the last event on the disk.
    """

    def __init__(
        self,
        writer: Writer,
        lease: Lease,
        *,
        after: int = 0,
        on_durable: Callable[[list[Envelope]], None] | None = None,
        on_warning: Callable[[str], None] | None = None,
    ) -> None:
        """Goes on after event number ``after``.

        Args:
            writer: Started; it may still be opening the database.
            lease: The right to write the session; must be held until the writer is closed.
            after: What ``resume.load`` found, 0 for a new session.
            on_durable: Called with events once they are on the disk, in order, each once. It must
                not block; what it raises goes to the event loop's exception handler.
            on_warning: Called with what did not work beside the log.
        """
        self.session = lease.session
        self.last = after
        self.durable = after
        self._writer = writer
        self.lease = lease
        self._on_durable = on_durable
        self._on_warning = on_warning
        self._failure: StoreFailed | None = None
        self._waiters: deque[tuple[int, anyio.Event]] = deque()
        writer.watch(lease)

    def append(self, envelope: Envelope) -> None:
        """Takes the next event and returns before it is on the disk.

        Raises:
            StoreFailed: An earlier event could not be kept, or the log is closed.
            ValueError: The event is not this session's next one, or is not for keeping.
        """
        if self._failure is not None:
            raise self._failure
        if not self._is_next(envelope):
            raise ValueError(
                f"event {envelope.seq} ({envelope.type}) of session {envelope.session!r} is not "
                f"durable event {self.last + 1} of session {self.session!r}"
            )
        self._writer.submit(self, envelope, encode(envelope))
        self.last = envelope.seq

    async def settled(self, seq: int | None = None) -> None:
        """Returns when event ``seq`` is on the disk, by default the last one appended.

        Raises:
            StoreFailed: It could not be kept.
            ValueError: No such event was appended, so the wait would not end.
        """
        awaited = self.last if seq is None else seq
        if awaited <= self.durable:
            return
        if awaited > self.last:
            raise ValueError(f"event {awaited} was not appended, the last one is {self.last}")
        if self._failure is None:
            waiter = anyio.Event()
            self._waiters.append((awaited, waiter))
            await waiter.wait()
        if awaited > self.durable and self._failure is not None:
            raise self._failure

    def delivered(self, envelopes: list[Envelope]) -> None:
        """Called by the writer: these are on the disk."""
        self.durable = envelopes[-1].seq
        still_waiting: deque[tuple[int, anyio.Event]] = deque()
        for awaited, waiter in self._waiters:
            if awaited <= self.durable:
                waiter.set()
            else:
                still_waiting.append((awaited, waiter))
        self._waiters = still_waiting
        if self._on_durable is not None:
            self._on_durable(envelopes)

    def refused(self, failure: StoreFailed) -> None:
        """Called by the writer: what is not yet on the disk never will be."""
        self._failure = failure
        for _, waiter in self._waiters:
            waiter.set()
        self._waiters.clear()

    def warned(self, text: str) -> None:
        """Called by the writer: something beside the log did not work."""
        if self._on_warning is not None:
            self._on_warning(text)

    def _is_next(self, envelope: Envelope) -> bool:
        return (
            self.lease.is_held
            and envelope.session == self.session
            and envelope.seq == self.last + 1
            and envelope.data.durable
        )
