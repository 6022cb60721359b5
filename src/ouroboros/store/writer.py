"""The one thread that writes: waits for an event, takes what else is there, commits them together."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Protocol, Self

import anyio

from ouroboros.core.errors import StoreFailed
from ouroboros.core.events import Envelope
from ouroboros.store.lease import SIGN_SECONDS, Lease

if TYPE_CHECKING:
    from ouroboros.store.ledger import Ledger
    from ouroboros.store.mirror import Mirror

BATCH = 512
"""Most events of one commit."""


class Receiver(Protocol):
    """Learns on the event loop what became of its events; neither method may raise or block."""

    @property
    def lease(self) -> Lease:
        """The right to write its session."""
        ...

    def delivered(self, envelopes: list[Envelope]) -> None:
        """These are on the disk; called in order."""
        ...

    def refused(self, failure: StoreFailed) -> None:
        """These and all later ones are not on the disk and never will be."""
        ...

    def warned(self, text: str) -> None:
        """Something beside the log did not work."""
        ...


type _Entry = tuple[Receiver, Envelope, bytes]
type _Outcome = tuple[Receiver, list[Envelope] | StoreFailed]


class Writer:
    """Serves all sessions of one home folder; opens and migrates the database in its thread."""

    def __init__(self, home: Path, *, busy_seconds: float = 30.0, mirrors: bool = False) -> None:
        """Starts nothing.

        ``busy_seconds``: how long another program may hold the database. ``mirrors``: events are
        repeated in a file for each session.
        """
        self.home = home
        self._mirrors = mirrors
        self._mirror: Mirror | None = None
        self._busy_seconds = busy_seconds
        self._queue: SimpleQueue[_Entry | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="store-writer", daemon=True)
        self._known: set[Receiver] = set()
        self._refused: dict[Receiver, StoreFailed] = {}
        self._failure: StoreFailed | None = None
        self._is_open = False
        self._has_seen_end = False
        self._taken: list[_Entry] = []
        self._leases: list[Lease] = []
        self._signed = 0.0

    def watch(self, lease: Lease) -> None:
        """Signs this lease from now on, so that everybody sees that its owner is at work."""
        if lease not in self._leases:
            self._leases.append(lease)

    def start(self) -> None:
        """Begins to open the database and returns at once; call it on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._opened = anyio.Event()
        self._ended = anyio.Event()
        self._is_open = True
        self._thread.start()

    async def ready(self) -> None:
        """Returns when the database is open.

        Raises:
            StoreFailed: It cannot be opened; see ``ouroboros.store.db.open_database``.
        """
        await self._opened.wait()
        if self._failure is not None:
            raise self._failure

    def submit(self, receiver: Receiver, envelope: Envelope, encoded: bytes) -> None:
        """Hands an event to the thread; never blocks.

        Raises:
            StoreFailed: The writer is closed.
        """
        if not self._is_open:
            raise StoreFailed(
                f"The store in {str(self.home)!r} is closed, so event {envelope.seq} of session "
                f"{envelope.session!r} cannot be kept.",
                hint="Open the session again.",
            )
        self._queue.put((receiver, envelope, encoded))

    async def close(self) -> None:
        """Writes what was handed in, then closes the database; not cut short by cancellation."""
        if not self._is_open:
            return
        self._is_open = False
        self._queue.put(None)
        with anyio.CancelScope(shield=True):
            await self._ended.wait()

    async def __aenter__(self) -> Self:
        """Started; not yet ready."""
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Closed."""
        await self.close()

    def _run(self) -> None:
        try:
            self._work()
        except StoreFailed as failure:
            self._failure = failure
        finally:
            self._failure = self._failure or StoreFailed("The store is closed.")
            self._tell(self._opened.set)
            # After a bug the batch at hand has had no answer yet, and its producers wait for one.
            self._refuse_and_tell({entry[0] for entry in self._taken}, self._failure)
            self._refuse_the_rest(self._failure)
            self._tell(self._ended.set)

    def _work(self) -> None:
        # Imported here: the loop goes on while this thread reads modules and the disk.
        from ouroboros.store.db import open_database
        from ouroboros.store.ledger import Ledger

        connection = open_database(self.home, busy_seconds=self._busy_seconds)
        try:
            self._tell(self._opened.set)
            ledger = Ledger(self.home, connection)
            if self._mirrors:
                from ouroboros.store.mirror import Mirror

                self._mirror = Mirror(self.home, connection)
            while not self._has_seen_end:
                self._taken = self._take()
                self._sign()
                outcomes = self._keep(ledger, self._taken)
                self._taken = []
                if outcomes:
                    self._repeat(outcomes)
                    self._tell(lambda told=outcomes: _deliver(told))
        finally:
            if self._mirror is not None:
                self._mirror.close()
            connection.close()

    def _repeat(self, outcomes: list[_Outcome]) -> None:
        if self._mirror is None:
            return
        for receiver, outcome in outcomes:
            if isinstance(outcome, StoreFailed):
                continue
            if problem := self._mirror.add(receiver.lease.session, outcome):
                self._tell(partial(receiver.warned, problem))

    def _take(self) -> list[_Entry]:
        batch: list[_Entry] = []
        try:
            entry = self._queue.get(timeout=SIGN_SECONDS)
        except Empty:
            return batch
        while entry is not None:
            batch.append(entry)
            if len(batch) == BATCH:
                return batch
            try:
                entry = self._queue.get_nowait()
            except Empty:
                return batch
        self._has_seen_end = True
        return batch

    def _sign(self) -> None:
        if monotonic() - self._signed >= SIGN_SECONDS - 1:
            self._signed = monotonic()
            for lease in tuple(self._leases):
                if lease.is_held:
                    lease.sign()
                else:
                    self._leases.remove(lease)

    def _keep(self, ledger: "Ledger", batch: list[_Entry]) -> list[_Outcome]:
        from ouroboros.store.ledger import Line, Refused

        for receiver, _, _ in batch:
            if receiver not in self._known:
                self._known.add(receiver)
                ledger.admit(receiver.lease)
                if self._mirror is not None:
                    self._mirror.forget(receiver.lease.session)
        outcomes: list[_Outcome] = []
        open_entries = batch
        while True:
            open_entries = [entry for entry in open_entries if entry[0] not in self._refused]
            if not open_entries:
                return outcomes
            try:
                ledger.store([Line(envelope=each[1], encoded=each[2]) for each in open_entries])
            except Refused as failure:
                wrong = {each[0] for each in open_entries if each[1].session == failure.session}
                outcomes += self._refuse(wrong, failure)
            except StoreFailed as failure:
                return outcomes + self._refuse({each[0] for each in open_entries}, failure)
            else:
                kept = _by_receiver(open_entries)
                for receiver, envelopes in kept:
                    receiver.lease.acknowledge(envelopes[-1].seq)
                return [*outcomes, *kept]

    def _refuse(self, receivers: set[Receiver], failure: StoreFailed) -> list[_Outcome]:
        """What comes later from the same receiver is dropped too, or the log would have a gap."""
        for receiver in receivers:
            self._refused[receiver] = failure
        return [(receiver, failure) for receiver in receivers]

    def _refuse_the_rest(self, failure: StoreFailed) -> None:
        while not self._has_seen_end:
            self._refuse_and_tell({entry[0] for entry in self._take()}, failure)

    def _refuse_and_tell(self, receivers: set[Receiver], failure: StoreFailed) -> None:
        outcomes = self._refuse(receivers - self._refused.keys(), failure)
        if outcomes:
            self._tell(lambda told=outcomes: _deliver(told))

    def _tell(self, callback: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(callback)
        except RuntimeError:
            if not self._loop.is_closed():
                raise


def _by_receiver(entries: list[_Entry]) -> list[tuple[Receiver, list[Envelope]]]:
    envelopes: dict[Receiver, list[Envelope]] = {}
    for receiver, envelope, _ in entries:
        envelopes.setdefault(receiver, []).append(envelope)
    return list(envelopes.items())


def _deliver(outcomes: list[_Outcome]) -> None:
    """The stack calls every receiver even when an earlier one's callback breaks."""
    with ExitStack() as stack:
        for receiver, outcome in reversed(outcomes):
            if isinstance(outcome, StoreFailed):
                stack.callback(receiver.refused, outcome)
            else:
                stack.callback(receiver.delivered, outcome)
