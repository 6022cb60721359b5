"""The public API: open a session, say something, watch what happens, read how it ended.

Example::

    async with Ouroboros(settings, home=home, environment=environment).open(cwd=folder) as session:
        session.listen(print)
        outcome = await session.run("Make the tests pass")
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.session import Session as Engine
from ouroboros.app.settings import Settings
from ouroboros.core.commands import Branch, Command, Fork, Submit
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Envelope, PermissionAnswered, TaskCancelled, TaskCompleted
from ouroboros.core.events.session import SessionForked
from ouroboros.core.parts import Message
from ouroboros.core.state import Spent, State

if TYPE_CHECKING:
    from ouroboros.agent.context.cut import Flush
    from ouroboros.app.browsing.live import Live
    from ouroboros.app.config.layers import Loaded
    from ouroboros.app.past.tree import Twig
    from ouroboros.app.permission.visited import Visited
    from ouroboros.app.repos.bringing import Asked, Repos, Tell
    from ouroboros.app.repos.standing import Map, Repo
    from ouroboros.core.context import Meter
    from ouroboros.llm.cassettes.tap import Tap
    from ouroboros.repl.seeds import Seeds
    from ouroboros.safety.rules import Rule


_NEEDS_FILES = "a session that is not kept cannot go on with another one, have a browser or write code in a REPL"


class Outcome(Struct, frozen=True, kw_only=True):
    """How a run ended; ``exit_code`` is what a command line should end with.

    ``spent`` is what the whole session had used by then.
    """

    reason: str
    final: str
    exit_code: int
    session: str
    turns: int
    spent: Spent


class Session:
    """A face's handle of one open session."""

    def __init__(
        self,
        engine: Engine,
        *,
        warm: Callable[[], Awaitable[None]],
        visited: "Visited",
        resumed: bool,
        warnings: tuple[str, ...],
        live: "Live | None" = None,
    ) -> None:
        """Made by ``Ouroboros.open`` only; ``live`` are its tabs as people see and drive them."""
        self._engine, self.live = engine, live
        self._warm, self._visited = warm, visited
        self._unanswered = 0
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
        if self._engine.running:
            raise Misuse(
                "a run of this session is under way", hint="wait for its end, or send a Steer"
            )
        if self.live is not None:
            self.live.give_all()
        self._unanswered, turns = 0, self.state.turn
        if text.strip():
            await self._engine.submit(text, typed=typed)
        else:
            await self._engine.resume()
        return Outcome(
            reason=self._reason,
            final=self._final,
            exit_code=self._exit_code(),
            session=self.id,
            turns=self.state.turn - turns,
            spent=replace(self.state.spent),
        )

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

    async def tell_map(self, found: "Map", root: Path) -> None:
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

        return await run_own(self._engine, command, settings, environment)

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
        match envelope.data:
            case PermissionAnswered(decider="nobody"):
                self._unanswered += 1
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
                return 4 if self._unanswered else 0
            case "limit_reached":
                return 3
            case "cancelled":
                return 130
            case _:
                return 1


class Ouroboros:
    """The engine with its settings; opens sessions."""

    def __init__(
        self,
        settings: Settings,
        *,
        home: Path,
        environment: Mapping[str, str],
        tap: "Tap | None" = None,
        rules: "Sequence[Rule] | None" = None,
        flush: "Flush | None" = None,
        hooks: "Loaded | None" = None,
    ) -> None:
        """Reads nothing yet; ``environment`` also holds the keys of providers.

        ``rules`` say what may happen, each with the layer it stands in; without them the settings'
        own lists count, as the person's. ``tap`` records what goes to models or answers in their place (``app.cassettes``).
        ``flush`` keeps what is worth keeping of the messages that a summary is about to replace.
        ``hooks`` are the layers whose programs of the person run; without them the settings' own do.
        """
        self._settings = settings
        self._home = home
        self._environment = environment
        self._tap = tap
        self._rules = None if rules is None else tuple(rules)
        self._flush = flush
        self._hooks = hooks

    @asynccontextmanager
    async def open(
        self,
        *,
        cwd: Path,
        resume: str = "",
        latest: bool = False,
        at: str = "",
        interactive: bool = False,
        mind: Literal["", "tools", "rlm"] = "",
        browser: bool = False,
        logins: tuple[str, ...] = (),
        seeds: "Seeds | None" = None,
        way: Literal["auto", "plain", "repl"] = "auto",
        chosen: Collection[str] = (),
        only: frozenset[str] | None = None,
        ephemeral: bool = False,
        output_schema: bytes = b"",
    ) -> AsyncGenerator[Session]:
        """Opens a new session, one by id, or the latest of ``cwd``.

        Args:
            cwd: Working folder of a new session; a resumed one goes on in its own.
            resume: A session's id, or a beginning of it that fits one only.
            latest: Go on with the newest session of ``cwd``.
            at: Go on after this message, an id or a number of its tree.
            interactive: Somebody can answer questions; otherwise each is answered no.
            mind: Who drives it: ``tools`` calls tools, ``rlm`` writes code in a REPL. Empty means as
                before, and ``tools`` in a new session.
            browser: There is one, started by its first use.
            logins: Names of sealed states that it begins with.
            seeds: Variables that the REPL begins with.
            way: How ``rlm`` gets at small data: reads it plainly, works on it in the REPL, or (auto)
                whichever its size calls for.
            chosen: Names of settings (model, mode, effort, service_tier) that count for a session
                that goes on; in the others it keeps what it was with.
            only: Names of the tools that there are; None means all that the settings leave.
            ephemeral: Nothing of it is kept in the home folder: no events, checkpoints, outputs and
                caches. It cannot be gone on with.
            output_schema: JSON Schema; the answer of each run is then one JSON value that fits it,
                or the run has failed.

        Raises:
            Misuse: Folder, model or key do not fit, or nothing is to be kept of what cannot do
                without; the message says what to do.
            SessionBusy: Another process has the session open.
            StoreFailed: The database cannot be used.
        """
        from ouroboros.agent.context.cut import keep_nothing
        from ouroboros.app.wiring import session as wiring
        from ouroboros.repl.seeds import Seeds

        settings = self._settings
        if ephemeral:
            from ouroboros.app.wiring.session.shelf import unkept

            if resume or latest or browser or mind == "rlm":
                raise Misuse(_NEEDS_FILES, hint="leave one of them out")
            settings = unkept(settings)
        rooms = _Rooms(self, _folder(cwd), ephemeral=ephemeral)
        opening = wiring.Opening(
            settings=settings,
            home=self._home,
            environment=dict(self._environment),
            cwd=_folder(cwd),
            interactive=interactive,
            tap=self._tap,
            rules=self._rules,
            mind=mind,
            browser=browser,
            logins=logins,
            seeds=seeds or Seeds(),
            way=way,
            flush=self._flush or keep_nothing,
            chosen=frozenset(chosen),
            hooks=self._hooks,
            only=only,
            rooms=rooms if only is None else None,
            ephemeral=ephemeral,
            output_schema=output_schema,
        )
        async with wiring.opened(opening, resume=resume, latest=latest) as built:
            session = Session(
                built.engine,
                warm=built.warm,
                visited=built.visited,
                resumed=built.resumed,
                warnings=tuple(built.warnings),
                live=built.live,
            )
            rooms.cwd = Path(session.state.cwd)
            if at:
                from ouroboros.app.past.tree import node_named

                await session.send(Branch(message_id=node_named(session.state, at)))
            yield session

    def room(
        self, settings: Settings, only: frozenset[str], cwd: Path, *, ephemeral: bool = False
    ) -> AbstractAsyncContextManager[Session]:
        """A session for work apart from another one, with other settings and only such tools.

        A recording goes on in it; what is not kept of the other is not kept of it.
        """
        tap = self._tap
        if tap is not None:
            from ouroboros.app.cassettes import Lent

            tap = Lent(tap)
        engine = Ouroboros(
            settings,
            home=self._home,
            environment=self._environment,
            tap=tap,
            rules=self._rules,
            hooks=self._hooks,
        )
        chosen = ("model", "mode")
        return engine.open(cwd=cwd, only=only, mind="tools", chosen=chosen, ephemeral=ephemeral)


class _Rooms:
    """Opens sessions apart in the folder of one session."""

    def __init__(self, engine: Ouroboros, cwd: Path, *, ephemeral: bool) -> None:
        """One that goes on may turn out to have another folder."""
        self._engine, self.cwd, self._ephemeral = engine, cwd, ephemeral

    def __call__(
        self, settings: Settings, only: frozenset[str]
    ) -> AbstractAsyncContextManager[Session]:
        return self._engine.room(settings, only, self.cwd, ephemeral=self._ephemeral)


def _folder(cwd: Path) -> Path:
    if not cwd.is_dir():
        raise Misuse(f"there is no folder {str(cwd)!r}", hint="give another one with --cwd")
    return cwd.resolve()
