"""One task of an agent in a work session: its program, what it says, its changes, and the files as they were."""

import os
import sys
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import anyio
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.app.paws.agents.changes import Watched
from ouroboros.app.paws.agents.recorded import Recorded
from ouroboros.app.paws.sessions import Kept, Sessions
from ouroboros.app.settings import Settings
from ouroboros.app.text import encodable
from ouroboros.core.clock import Clock
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.ipc.codec import Writer
from ouroboros.core.ipc.messages import Initialize, Result
from ouroboros.fleet.agents.instance import CONFIG, KNOWLEDGE, PROMPT, Instance, Run, note
from ouroboros.fleet.supervisor.supervise import Seat, Stop, Supervisor
from ouroboros.safety.companion import companion
from ouroboros.safety.guard import Guard
from ouroboros.workspace.artifacts.dogs.change import Header


class Wish(Struct, frozen=True, kw_only=True):
    """What an agent is to do.

    Attributes:
        context: A bundle to read first.
        plan: A plan of work to follow.
        keep: Leave its changes in the work tree, too; else they are in the bundle alone.
        options: Of the command line, handed on to the agent's program as they were given.
        attended: Somebody is there to be asked.
    """

    goal: str = ""
    context: Path | None = None
    plan: Path | None = None
    keep: bool = False
    options: tuple[str, ...] = ()
    attended: bool = True

    @property
    def words(self) -> str:
        """What a record says of it."""
        named = (path.name for path in (self.plan, self.context) if path is not None)
        return self.goal.strip() or ", ".join(named)

    def check(self, root: Path) -> None:
        """Sees to it that a program in a repository can be told of it; blocks no longer than looking takes.

        Raises:
            Misuse: A file is not there, or is in a folder whose name no message can hold.
        """
        files = [path for path in (self.context, self.plan) if path is not None]
        for path in files:
            if not path.is_file():
                raise Misuse(f"there is no file {str(path)!r}")
        for path in (root, *(each.absolute() for each in files)):
            if encodable(str(path)) != str(path):
                raise Misuse(
                    f"an agent cannot be told of {str(path)!r}: its name is no UTF-8",
                    hint="rename it",
                )


class Done(Struct, frozen=True, kw_only=True):
    """How it ended.

    Attributes:
        is_put_back: The work tree is as it was before.
        stay: Changes that could not be put back, or that no bundle can say; or why there is none.
    """

    result: Result
    is_put_back: bool = False
    stay: tuple[str, ...] = ()


class Equipment(Struct, frozen=True, kw_only=True):
    """What every task of a repository's agents is done with; ``environment`` is their programs', too."""

    sessions: Sessions
    settings: Settings
    home: Path
    environment: Mapping[str, str]
    clock: Clock


class Children:
    """The programs of a run, as others may read them."""

    def __init__(self, instance: Instance, run: Run) -> None:
        """Writes nothing yet."""
        self._instance, self._run = instance, run
        self._there: list[int] = []
        self._lock = anyio.Lock()  # what is written last is what is true last

    async def started(self, pid: int) -> None:
        """One is there."""
        self._there.append(pid)
        await self._note()

    async def ended(self, pid: int) -> None:
        """One is gone."""
        self._there.remove(pid)
        await self._note()

    async def _note(self) -> None:
        async with self._lock:
            first = self._there[0] if self._there else 0
            run = replace(self._run, child=first, children=tuple(self._there))
            with suppress(OSError):  # who looks for it then sees an older one
                await to_thread.run_sync(note, self._instance, run)


class Duty:
    """One agent, one session, one wish."""

    def __init__(self, equipment: Equipment, instance: Instance, session: Kept, wish: Wish) -> None:
        """Begins nothing yet.

        Raises:
            Misuse: As ``Wish.check``.
        """
        wish.check(session.tree)
        self._with, self._instance = equipment, instance
        self._session, self._wish = session, wish
        moment = datetime.fromtimestamp(equipment.clock.now(), UTC)
        name = f"{moment:%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:6]}.dogs.md"
        self._bundle, self._turn = instance.artifacts / name, ""

    async def done(self, seat: Seat, stop: Stop, children: Children) -> Done:
        """Has it done, as ``Agents.run`` says; nobody else may change the session meanwhile."""
        sessions, session = self._with.sessions, self._session
        await sessions.log(session.id, [("human_prompt", self._wish.words)])
        watched = await to_thread.run_sync(self._watched)
        recorded = Recorded(seat, self._with.clock)
        try:
            try:
                result = await self._supervised(recorded, stop, children)
            except anyio.get_cancelled_exc_class():
                with anyio.CancelScope(shield=True):
                    stopped = Result(status="failure", summary="the agent was stopped")
                    await self._ended(watched, recorded, stopped)
                raise
            done: list[Done] = []
            with anyio.CancelScope(shield=True):  # else files stay that are to be put back
                done.append(await self._ended(watched, recorded, result))
            return done[0]
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(watched.close)

    def _watched(self) -> Watched:
        owner = f"agent-{uuid.uuid4().hex}"
        settings, home = self._with.settings, self._with.home
        watched = Watched(self._session.tree, settings, home=home, owner=owner)
        watched.begin(self._with.clock)
        return watched

    async def _supervised(self, seat: Seat, stop: Stop, children: Children) -> Result:
        writer = Writer(self._with.clock, lambda: str(uuid.uuid4()))
        guard = Guard()
        await guard.on_duty()
        async with companion(
            self._program(self._wish.options),
            cwd=self._session.tree,
            environment=self._with.environment,
            guard=guard,
            goodbye_seconds=10.0,
        ) as child:
            await children.started(child.pid)
            supervisor = Supervisor(child, writer, seat)
            result = await supervisor.run(self._task(), stop)
            self._turn = supervisor.session
            await children.ended(child.pid)
        return result

    def _program(self, options: Sequence[str]) -> list[str]:
        return [sys.executable, "-m", "ouroboros", "paws", "agent", "serve", *options]

    def _task(self) -> Initialize:
        folder, wish = self._instance.folder, self._wish
        return Initialize(
            agent_config_path=str(folder / CONFIG),
            system_prompt_path=str(folder / PROMPT),
            initial_context_artifact_path=str(wish.context.absolute()) if wish.context else "",
            knowledge_graph_path=str(folder / KNOWLEDGE),
            goal=wish.goal,
            output_artifact_path=str(self._bundle),
            plan_path=str(wish.plan.absolute()) if wish.plan else "",
            attended=wish.attended,
        )

    async def _ended(self, watched: Watched, recorded: Recorded, result: Result) -> Done:
        result, stay = await self._handed_over(watched, result)
        done = await self._put_back(watched, result, stay)
        last = ("tool_result", f"{result.status}: {result.summary}", self._with.clock.now())
        try:
            await self._with.sessions.log(self._session.id, (*recorded.said, last))
        except OuroborosError as failed:  # a full disk must not hide what became of it
            words = (
                f"{result.summary}\n\nthe session's record could not be written: {failed.message}"
            )
            return replace(done, result=replace(result, summary=words))
        return done

    async def _handed_over(
        self, watched: Watched, result: Result
    ) -> tuple[Result, tuple[str, ...]]:
        """The result with its bundle, or why there is none although something was changed.

        It is written again here, whatever the agent says: what is put back must be in it.
        """
        header = Header(agent_name=self._instance.name, source_turn=self._turn)
        clock = self._with.clock
        try:
            made = await to_thread.run_sync(watched.hand_over, self._bundle, header, clock)
        except (OuroborosError, OSError) as failed:
            problem = f"its changes could not be written down: {failed}"
            words = f"{result.summary}\n\n{problem}"
            return replace(result, output_artifact_path="", summary=words), (problem,)
        if made.path is None:
            # Of what the agent wrote somebody may have taken all back.
            is_there = await to_thread.run_sync(self._bundle.is_file)
            path = str(self._bundle) if is_there else ""
            return replace(result, output_artifact_path=path), made.left
        return replace(result, output_artifact_path=str(made.path)), ()

    async def _put_back(self, watched: Watched, result: Result, stay: tuple[str, ...]) -> Done:
        if stay:
            return Done(result=result, stay=stay)
        if self._wish.keep or not result.output_artifact_path:
            return Done(result=result)
        try:
            stay = await to_thread.run_sync(watched.put_back)
        except OuroborosError as failed:
            return Done(result=result, stay=(failed.message,))
        return Done(result=result, is_put_back=not stay, stay=stay)


def run_of(session: str, wish: Wish, clock: Clock) -> Run:
    """What others read of a run that begins now; ``session`` is empty for several."""
    return Run(
        id=uuid.uuid4().hex,
        pid=os.getpid(),
        session=session,
        goal=wish.words[:1_000],
        started=clock.now(),
    )
