"""One session as an editor has it open."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import anyio
from anyio import CancelScope, lowlevel, to_thread
from anyio.abc import TaskGroup

from ouroboros.app.hub import Gap, Hub, Room
from ouroboros.core.commands import Answer, Command, Interrupt, Submit
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.events import (
    AgentMessage,
    ContextCompacted,
    Envelope,
    ErrorRaised,
    PermissionAnswered,
    PermissionRequested,
    TaskCancelled,
    TaskCompleted,
    ToolStarted,
)
from ouroboros.core.events.question import Question, UserAnswered, UserAsked
from ouroboros.core.parts import Media
from ouroboros.faces.acp import asking, lines
from ouroboros.faces.acp.buffers import Buffers
from ouroboros.faces.acp.content import said
from ouroboros.faces.acp.frames import Json
from ouroboros.faces.acp.peer import Peer, PeerRefused
from ouroboros.faces.acp.schema import Block, Permission
from ouroboros.faces.acp.telling import Telling, usage, words
from ouroboros.faces.slashes.control import Say
from ouroboros.faces.wording.face import Notice

_SHOWN_SECONDS = 10.0


class Ended(NamedTuple):
    """How a run ended; ``error`` is what failed last in it."""

    reason: str = ""
    error: ErrorRaised | None = None


class Conversation:
    """Tells an editor what happens in a session, and asks it what is asked."""

    def __init__(
        self, room: Room, hub: Hub, peer: Peer, tasks: TaskGroup, buffers: Buffers
    ) -> None:
        """Tells all that happens from now on, while the room is open; ``buffers`` are what it was opened with."""
        self.room = room
        self._buffers = buffers
        buffers.session = room.id
        buffers.tell = lambda text: self._notice(Notice(text=text, level="warning"))
        self._hub, self._peer, self._tasks = hub, peer, tasks
        self._telling = Telling(self.cwd)
        self._questions: dict[str, CancelScope] = {}
        self._memory: dict[str, str] = {}
        self._changed = anyio.Event()
        self._turn: _Turn | None = None
        self._seq = room.state.seq
        hub.listen(self._note)
        tasks.start_soon(self._follow)

    @property
    def cwd(self) -> Path:
        """Where relative paths start."""
        return Path(self.room.state.cwd)

    def tell(self, update: Json) -> None:
        """Tells one update."""
        self._peer.tell("session/update", {"sessionId": self.room.id, "update": update})

    def greet(self) -> None:
        """What is there besides words."""
        self.tell(lines.available())
        if self.room.session.resumed:
            self._tell_usage()

    async def replay(self) -> None:
        """Tells what was said and done on the branch that the session stands on.

        Raises:
            StoreFailed: The log cannot be read.
        """
        state = self.room.state
        shown = set(state.tree.way())
        for id in tuple(shown):
            shown |= {call.id for call in state.tree.nodes[id].message.calls}
        after = 0
        while batch := await self.room.past(after):
            after = batch[-1].seq
            for envelope in batch:
                data = envelope.data
                if isinstance(data, ToolStarted) and data.within in shown:
                    shown.add(data.call_id)
                for update in self._telling.again(envelope, shown):
                    self.tell(update)
            await lowlevel.checkpoint()

    def ask_again(self) -> None:
        """Asks what waits for an answer, as after a crash."""
        for event in self.room.state.approvals.values():
            self._ask(event)

    def close(self) -> None:
        """Tells nothing more."""
        self._hub.forget(self._note)

    async def prompt(self, blocks: tuple[Block, ...]) -> tuple[str, Ended]:
        """Says something and waits for the end: why the model stopped, and how the run ended.

        Raises:
            Misuse: A run is under way, or nothing was said.
            OuroborosError: The run could not begin, or could not be kept.
        """
        if self._turn is not None:
            raise Misuse("a prompt of this session is under way", hint="cancel it first")
        text, media = said(blocks, self.cwd)
        turn = self._turn = _Turn()
        self._buffers.is_silent = False
        try:
            if not media and lines.is_line(text):
                await self._line(text, turn)
            else:
                await self._say(text, media, turn)
            await self._answer_plans(turn)
        except anyio.get_cancelled_exc_class():
            self.cancel()
            raise
        finally:
            self._turn = None
        return self.room.state.stop_reason, turn.ended

    def cancel(self) -> None:
        """Stops what runs."""
        if self._turn is not None:
            self._turn.is_cancelled = True
        for scope in self._questions.values():
            scope.cancel()
        if self.room.running:
            self._tasks.start_soon(self._send, Interrupt(reason="user"))

    @property
    def was_cancelled(self) -> bool:
        """The prompt that is under way was cancelled."""
        return self._turn is not None and self._turn.is_cancelled

    async def _say(self, text: str, media: tuple[Media, ...], turn: "_Turn") -> None:
        await self._begin(Submit(text=text, media=media), turn)

    async def _begin(self, command: Command, turn: "_Turn") -> None:
        if turn.is_cancelled:
            turn.ended = Ended("cancelled")
            return
        await self.room.send(command)
        if turn.is_cancelled:
            await self._send(Interrupt(reason="user"))
        while self.room.running:
            await self._changed.wait()
        with anyio.move_on_after(_SHOWN_SECONDS):
            while self._seq < self.room.state.seq:
                await self._changed.wait()
        if self.room.problem is not None:
            raise self.room.problem

    async def _line(self, text: str, turn: "_Turn") -> None:
        loaded = await to_thread.run_sync(self._hub.outfit.loaded, self.cwd)
        seat = lines.seat(
            self.room, loaded, self._hub.outfit.environment, self._memory, self._notice
        )
        control = await lines.carry_out(seat, text)
        if isinstance(control, Say):
            await self._say(control.text, (), turn)
        elif callable(control):
            await control()

    async def _answer_plans(self, turn: "_Turn") -> None:
        while self.room.state.proposed and not turn.is_cancelled:
            offered = asking.plan_options()
            call = asking.plan_call(f"plan-{self.room.state.seq}", self.room.state.proposed)
            chosen = await self._chosen(call, offered.shown)
            if turn.is_cancelled:
                return
            if chosen is None:
                return
            command = offered.commands.get(chosen, offered.commands[asking.NO])
            await self._begin(command, turn)
            if chosen == asking.NO:
                return

    async def _follow(self) -> None:
        async with self.room.batches(self._seq) as batches:
            async for batch in batches:
                # What was too fast for us comes again from the log.
                for envelope in () if isinstance(batch, Gap) else batch:
                    self._hear(envelope)
                self._wake()

    def _hear(self, envelope: Envelope) -> None:
        self._seq = max(self._seq, envelope.seq)
        for update in self._telling.take(envelope):
            self.tell(update)
        match envelope.data:
            case AgentMessage(partial=False) | ContextCompacted():
                self._tell_usage()
            case PermissionRequested() as event:
                self._ask(event)
            case UserAsked() as event:
                self._start(event.request_id, partial(self._put, event))
            case PermissionAnswered(request_id=id) | UserAnswered(request_id=id):
                if (scope := self._questions.pop(id, None)) is not None:
                    scope.cancel()
            case TaskCompleted(reason=reason) if self._turn is not None:
                self._turn.ended = Ended(reason, self._turn.ended.error)
            case TaskCancelled() if self._turn is not None:
                self._turn.ended = Ended("cancelled")
            case ErrorRaised() as error if self._turn is not None:
                self._turn.ended = Ended(error=error)
            case _:
                pass

    def _tell_usage(self) -> None:
        self.tell(usage(self.room.session.meter(), self.room.state.spent.cost))

    def _ask(self, event: PermissionRequested) -> None:
        if event.reviewer == "person":
            self._start(event.request_id, partial(self._permit, event))

    def _start(self, id: str, job: Callable[[], Awaitable[None]]) -> None:
        if id in self._questions:
            return
        scope = self._questions[id] = CancelScope()
        self._tasks.start_soon(self._within, scope, job)

    async def _within(self, scope: CancelScope, job: Callable[[], Awaitable[None]]) -> None:
        with scope:
            await job()

    async def _permit(self, event: PermissionRequested) -> None:
        offered = asking.options(event)
        try:
            chosen = await self._chosen(asking.call(event, self.cwd), offered.shown)
        except PeerRefused as refused:
            await self._send(offered.commands[asking.NO])
            self._notice(Notice(text=refused.message, level="warning"))
            return
        if chosen is None:
            self.cancel()
            return
        await self._send(offered.commands.get(chosen, offered.commands[asking.NO]))

    async def _put(self, event: UserAsked) -> None:
        answers: dict[str, tuple[str, ...]] = {}
        for question in event.questions:
            answer = await self._answer(event.call_id, question)
            if answer is None:
                break
            if answer:
                answers[question.id] = answer
        await self._send(Answer(request_id=event.request_id, answers=answers))

    async def _answer(self, call_id: str, question: Question) -> tuple[str, ...] | None:
        call = asking.question_call(call_id, question)
        try:
            chosen = await self._chosen(call, asking.question_options(question))
        except PeerRefused as refused:
            self._notice(Notice(text=refused.message, level="warning"))
            return None
        return None if chosen is None else asking.answer_to(question, chosen)

    async def _chosen(self, call: Json, shown: list[Json]) -> str | None:
        """The name of the option that was chosen; None where the prompt was cancelled instead."""
        params = {"sessionId": self.room.id, "toolCall": call, "options": shown}
        answer = await self._peer.ask("session/request_permission", params, Permission)
        outcome = answer.outcome
        return (outcome.option_id or "") if outcome.outcome == "selected" else None

    async def _send(self, command: Command) -> None:
        try:
            await self.room.send(command)
        except OuroborosError as problem:
            # Somebody else answered first, or the run ended by itself.
            self._notice(Notice(text=problem.message, level="warning", hint=problem.hint))

    def _notice(self, told: Notice) -> None:
        hint = f"\n{told.hint}" if told.hint else ""
        self.tell(words(f"{told.text}{hint}\n\n"))

    def _note(self, session: str) -> None:
        if session == self.room.id:
            self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()


class _Turn:
    """A prompt that is under way."""

    def __init__(self) -> None:
        self.is_cancelled = False
        self.ended = Ended()
