"""One open session, for any number of faces."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import anyio
from anyio import CancelScope, lowlevel, to_thread
from anyio.abc import TaskGroup

from ouroboros.app.hub.bystander import Bystander
from ouroboros.app.hub.feed import Feed, Gap
from ouroboros.app.hub.tail import Tail
from ouroboros.app.ouroboros import Session
from ouroboros.core.commands import (
    AcceptPlan,
    Approve,
    Command,
    Compact,
    Deny,
    Interrupt,
    Queue,
    RefusePlan,
    Review,
    SetGoal,
    Steer,
    Submit,
)
from ouroboros.core.errors import Misuse, OuroborosError, SessionUnknown
from ouroboros.core.events import Envelope
from ouroboros.core.state import State
from ouroboros.store.following import page

type Sink = Callable[[Envelope], None]
type Act = Callable[[], Awaitable[None]]

_LONG = (Submit, Compact, Review, AcceptPlan, RefusePlan, Queue, SetGoal)
"""Commands that may begin a run, and return when it is over."""

PAGE = 500
"""Events that are read from the log at once."""

_STOP_SECONDS, _MOST_SECONDS = 20.0, 60.0
_ANSWER_SECONDS, _LOOK_SECONDS = 30.0, 0.005

_logger = logging.getLogger(__name__)


class Room:
    """A session that stays open when nobody looks."""

    def __init__(
        self, session: Session, tasks: TaskGroup, *, home: Path, tell: Callable[[str], None]
    ) -> None:
        """Made by ``Hub.open`` only; ``tasks`` are the runs of this session."""
        self.session = session
        self.problem: OuroborosError | None = None
        self._tasks, self._home, self._tell = tasks, home, tell
        self._feeds: list[Feed] = []
        self._tail = Tail()
        self._jobs = 0
        self._idle = anyio.Event()
        self._idle.set()
        self._closing, self.gone = anyio.Event(), anyio.Event()
        self._has_listeners = False
        self.touch()
        session.listen(self._hear)

    @property
    def id(self) -> str:
        """The session's name."""
        return self.session.id

    @property
    def state(self) -> State:
        """What is true now; for reading only."""
        return self.session.state

    @property
    def running(self) -> bool:
        """A run is under way, or about to begin."""
        return self.session.running or self._jobs > 0

    @property
    def is_read_only(self) -> bool:
        """Another process has the session; this one follows its log."""
        return isinstance(self.session, Bystander)

    @property
    def is_closing(self) -> bool:
        """It takes nothing any more; ``gone`` comes next."""
        return self._closing.is_set()

    @property
    def is_needed(self) -> bool:
        """Somebody looks at it, or something in it goes on or waits for an answer."""
        state = self.state
        return bool(
            self._feeds or self._has_listeners or self.running or state.is_asking or state.processes
        )

    @property
    def watched(self) -> int:
        """How many readers follow it."""
        return len(self._feeds)

    async def send(self, command: Command) -> None:
        """Carries out one command; one that begins a run returns when that has begun.

        Words that were to reach a run that has just ended begin one; a ``Submit`` without words goes
        on with a run that was cut off.

        Raises:
            Misuse: The command does not fit the moment.
            StoreFailed: It cannot be kept.
        """
        self.touch()
        self._check_open()
        if isinstance(command, Steer) and command.text.strip() and not self.running:
            command = Submit(text=command.text)
        if isinstance(command, Approve | Deny):
            await self._answer(command)
        elif self.session.running or not isinstance(command, _LONG):
            await self.session.send(command)
        else:
            await self._begun(partial(self._said, command))

    async def work(self, act: Act) -> None:
        """Does what a person asked for besides; where that begins a run it returns when it has begun.

        It goes on when nobody waits for it any more.

        Raises:
            OuroborosError: What ``act`` raises, if that came before a run began.
        """
        self.touch()
        self._check_open()
        if self.session.running:
            await act()
            return
        await self._begun(act)

    async def _answer(self, command: Approve | Deny) -> None:
        """Answers; a question that a killed program left open is put again by the run that goes on."""
        goes_on = not (self.running or self.is_read_only)
        with anyio.move_on_after(_ANSWER_SECONDS):
            while True:
                try:
                    return await self.session.send(command)
                except Misuse:
                    if self.is_read_only or command.request_id not in self.state.approvals:
                        raise
                if goes_on:
                    goes_on = False
                    await self._begun(partial(self._said, Submit(text="")))
                await anyio.sleep(_LOOK_SECONDS)
        raise Misuse("the question is not put again", hint="say `Go on.`, then answer it")

    async def _begun(self, act: Act) -> None:
        job = _Job()
        self._tasks.start_soon(self._carry_out, act, job)
        while not (job.is_over or self.session.running):
            await lowlevel.checkpoint()
            await job.look()
        if job.problem is not None:
            raise job.problem

    def _check_open(self) -> None:
        if self.is_closing:
            raise Misuse("this session is being closed", hint="open it again")

    def listen(self, sink: Sink) -> None:
        """Shows every event from now on, in order, on the event loop; the sink must not block.

        A room that is listened to is never closed for want of use.
        """
        self._has_listeners = True
        self.session.listen(sink)

    @asynccontextmanager
    async def follow(
        self, after: int = 0, *, capacity: int = 1024
    ) -> AsyncGenerator[AsyncIterator[Envelope | Gap]]:
        """Every event after number ``after``: from the log, then live, none twice and none left out.

        A reader who is too slow loses deltas, then is given a ``Gap`` and what it missed from the log.

        Raises:
            StoreFailed: The log cannot be read.
        """
        async with self.batches(after, capacity=capacity) as batches:
            yield _singly(batches)

    @asynccontextmanager
    async def batches(
        self, after: int = 0, *, capacity: int = 1024
    ) -> AsyncGenerator[AsyncIterator[list[Envelope] | Gap]]:
        """As ``follow``, with all that waits at once; no list is empty."""
        feed = Feed(capacity)
        self._feeds.append(feed)
        try:
            yield self._read(feed, after)
        finally:
            self._feeds.remove(feed)
            self.touch()

    async def past(self, after: int, limit: int = PAGE) -> list[Envelope]:
        """Events that are on record after one, ``limit`` at most.

        Raises:
            StoreFailed: The log cannot be read.
        """
        try:
            return await to_thread.run_sync(page, self._home, self.id, after, limit)
        except SessionUnknown:
            return []  # nothing of a new session is on the disk yet

    async def close(self) -> None:
        """Stops what runs, then lets the session be taken down; returns when nothing runs any more."""
        with CancelScope(shield=True), anyio.move_on_after(_STOP_SECONDS) as waiting:
            while self.running:
                with suppress(OuroborosError):
                    await self.session.send(Interrupt(reason="closed"))
                with anyio.move_on_after(1):
                    await self._idle.wait()
        if waiting.cancelled_caught:
            self._tasks.cancel_scope.cancel()
        self._closing.set()

    def touch(self) -> None:
        """Somebody has use for it."""
        self._touched = anyio.current_time()

    async def until_closed(self, idle_seconds: float) -> None:
        """Returns when it is to be closed: somebody said so, or nobody had use for it for so long."""
        while not self.is_closing:
            left = self._touched + idle_seconds - anyio.current_time()
            if left <= 0 and not self.is_needed:
                self._closing.set()
            with anyio.move_on_after(min(max(left, idle_seconds / 4), _MOST_SECONDS)):
                await self._closing.wait()

    def leave(self) -> None:
        """The session is closed; who follows it reads what is left."""
        for feed in self._feeds:
            feed.close()
        self.gone.set()

    async def _read(self, feed: Feed, after: int) -> AsyncGenerator[list[Envelope] | Gap]:
        is_behind, is_new = True, after == 0
        while True:
            if is_behind:
                while found := await self.past(after):
                    after = found[-1].seq
                    yield found
                    if len(found) < PAGE:
                        break
                live = self._joined(feed, after, is_new=is_new)
                is_behind = is_new = False
            else:
                live = feed.take(after)
            if live:
                after = live[-1].seq
                yield live
            if feed.is_lost:
                yield Gap(after=after)
                feed.start_over()
                is_behind = True
            elif feed.is_closed:
                return
            else:
                await feed.wait()

    def _joined(self, feed: Feed, after: int, *, is_new: bool) -> list[Envelope]:
        """What a reader of the log needs to read on live: what is being said begins anew."""
        live = [each for each in feed.take(after) if each.data.durable]
        after = live[-1].seq if live else after
        return [*live, *self._tail.of(after, output=is_new)]

    async def _carry_out(self, act: Act, job: "_Job") -> None:
        self._jobs += 1
        self._idle = anyio.Event()
        self.problem = None
        self._tell(self.id)
        try:
            await act()
        except OuroborosError as problem:
            job.problem = self.problem = problem
        except Exception as bug:
            _logger.exception("a run of session %s broke", self.id)
            job.problem = self.problem = OuroborosError(f"the run broke: {bug!r}")
        finally:
            job.end()
            self._jobs -= 1
            if not self._jobs:
                self._idle.set()
            self.touch()
            self._tell(self.id)

    async def _said(self, command: Command) -> None:
        match command:
            case Submit(text=text, media=()) if not text.strip():
                await self.session.run("")
            case _:
                await self.session.send(command)

    def _hear(self, envelope: Envelope) -> None:
        self._tail.take(envelope)
        for feed in self._feeds:
            feed.put(envelope)
        if envelope.type in _TELLING:
            self._tell(self.id)


async def _singly(
    batches: AsyncIterator[list[Envelope] | Gap],
) -> AsyncGenerator[Envelope | Gap]:
    async for batch in batches:
        if isinstance(batch, Gap):
            yield batch
            continue
        for envelope in batch:
            yield envelope


_TELLING = frozenset({
    "permission.requested",
    "permission.answered",
    "user.asked",
    "user.answered",
    "session.changed",
    "plan.proposed",
    "plan.answered",
    "user.message",
})


class _Job:
    """A command that is being carried out."""

    def __init__(self) -> None:
        self.problem: OuroborosError | None = None
        self._over = anyio.Event()

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    def end(self) -> None:
        self._over.set()

    async def look(self) -> None:
        """Waits a moment for its end."""
        with anyio.move_on_after(0.002):
            await self._over.wait()
