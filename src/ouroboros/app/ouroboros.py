"""The public API: open a session, say something, watch what happens, read how it ended.

Example::

    async with Ouroboros.configured(folder).open(cwd=folder) as session:
        async for event in session.stream("Make the tests pass"):
            print(event.type)
        print(session.outcome)
"""

from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ouroboros.app.session import Outcome, Session, working
from ouroboros.app.settings import Settings
from ouroboros.core.commands import Branch
from ouroboros.core.errors import Misuse

if TYPE_CHECKING:
    from ouroboros.agent.context.cut import Flush
    from ouroboros.app.config.layers import Loaded
    from ouroboros.llm.cassettes.tap import Tap
    from ouroboros.repl.seeds import Seeds
    from ouroboros.safety.rules import Rule
    from ouroboros.tools.builtin.texts import Editor
    from ouroboros.tools.registry import AnyTool


__all__ = ["Ouroboros", "Outcome", "Session"]

_NEEDS_FILES = "a session that is not kept cannot go on with another one, have a browser or write code in a REPL"


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

    @classmethod
    def configured(
        cls,
        cwd: Path,
        *,
        environment: Mapping[str, str] | None = None,
        profile: str = "",
        **settings: object,
    ) -> "Ouroboros":
        """The engine as the command line has it in a folder: by its files, variables and kept keys.

        It reads files, so that it belongs before the event loop or into a thread.

        Args:
            cwd: The folder whose settings count.
            environment: Variables and keys; the process's own without it.
            profile: ``[profiles.NAME]`` of the person's file.
            settings: Settings that win over the files, such as ``model="anthropic/claude-sonnet-4-5"``;
                two underscores stand for the dot of ``limits.max_turns``.

        Raises:
            ConfigBroken: A file or a value cannot be understood.
        """
        from ouroboros.app.config import layers
        from ouroboros.app.providers.listing import equipped

        known = layers.environment() if environment is None else environment
        given = {name.replace("__", "."): value for name, value in settings.items()}
        loaded = layers.load(cwd, known, given, profile)
        return cls(
            loaded.settings,
            home=loaded.home,
            environment=equipped(loaded, known),
            rules=loaded.rules,
            hooks=loaded,
        )

    def run_blocking(
        self, text: str, *, cwd: Path, browser: bool = False, output_schema: bytes = b""
    ) -> Outcome:
        """Does one task in a new session and waits for its end; nobody is asked anything.

        For programs that are not asynchronous; in others ``open`` is the door.

        Raises:
            Misuse: An event loop runs in this thread, as in a notebook.
            OuroborosError: It could not begin, or not be kept.
        """
        import anyio
        from anyio import NoEventLoopError, get_current_task

        with suppress(NoEventLoopError):
            get_current_task()  # outside a loop there is none
            raise Misuse(
                "run_blocking was called where an event loop runs, which it would hold up",
                hint="there it is `async with engine.open(cwd=...) as session` and `await session.run(text)`",
            )

        async def once() -> Outcome:
            async with self.open(cwd=cwd, browser=browser, output_schema=output_schema) as session:
                return await session.run(text)

        return anyio.run(once)

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
        apart: bool = False,
        ephemeral: bool = False,
        output_schema: bytes = b"",
        editor: "Editor | None" = None,
        dress: "Callable[[AnyTool], AnyTool] | None" = None,
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
            apart: It serves another session, which asks its hooks itself, and is on no list.
            ephemeral: Nothing of it is kept in the home folder: no events, checkpoints, outputs and
                caches. It cannot be gone on with.
            output_schema: JSON Schema; the answer of each run is then one JSON value that fits it,
                or the run has failed.
            editor: Has files open for a person: text that is not saved is read there, and changes go
                through it. The disk alone without one.
            dress: Gives another tool in the place of each that is called, by its name.

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
            apart=apart,
            rooms=None if apart else rooms,
            ephemeral=ephemeral,
            output_schema=output_schema,
            editor=editor,
            dress=dress,
        )
        async with (
            wiring.opened(opening, resume=resume, latest=latest) as built,
            working() as tasks,
        ):
            session = Session(
                built.engine,
                warm=built.warm,
                visited=built.visited,
                resumed=built.resumed,
                warnings=tuple(built.warnings),
                live=built.live,
                strict_approvals=settings.strict_approvals,
                tasks=tasks,
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
        return engine.open(
            cwd=cwd,
            only=only,
            apart=True,
            mind="tools",
            chosen=("model", "mode"),
            ephemeral=ephemeral,
        )


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
