"""The agents of a project: made from definitions, run as programs of their own, seen to and stopped."""

import os
import sys
import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import anyio
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.app.paws.agents.changes import Watched
from ouroboros.app.paws.sessions import Kept, Sessions
from ouroboros.app.settings import Settings
from ouroboros.core.clock import Clock
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.ipc.codec import Writer
from ouroboros.core.ipc.messages import Initialize, Result
from ouroboros.fleet.agents.definition import MOST_BYTES, SUFFIX, Definition, read
from ouroboros.fleet.agents.instance import (
    CONFIG,
    KNOWLEDGE,
    PROMPT,
    Instance,
    Instances,
    Run,
    ask_to_stop,
    at_work,
    is_to_stop,
    note,
    running,
)
from ouroboros.fleet.supervisor.supervise import Limits, Seat, Supervisor
from ouroboros.safety.companion import Companion, companion
from ouroboros.safety.guard import Guard
from ouroboros.workspace.artifacts.dogs.change import Header

__all__ = ["Agents", "Done", "Instance", "Run", "Seat", "Wish"]

_LOOK_SECONDS = 0.25
DEFAULT = Definition(
    name="default",
    description="The agent of `paws run --goal` where none is named.",
    system_prompt=(
        "You work alone in a work tree of a project. Do the task, check your work, and end with a short "
        "account of what you changed and why."
    ),
)


class Wish(Struct, frozen=True, kw_only=True):
    """What an agent is to do.

    Attributes:
        context: A bundle to read first.
        plan: A plan of work to follow.
        keep: Leave its changes in the work tree, too; else they are in the bundle alone.
        options: Of the command line, handed on to the agent's program as they were given.
    """

    goal: str = ""
    context: Path | None = None
    plan: Path | None = None
    keep: bool = False
    options: tuple[str, ...] = ()


class Done(Struct, frozen=True, kw_only=True):
    """How it ended.

    Attributes:
        is_put_back: The work tree is as it was before.
        stay: Changes that could not be put back, or that no bundle can say.
    """

    result: Result
    is_put_back: bool = False
    stay: tuple[str, ...] = ()


class Agents:
    """Those of one repository."""

    def __init__(
        self,
        sessions: Sessions,
        settings: Settings,
        *,
        home: Path,
        environment: Mapping[str, str],
        clock: Clock,
    ) -> None:
        """Reads nothing yet; ``environment`` is that of the agents' programs, too."""
        self._sessions, self._settings = sessions, settings
        self._home, self._environment, self._clock = home, environment, clock
        self.folder = sessions.root / ".paws" / "agents"
        self.instances = Instances(self.folder / "instances")

    def definitions(self) -> list[Path]:
        """Files of definitions below ``.paws/agents`` and ``agents``; blocking."""
        folders = (self.folder, self._sessions.root / "agents")
        return sorted(path for folder in folders for path in folder.glob(f"*{SUFFIX}"))

    def create(self, source: Path, name: str = "") -> Instance:
        """Makes an agent from a definition; blocking, installs nothing.

        Raises:
            Refused: The definition is wrong; with the line.
            Misuse: It cannot be read, or there is an agent of this name.
            AgentRefused: The disk says no.
        """
        try:
            with source.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as failed:
            raise Misuse(f"{str(source)!r} cannot be read: {failed.strerror}") from failed
        return self.instances.create(read(data, str(source)), str(source), name=name)

    def find(self, name: str) -> Instance:
        """An agent by its name; the default one is made where it is not there yet. Blocking."""
        if name == DEFAULT.name:
            with suppress(Misuse):
                return self.instances.create(DEFAULT)
        return self.instances.read(name)

    async def all(self) -> list[tuple[Instance, Run | None]]:
        """Every agent, and what it does now."""
        found = await to_thread.run_sync(self.instances.all)
        return [(instance, await running(instance)) for instance in found]

    async def stop(self, name: str, grace: float = Limits().grace) -> bool:
        """Has an agent end; false where it was at rest. Returns once it is over.

        Raises:
            Misuse: There is none.
            OuroborosError: It goes on all the same.
        """
        instance = await to_thread.run_sync(self.instances.read, name)
        run = await running(instance)
        if run is None:
            return False
        await to_thread.run_sync(ask_to_stop, instance, run)
        with anyio.move_on_after(grace + 10.0):
            while True:
                now = await running(instance)
                if now is None or now.id != run.id:
                    return True
                await anyio.sleep(_LOOK_SECONDS)
        raise OuroborosError(
            f"the agent {name!r} does not end",
            hint=f"end the program that runs it: kill {run.pid}",
        )

    async def session(self, words: str) -> Kept:
        """The work session that is meant: by its id or name, that of the folder, else a new one.

        Raises:
            WorkUnknown: There is none of that name.
            WorkRefused: It is not active.
        """
        if words or self._sessions.here():
            return await self._sessions.active(words or self._sessions.here())
        return await self._sessions.start()

    async def run(
        self,
        instance: Instance,
        session: Kept,
        wish: Wish,
        seat: Seat,
        *,
        stop: anyio.Event | None = None,
    ) -> Done:
        """Has an agent work in the work tree of a session until it is done.

        A bundle of all its changes is in the result, also where it crashed, and the files are put
        back as they were: who wants the changes applies the bundle. Once ``stop`` is set it is told
        to end.

        Raises:
            WorkBusy: It is at work already, or the session is rewound, merged or archived.
            Misuse: A file of the wish is not there.
            CheckpointFailed: The files cannot be kept as they are.
        """
        run = Run(
            id=uuid.uuid4().hex,
            pid=os.getpid(),
            session=session.id,
            goal=wish.goal[:1_000],
            started=self._clock.now(),
        )
        task = self._task(instance, wish)
        async with self._sessions.working(session), at_work(instance, run):
            await self._sessions.log(session.id, [("human_prompt", wish.goal or task.goal)])
            watched = await to_thread.run_sync(self._watched, session.tree, run)
            try:
                result = await self._supervised(
                    instance, session.tree, wish, (task, run, seat), stop or anyio.Event()
                )
                result = await self._handed_over(watched, instance, task, result)
                done = await self._put_back(watched, result, wish)
            finally:
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(watched.close)
            await self._sessions.log(
                session.id, [("tool_result", f"{result.status}: {result.summary}")]
            )
        return done

    def _task(self, instance: Instance, wish: Wish) -> Initialize:
        for path in (wish.context, wish.plan):
            if path is not None and not path.is_file():
                raise Misuse(f"there is no file {str(path)!r}")
        moment = datetime.fromtimestamp(self._clock.now(), UTC)
        name = f"{moment:%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:6]}.dogs.md"
        return Initialize(
            agent_config_path=str(instance.folder / CONFIG),
            system_prompt_path=str(instance.folder / PROMPT),
            initial_context_artifact_path=str(wish.context.absolute()) if wish.context else "",
            knowledge_graph_path=str(instance.folder / KNOWLEDGE),
            goal=wish.goal,
            output_artifact_path=str(instance.artifacts / name),
            plan_path=str(wish.plan.absolute()) if wish.plan else "",
        )

    def _watched(self, root: Path, run: Run) -> Watched:
        watched = Watched(root, self._settings, home=self._home, owner=f"agent-{run.id}")
        watched.begin(self._clock)
        return watched

    async def _supervised(
        self,
        instance: Instance,
        tree: Path,
        wish: Wish,
        about: tuple[Initialize, Run, Seat],
        stop: anyio.Event,
    ) -> Result:
        task, run, seat = about
        results: list[Result] = []
        writer = Writer(self._clock, lambda: str(uuid.uuid4()))
        async with self._started(tree, wish.options) as child, anyio.create_task_group() as tasks:
            await to_thread.run_sync(note, instance, replace(run, child=child.pid))
            tasks.start_soon(self._stopping, instance, run, stop)
            results.append(await Supervisor(child, writer, seat).run(task, stop))
            tasks.cancel_scope.cancel()
        return results[0]

    @asynccontextmanager
    async def _started(self, tree: Path, options: Sequence[str]) -> AsyncGenerator[Companion]:
        guard = Guard()
        await guard.on_duty()
        program = [sys.executable, "-m", "ouroboros", "paws", "agent", "serve", *options]
        async with companion(
            program, cwd=tree, environment=self._environment, guard=guard, goodbye_seconds=10.0
        ) as child:
            yield child

    async def _stopping(self, instance: Instance, run: Run, stop: anyio.Event) -> None:
        while True:
            if await to_thread.run_sync(is_to_stop, instance, run):
                stop.set()
                return
            await anyio.sleep(_LOOK_SECONDS)

    async def _handed_over(
        self, watched: Watched, instance: Instance, task: Initialize, result: Result
    ) -> Result:
        """What the agent says it wrote counts only where it was told to; else it is written here."""
        wanted = Path(task.output_artifact_path)
        is_there = await to_thread.run_sync(wanted.is_file)
        if result.output_artifact_path == task.output_artifact_path and is_there:
            return result
        header = Header(agent_name=instance.name)
        try:
            made = await to_thread.run_sync(watched.hand_over, wanted, header, self._clock)
        except (OuroborosError, OSError) as failed:
            words = f"{result.summary}\n\nits changes could not be written down: {failed}"
            return replace(result, output_artifact_path="", summary=words)
        return replace(result, output_artifact_path=str(made.path) if made.path else "")

    async def _put_back(self, watched: Watched, result: Result, wish: Wish) -> Done:
        if wish.keep or not result.output_artifact_path:
            return Done(result=result)
        try:
            stay = await to_thread.run_sync(watched.put_back, self._clock)
        except OuroborosError as failed:
            return Done(result=result, stay=(failed.message,))
        return Done(result=result, is_put_back=not stay, stay=stay)
