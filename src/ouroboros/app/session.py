"""An open session as a face or a program has it: say something, watch, read how it ended."""

from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import anyio
from anyio import CancelScope, create_task_group, lowlevel
from anyio.abc import TaskGroup
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.session import Session as Engine
from ouroboros.app.settings import Settings
from ouroboros.core.commands import Command, Fork, Interrupt, Submit
from ouroboros.core.errors import Misuse, OuroborosError, unwrapped
from ouroboros.core.events import Envelope, PermissionAnswered, TaskCancelled, TaskCompleted
from ouroboros.core.events.session import SessionForked
from ouroboros.core.parts import Message
from ouroboros.core.state import Spent, State

if TYPE_CHECKING:
    from pathlib import Path

    from ouroboros.app.browsing.live import Live
    from ouroboros.app.past.tree import Twig
    from ouroboros.app.permission.visited import Visited
    from ouroboros.app.repos.bringing import Asked, Repos, Tell
    from ouroboros.app.repos.standing import Map, Repo
    from ouroboros.core.context import Meter

_BEHIND = 4096
"""Events that may wait for a slow reader before deltas are left out."""

_STOP_SECONDS = 20.0
_ROUNDS = 4


class Outcome(Struct, frozen=True, kw_only=True):
    """How a run ended; ``exit_code`` is what a command line should end with.

    ``unapproved`` calls were refused because nobody was there to approve them; ``spent`` is what the
    whole session had used by then.
    """

    reason: str
    final: str
    exit_code: int
    session: str
    turns: int
    spent: Spent
    unapproved: int = 0


class Session:
    """A face's or a program's handle of one open session.

    Attributes:
        outcome: How the last run ended; None before the first end.
    """

    outcome: Outcome | None = None
    _tasks: TaskGroup | None = None
    _reader: "Reader | None" = None

    def __init__(
        self,
        engine: Engine,
        *,
        warm: Callable[[], Awaitable[None]],
        visited: "Visited",
        resumed: bool,
        warnings: tuple[str, ...],
        live: "Live | None" = None,
        tasks: TaskGroup | None = None,
        strict_approvals: bool = False,
    ) -> None:
        """Made by ``Ouroboros.open`` only; ``live`` are its tabs as people see and drive them.

        ``tasks`` carry runs whose events are streamed. With ``strict_approvals`` a run that was refused
        an approval has the exit code 4, also when its work is done.
        """
        self._tasks, self._strict_approvals = tasks, strict_approvals
        self._engine, self.live = engine, live
        self._warm, self._visited = warm, visited
        self._unapproved = 0
        self._reason = self._final = self._forked = ""
        self.resumed, self.warnings = resumed, warnings
        engine.journal.listen(self._note)

    @property
    def id(self) -> str:
        """The session's name, for resuming it."""
        return self._engine.state.session

    @property
    def running(self) -> bool:
        """A run is under way."""
        return self._engine.running

    @property
    def state(self) -> State:
        """What is true now; for reading only."""
        return self._engine.state

    def listen(self, sink: Callable[[Envelope], None]) -> None:
        """Shows every event from now on to ``sink``, in order, on the event loop.

        A numbered event is shown once it is on disk, a delta at once but never before the events
        ahead of it. The sink must not block.
        """
        self._engine.journal.listen(sink)

    async def warm(self) -> None:
        """Connects to the model while the first words are still being found.

        For a task of its own; changes nothing but time, and never raises for what fails.
        """
        await self._warm()

    async def send(self, command: Command) -> None:
        """Carries out one command.

        Raises:
            Misuse: The command does not fit the moment.
        """
        if isinstance(command, Submit) and self.live is not None and not self.running:
            self.live.give_all()
        await self._engine.handle(command)

    async def run(self, text: str, *, typed: int | None = None) -> Outcome:
        """Says something and waits for the end of the run; an empty text goes on with a cut-off run.

        Names by ``@`` are read in the first ``typed`` characters, by default in all.

        Raises:
            Misuse: Nothing was said and nothing was cut off, or another run is under way.
            StoreFailed: The session cannot be kept.
        """
        await self._once_left()
        if self._engine.running:
            raise Misuse(
                "a run of this session is under way", hint="wait for its end, or send a Steer"
            )
        if self.live is not None:
            self.live.give_all()
        self._unapproved, turns = 0, self.state.turn
        if text.strip():
            await self._engine.submit(text, typed=typed)
        else:
            await self._engine.resume()
        return self._ended(turns)

    def _ended(self, turns: int) -> Outcome:
        self.outcome = Outcome(
            reason=self._reason,
            final=self._final,
            exit_code=self._exit_code(),
            session=self.id,
            turns=self.state.turn - turns,
            spent=replace(self.state.spent),
            unapproved=self._unapproved,
        )
        return self.outcome

    async def stream(self, text: str) -> AsyncGenerator[Envelope]:
        """Says something and gives every event of the run, in order, as it happens; then ``outcome`` is known.

        Whoever leaves before the end stops the run. A reader who is slow misses deltas, never an
        event with a number of its own.

        Raises:
            Misuse: Nothing was said and nothing was cut off, or another run is under way.
            StoreFailed: The session cannot be kept.
        """
        await self._once_left()
        if (
            self._tasks is None
            or self.running
            or not (self._reader is None or self._reader.is_left)
        ):
            raise Misuse("a run of this session is under way", hint="wait for its end")
        reader = self._reader = Reader()
        self._tasks.start_soon(self._carry, text, reader)
        try:
            while not reader.is_over:
                await reader.wait()
                while (event := reader.take()) is not None:
                    yield event
            if reader.problem is not None:
                raise reader.problem
        finally:
            reader.is_left = True
            if not reader.is_over:
                with CancelScope(shield=True), anyio.move_on_after(_STOP_SECONDS):
                    with suppress(OuroborosError):
                        await self.send(Interrupt(reason="left"))
                    await reader.over.wait()
            if self._reader is reader:
                self._reader = None

    async def _once_left(self) -> None:
        """Returns when the run of a stream that was left has ended.

        After a ``break`` the event loop needs a few rounds until the stream hears of it.
        """
        for _ in range(_ROUNDS):
            if self._reader is None or self._reader.is_left or not self.running:
                break
            await lowlevel.checkpoint()
        if self._reader is not None and self._reader.is_left:
            with anyio.move_on_after(_STOP_SECONDS):
                await self._reader.over.wait()

    async def _carry(self, text: str, reader: "Reader") -> None:
        try:
            await self.run(text)
        except OuroborosError as problem:
            reader.problem = problem
        finally:
            reader.end()

    async def settle(self) -> None:
        """Returns when all that has happened so far is on disk.

        Raises:
            StoreFailed: It cannot be kept.
        """
        await self._engine.journal.settle()

    async def fork(self, message_id: str = "") -> str:
        """Starts another session from a message, by default from the last; gives its id.

        Raises:
            Misuse: There is no such message.
            StoreFailed: The new session cannot be kept.
        """
        await self._engine.handle(Fork(message_id=message_id))
        return self._forked

    async def visit(self, asked: "Asked", repos: "Repos", tell: "Tell | None" = None) -> "Repo":
        """Brings a repository into this session: its folder is open to tools, its tree is told.

        Asking for it is the person's yes to read and write there until the session ends; what the
        repository sets for itself holds in it, by the same trust as for a project.

        Raises:
            ConfigBroken: It is trusted, and its settings cannot be understood.
            Misuse: A turn runs, or the words name none.
            RepoFailed: It cannot be had; nothing of it is left.
        """
        from ouroboros.app.repos.visiting import visit

        return await visit(self._engine, asked, repos, tell, self._visited)

    async def tell_map(self, found: "Map", root: "Path") -> None:
        """Puts a map of a folder before the model; raises ``Misuse`` while a turn runs."""
        from ouroboros.app.repos.visiting import tell_map

        await tell_map(self._engine, found, root)

    async def run_own(
        self, command: str, settings: Settings, environment: Mapping[str, str]
    ) -> int:
        """Runs a command of the person's own in the session's folder, and tells the model what came out.

        It asks nobody and is in no cage; it is on record. Gives its exit code.

        Raises:
            Misuse: There is no command, or it cannot be run.
        """
        from ouroboros.app.typed.own_command import run_own

        turns = self.state.turn
        code = await run_own(self._engine, command, settings, environment)
        if self.state.turn > turns and not self.running:  # words said meanwhile were answered
            self._ended(turns)
        return code

    async def set_going(self, job: Callable[[Engine], Awaitable[None]]) -> None:
        """Does something that takes the session's turn, such as work of an agent; ``Interrupt`` ends it.

        Raises:
            Misuse: A run is under way.
        """
        if self.running:
            raise Misuse("this waits for the end of the run", hint="stop it first")
        await self._engine.between_turns(lambda: job(self._engine))

    def meter(self) -> "Meter":
        """What fills the model's context now, in tokens by kind of content."""
        return self._engine.meter()

    def history(self) -> tuple[Message, ...]:
        """The messages of the current branch."""
        return tuple(self.state.history)

    def tree(self) -> "tuple[Twig, ...]":
        """Every message that was said, on all branches."""
        from ouroboros.app.past.tree import twigs

        return twigs(self.state)

    def _note(self, envelope: Envelope) -> None:
        if self._reader is not None:
            self._reader.put(envelope)
        match envelope.data:
            case PermissionAnswered(decider="nobody"):
                self._unapproved += 1
            case TaskCompleted(reason=reason, final=final):
                self._reason, self._final = reason, final
            case TaskCancelled():
                self._reason, self._final = "cancelled", self.state.final
            case SessionForked(child=child):
                self._forked = child
            case _:
                pass

    def _exit_code(self) -> int:
        match self._reason.partition(":")[0]:
            case "completed":
                return 4 if self._unapproved and self._strict_approvals else 0
            case "limit_reached":
                return 3
            case "cancelled":
                return 130
            case _:
                return 1


class Reader:
    """Events on their way to who streams a run."""

    def __init__(self) -> None:
        """Nothing has happened yet."""
        self.is_left = False
        self.problem: OuroborosError | None = None
        self.over = anyio.Event()
        self._waiting: deque[Envelope] = deque()
        self._wake = anyio.Event()

    @property
    def is_over(self) -> bool:
        """The run has ended, and all of it was taken."""
        return self.over.is_set() and not self._waiting

    def put(self, envelope: Envelope) -> None:
        """Takes an event; a delta is left out for who is far behind."""
        if envelope.data.durable or len(self._waiting) < _BEHIND:
            self._waiting.append(envelope)
            self._wake.set()

    def end(self) -> None:
        """Nothing more comes."""
        self.over.set()
        self._wake.set()

    def take(self) -> Envelope | None:
        """The next event; None where there is none now."""
        return self._waiting.popleft() if self._waiting else None

    async def wait(self) -> None:
        """Returns when something is new since the last wait, or nothing more comes."""
        await self._wake.wait()
        self._wake = anyio.Event()
        if self.over.is_set():
            self._wake.set()


@asynccontextmanager
async def working() -> AsyncGenerator[TaskGroup]:
    """Carries runs until it is left; what is raised within comes out as it is."""
    try:
        async with create_task_group() as tasks:
            yield tasks
            tasks.cancel_scope.cancel()
    except ExceptionGroup as group:
        raise unwrapped(group) from group
