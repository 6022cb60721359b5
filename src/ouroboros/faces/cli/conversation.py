"""Joins a session, a face and the person at the terminal for as long as they talk."""

import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from msgspec import Struct

from ouroboros.core.commands import Command, Interrupt, Resize, Steer
from ouroboros.core.errors import OuroborosError
from ouroboros.core.events import Envelope
from ouroboros.faces.cli.interrupts import INTERRUPTED, on_continue, on_resize, watch
from ouroboros.faces.cli.prompting.intents import Answered, Intent, Left, Said, Switched
from ouroboros.faces.cli.render.screen import USUAL, Size
from ouroboros.faces.cli.stage import Stage
from ouroboros.faces.slashes.control import Control, Job, Say
from ouroboros.faces.wording.face import Ending, Notice
from ouroboros.faces.wording.words import is_unapproved, refusals

if TYPE_CHECKING:
    from ouroboros.faces.cli.prompting.desk import Desk

PIPE_CLOSED = 141
NEXT_MODE = "/mode next"
"""What Shift-Tab stands for."""

_LEAVING_SECONDS = 1.0


class Controller(Protocol):
    """Carries out a line that is a command: it begins with a slash or ``!``, or is a note."""

    async def __call__(self, line: str, *, running: bool) -> Control:
        """Raises nothing: a mistake is shown."""
        ...


class Talk(Protocol):
    """The session as a conversation needs it."""

    @property
    def outcome(self) -> Ending | None:
        """How the last run ended."""
        ...

    def listen(self, sink: Callable[[Envelope], None]) -> None:
        """Hands every event on, in order; the sink must not block."""
        ...

    async def warm(self) -> None:
        """Connects ahead of the first words; raises nothing."""
        ...

    async def send(self, command: Command) -> None:
        """Carries out a wish; raises ``OuroborosError`` when it does not fit."""
        ...

    async def run(self, text: str, *, typed: int | None = None) -> Ending:
        """Starts a run with these words and waits for its end; ``typed`` of them are the person's."""
        ...


class _Ended(Struct, frozen=True, kw_only=True):
    exit_code: int


def is_note(text: str) -> bool:
    """Whether a line is to be noted; a text of several lines may well begin with a heading."""
    return text.startswith("# ") and "\n" not in text.strip()


def _is_command(text: str) -> bool:
    return text.startswith(("/", "!")) or is_note(text)


class Conversation:
    """Runs one task, or chats until the person leaves."""

    def __init__(self, talk: Talk, stage: Stage, session: str) -> None:
        """``session`` is the id to name when it can be continued."""
        self.face = stage.face
        self._talk = talk
        self._stage = stage
        self._session = session
        self._code = self._unapproved = 0
        self._running = False
        # How many turns and jobs began whose end was not followed yet. What comes in between a turn's
        # last step and the word of its end is neither for that turn nor may it overtake what waits.
        self._ends_due = 0
        self._stopping = False
        self._warned = False
        self._size = USUAL
        self._waiting: deque[str] = deque()
        self._leaves = False
        self._signalled = False
        self._scope = anyio.CancelScope()
        self._problem: OuroborosError | None = None
        self._control: Controller | None = None
        self._remember: Callable[[str], None] | None = None
        self._send, self._receive = anyio.create_memory_object_stream[Intent | _Ended](1024)

    async def once(self, text: str, typed: int | None = None) -> int:
        """Does one task, of which a person typed so many characters; gives the exit code."""

        async def body(tasks: TaskGroup) -> None:
            tasks.start_soon(self._answer)
            ending = await self._run(text, typed)
            if self._unapproved:
                self.face.tell(Notice(text=refusals(self._unapproved), level="warning"))
            self.face.finish(ending, self._session)
            self._code = ending.exit_code

        return await self._with_everything(body)

    @property
    def unheard(self) -> list[str]:
        """What was said after the words with which the person left, for whoever talks next."""
        return list(self._waiting)

    async def chat(
        self,
        first: str,
        control: Controller,
        remember: Callable[[str], None],
        *,
        waiting: Iterable[str] = (),
    ) -> int:
        """Talks until the person leaves; ``remember`` keeps what was typed and may block.

        ``waiting`` was said before, and is heard in its turn.
        """
        self._control, self._remember = control, remember
        self._waiting.extend(waiting)

        async def body(tasks: TaskGroup) -> None:
            if first:
                self._begin(tasks, first)
            elif self._waiting:
                if await self._hear_waiting(tasks) == "leave":
                    return
            elif self._stage.invite is not None:
                self._stage.invite()
            async for intent in self._receive:
                if await self._follow(tasks, intent):
                    break

        return await self._with_everything(body)

    def echo(self, text: str) -> None:
        """Repeats what was typed, where the line that was typed into is gone."""
        terminal = self._stage.terminal
        if terminal is not None and self._stage.keys:
            terminal.echo(text)

    async def _with_everything(self, body: Callable[[TaskGroup], Awaitable[None]]) -> int:
        with ExitStack() as restored, self._send, self._receive:
            if self._stage.keys:
                from ouroboros.faces.cli.prompting.keys import PASTE_ON, key_by_key

                restored.enter_context(key_by_key(self._stage.stdin))
                self._stage.out.write(PASTE_ON)
            async with anyio.create_task_group() as tasks:
                self._start(tasks)
                with self._scope:
                    try:
                        await body(tasks)
                    except OuroborosError as problem:
                        self._problem = problem
                    await self._close()
                if self._scope.cancelled_caught:
                    with anyio.move_on_after(_LEAVING_SECONDS):
                        await self._close()
                tasks.cancel_scope.cancel()
            self._keep_unheard()
        if self._problem is not None:
            raise self._problem
        return self._final_code()

    def _keep_unheard(self) -> None:
        with contextlib.suppress(anyio.WouldBlock):
            while True:
                match self._receive.receive_nowait():
                    case Said(text=text):
                        self._waiting.append(text)
                    case _:
                        pass

    def _start(self, tasks: TaskGroup) -> None:
        stage = self._stage
        self._talk.listen(self._take)
        tasks.start_soon(self._talk.warm)
        for outlet in stage.outlets:
            tasks.start_soon(outlet.drain)
        if stage.terminal is not None:
            tasks.start_soon(stage.terminal.animate)
        if stage.desk is not None:
            self._start_reading(tasks, stage.desk)
        tasks.start_soon(watch, self._stop, self._leave)
        tasks.start_soon(self._watch_output)

    def _start_reading(self, tasks: TaskGroup, desk: "Desk") -> None:
        from ouroboros.faces.cli.prompting.input import Lines, read_keys, read_lines

        stage = self._stage
        if stage.keys and stage.terminal is not None:
            touch = stage.terminal.touch
            give = self._send.send
            read = partial(read_keys, attach=stage.attach, complete=stage.complete)
            tasks.start_soon(read, stage.stdin, desk, touch, give, self._interrupt)
            tasks.start_soon(on_continue, self._redraw)
            tasks.start_soon(on_resize, self._tell_size)
        else:
            lines = stage.lines or Lines(stage.stdin)
            tasks.start_soon(read_lines, lines, desk, self._send.send)

    async def _tell_size(self) -> None:
        """Tells the session how large the terminal is, unless it knows or it is as usual."""
        size = Size.of(self._stage.stdin)
        if size != self._size:
            self._size = size
            await self._tell_session(Resize(columns=size.columns, rows=size.lines))

    async def _close(self) -> None:
        if self._stage.terminal is not None:
            self._stage.terminal.close()
        if self._stage.keys:
            from ouroboros.faces.cli.prompting.keys import PASTE_OFF

            self._stage.out.write(PASTE_OFF)
        for outlet in self._stage.outlets:
            await outlet.flush()

    def _final_code(self) -> int:
        failure = self._stage.out.failure
        if failure is None:
            return self._code
        if isinstance(failure, BrokenPipeError):
            return PIPE_CLOSED
        raise OuroborosError(
            f"standard output cannot be written: {failure.strerror or failure}",
            hint="the session is kept; make room or choose another place for the output",
        )

    def _take(self, envelope: Envelope) -> None:
        self.face.take(envelope)
        self._unapproved += is_unapproved(envelope.data)
        if self._stage.desk is not None:
            intent = self._stage.desk.take(envelope)
            if intent is not None:
                self._send.send_nowait(intent)

    async def _run(self, text: str, typed: int | None = None) -> Ending:
        self._running, self._stopping, self._warned = True, False, False
        self.face.begin()
        try:
            return await self._talk.run(text, typed=typed)
        finally:
            self._running = False

    async def _answer(self) -> None:
        async for intent in self._receive:
            match intent:
                case Said(text=text) if self._running:
                    await self._tell_session(Steer(text=text))
                case Answered(command=command):
                    await self._tell_session(command)
                case _:
                    pass

    async def _tell_session(self, command: Command) -> None:
        try:
            await self._talk.send(command)
        except OuroborosError as problem:
            self.complain(problem)

    def complain(self, problem: OuroborosError) -> None:
        """Shows what could not be done; the conversation goes on."""
        self.face.tell(Notice(text=f"error: {problem.message}", level="error", hint=problem.hint))

    def _begin(self, tasks: TaskGroup, text: str) -> None:
        self._running = True
        self._ends_due += 1
        tasks.start_soon(self._turn, text)

    async def _turn(self, text: str) -> None:
        try:
            ending = await self._run(text)
        except OuroborosError as problem:
            self.face.rest()
            self.complain(problem)
            await self._send.send(_Ended(exit_code=problem.exit_code))
            return
        self.face.finish(ending, "")
        await self._send.send(_Ended(exit_code=ending.exit_code))

    async def _work(self, job: Job) -> None:
        self._stopping, self._warned = False, False
        self.face.begin()
        code, before = 0, self._talk.outcome
        try:
            await job()
        except OuroborosError as problem:
            self.complain(problem)
            code = problem.exit_code
        finally:
            self._running = False
        ending = self._talk.outcome
        if ending is not None and ending is not before:
            self.face.finish(ending, "")
            code = code or ending.exit_code
        else:
            self.face.rest()
        await self._send.send(_Ended(exit_code=code))

    async def _follow(self, tasks: TaskGroup, intent: Intent | _Ended) -> bool:
        """Does what an intent asks for; True when the conversation is over."""
        # The end of a turn is no word of the person's: Ctrl-C again still means to leave.
        self._warned = self._warned and isinstance(intent, _Ended)
        match intent:
            case Answered(command=command):
                await self._tell_session(command)
            case Left():
                self._leaves = True
            case _Ended(exit_code=code):
                self._ends_due -= 1
                # A person at a terminal saw how each turn ended; a script is told of the last.
                shown = 0 if self._stage.typed else code
                self._code = INTERRUPTED if self._signalled else shown
                if await self._hear_waiting(tasks) == "leave":
                    return True
            case Switched():
                await self._switch()
            case Said(text=text) if self._must_wait(text):
                self._waiting.append(text)
            case Said(text=text):
                if await self._hear(tasks, text) == "leave":
                    return True
        if not self._running and self._stage.invite is not None and not self._leaves:
            self._stage.invite()
        return self._leaves and not self._ends_due and not self._waiting

    def _must_wait(self, text: str) -> bool:
        """Whether what was said is heard after the turn: always from a script, behind others from a person."""
        if not self._ends_due:
            return False
        return not self._stage.typed or (bool(self._waiting) and not _is_command(text))

    async def _switch(self) -> None:
        if self._control is not None:
            await self._control(NEXT_MODE, running=self._running)

    async def _hear_waiting(self, tasks: TaskGroup) -> Literal["stay", "leave"]:
        while self._waiting and not self._running:
            if await self._hear(tasks, self._waiting.popleft()) == "leave":
                return "leave"
        return "stay"

    async def _hear(self, tasks: TaskGroup, text: str) -> Literal["stay", "leave"]:
        is_command = _is_command(text)
        if not self._running or is_command:
            self.echo(text)
        if self._stage.typed and self._remember is not None:
            await anyio.to_thread.run_sync(self._remember, text)
        if is_command and self._control is not None:
            asked = await self._control(text, running=self._running)
            if isinstance(asked, Say):
                self._begin(tasks, asked.text)
                return "stay"
            if not callable(asked):
                return asked
            self._running = True
            self._ends_due += 1
            tasks.start_soon(self._work, asked)
        elif not self._running:
            self._begin(tasks, text)
        else:
            await self._tell_session(Steer(text=text))
        return "stay"

    async def _stop(self, name: str) -> bool:
        """Stops what runs; False when there was nothing to stop, or it was asked before."""
        if self._running and not self._stopping:
            self._stopping = True
            self._signalled = name != "SIGINT"
            self._leaves = self._leaves or self._signalled
            self.face.tell(Notice(text="Stopping; Ctrl-C again leaves at once"))
            await self._talk.send(Interrupt(reason="user" if name == "SIGINT" else name))
            return True
        desk = self._stage.desk
        if self._running or name != "SIGINT" or desk is None or self._warned:
            return False
        if desk.line.text:
            desk.line.take()
            self._redraw()
            return True
        self._warned = True
        self.face.tell(Notice(text="Ctrl-C again, or Ctrl-D, leaves"))
        return True

    async def _interrupt(self) -> None:
        """Ctrl-C as a key, which is the same as its signal."""
        if not await self._stop("SIGINT"):
            self._leave()

    def _leave(self) -> None:
        self._code = INTERRUPTED
        self._scope.cancel()

    def _redraw(self) -> None:
        if self._stage.keys:
            from ouroboros.faces.cli.prompting.keys import set_key_by_key

            set_key_by_key(self._stage.stdin)
        if self._stage.terminal is not None:
            self._stage.terminal.touch()

    async def _watch_output(self) -> None:
        await self._stage.out.gone.wait()
        if not self._running:
            self._leave()
            return
        self._leaves = True
        await self._talk.send(Interrupt(reason="output closed"))
