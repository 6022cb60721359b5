"""The loop: think, act, look again, until the mind says it is done.

One file for every mind. A turn is one request to the model and the calls it asked for. A call that
is complete starts while the model still streams the rest (``agent.running.overlap``).
"""

from collections.abc import Awaitable, Callable

from anyio import create_task_group, get_cancelled_exc_class
from anyio.lowlevel import checkpoint

from ouroboros.agent.roles import Journal, Mind, Models
from ouroboros.agent.running.hooked import as_it_is
from ouroboros.agent.running.overlap import Hands, Overlap
from ouroboros.agent.speaking.reply import Reply, error_of
from ouroboros.core.errors import ModelFailed
from ouroboros.core.events import Event, TaskCompleted, TurnStarted, UserMessage
from ouroboros.core.parts import Message
from ouroboros.core.state import State
from ouroboros.llm.stream import Finished


class Run:
    """From what was asked to the mind's verdict, a limit, or a failure."""

    def __init__(
        self,
        *,
        state: State,
        mind: Mind,
        models: Models,
        hands: Hands,
        journal: Journal,
        limit: Callable[[State], Awaitable[str | None]],
        opening: Callable[[], Awaitable[None]] = checkpoint,
        closing: Callable[[], Awaitable[None]] = checkpoint,
        turned: Callable[[], None] = lambda: None,
        stopping: Callable[[TaskCompleted], Awaitable[TaskCompleted | Message]] = as_it_is,
    ) -> None:
        """``limit`` names a cap that is reached; ``opening`` is awaited before each turn.

        ``turned`` is called after each, ``closing`` is awaited before the run ends; ``stopping``
        may have words against its end.
        """
        self.state, self.mind, self.models, self.hands = state, mind, models, hands
        self.journal, self.limit, self.opening, self.closing = journal, limit, opening, closing
        self.stopping, self.turned = stopping, turned

    async def run(self) -> None:
        """Takes turns until the run has ended; the last event says how."""
        while not await self.turn():
            pass

    async def turn(self) -> bool:
        """One request and its calls; True when the run has ended."""
        reached = await self.limit(self.state)
        if reached:
            return await self.end(f"limit_reached:{reached}")
        await self.opening()
        self.journal.record(TurnStarted(turn=self.state.turn + 1))
        try:
            await self.think_somehow()
        except ModelFailed as failed:
            self.keep([error_of(failed)])
            return await self.end("failed")
        self.turned()
        return await self.judge()

    async def judge(self) -> bool:
        """What comes after the reply that is there: True when the run has ended."""
        verdict = self.mind.verdict(self.state)
        if isinstance(verdict, TaskCompleted) and not self.state.queued:
            verdict = await self.stopping(verdict)
        if isinstance(verdict, Message):
            self.journal.record(UserMessage(message=verdict))
            return False
        if verdict is None or self.state.queued:
            return False
        await self.closing()
        self.journal.record(verdict)
        return True

    async def think_somehow(self) -> None:
        """Thinks with the first model that can; the next is asked while nothing was shown."""
        failed: ModelFailed | None = None
        while True:
            switched = await self.models.choose(failed)
            self.keep([switched] if switched else [])
            try:
                if self.mind.is_full(self.state):
                    self.journal.record(await self.mind.compact(self.state, "proactive"))
                return await self.think_or_compact()
            except ModelFailed as broken:
                if not self.models.may_replace(broken):
                    raise
                failed = broken

    async def think_or_compact(self) -> None:
        """Thinks; if the context turns out to be too long, compacts and thinks once more."""
        try:
            await self.think()
        except ModelFailed as failed:
            if failed.failure.kind != "context_overflow":
                raise
            self.journal.record(await self.mind.compact(self.state, "reactive"))
            await self.think()

    async def think(self) -> None:
        """Streams one reply and does what it asks for; returns when every call has its result."""
        reply = self.mind.reply(self.state)
        failed: ModelFailed | None = None
        if self.state.history[-1].role == "user":  # nobody's words reach a model before the disk
            await self.journal.settle()
        async with create_task_group() as tasks:
            overlap = Overlap(tasks, self.hands, before=lambda: self.keep(reply.partial()))
            try:
                await self.listen(reply, overlap)
            except ModelFailed as broken:
                failed = broken
                self.keep(reply.void() if self.models.may_replace(broken) else reply.close())
            except get_cancelled_exc_class():
                self.keep(reply.close())
                raise
        if failed and not reply.acted:
            raise failed
        if failed:  # calls that acted make the half reply real: their results go back
            self.keep([error_of(failed)])

    async def listen(self, reply: Reply, overlap: Overlap) -> None:
        """Puts the stream on record piece by piece and starts each call that is complete."""
        async with self.mind.think(self.state) as stream:
            async for event in stream:
                self.keep(reply.take(event))
                for call in reply.ready():
                    overlap.start(call)
                if isinstance(event, Finished):
                    return
                if reply.is_long:
                    await checkpoint()

    def keep(self, facts: list[Event]) -> None:
        """Puts events on record in order."""
        for fact in facts:
            self.journal.record(fact)

    async def end(self, reason: str) -> bool:
        """Ends the run with what it has."""
        await self.closing()
        self.journal.record(TaskCompleted(reason=reason, final=self.state.final))
        return True
