"""The agents of a project: made from definitions, run as programs of their own, seen to and stopped."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import anyio
from anyio import to_thread

from ouroboros.app.paws.agents.duty import Children, Done, Duty, Equipment, Wish, run_of
from ouroboros.app.paws.sessions import Kept
from ouroboros.core.errors import Misuse, OuroborosError, unwrapped
from ouroboros.fleet.agents.definition import MOST_BYTES, SUFFIX, Definition, read
from ouroboros.fleet.agents.instance import (
    Instance,
    Instances,
    Run,
    ask_to_stop,
    at_work,
    is_to_stop,
    refuse_busy,
    running,
)
from ouroboros.fleet.supervisor.supervise import Limits, Seat, Stop

__all__ = [
    "Agents",
    "Children",
    "Done",
    "Equipment",
    "Instance",
    "Run",
    "Seat",
    "Stop",
    "Wish",
    "run_of",
]

_LOOK_SECONDS = 0.25
DEFAULT = Definition(
    name="default",
    description="The agent of `paws run --goal` where none is named.",
    system_prompt=(
        "You work alone in a work tree of a project. Do the task, check your work, and end with a short "
        "account of what you changed and why."
    ),
)


class Agents:
    """Those of one repository."""

    def __init__(self, equipment: Equipment) -> None:
        """Reads nothing yet."""
        self.equipment, self.sessions = equipment, equipment.sessions
        self.folder = self.sessions.root / ".paws" / "agents"
        self.instances = Instances(self.folder / "instances")

    def definitions(self) -> list[Path]:
        """Files of definitions below ``.paws/agents`` and ``agents``; blocking."""
        folders = (self.folder, self.sessions.root / "agents")
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

    async def only_defined(self) -> list[Path]:
        """Definitions that no agent was made from yet, by their names."""
        made = {each.name for each in await to_thread.run_sync(self.instances.all)}
        found = await to_thread.run_sync(self.definitions)
        return [path for path in found if path.name.removesuffix(SUFFIX) not in made]

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

    async def session(self, words: str, instance: Instance) -> Kept:
        """The work session that is meant: by its id or name, that of the folder, else a new one.

        Raises:
            WorkBusy: A new one is meant, and the agent is at work already.
            WorkUnknown: There is none of that name.
            WorkRefused: It is not active.
        """
        if words or self.sessions.here():
            return await self.sessions.active(words or self.sessions.here())
        await refuse_busy(instance)
        return await self.sessions.start()

    async def run(
        self,
        instance: Instance,
        session: Kept,
        wish: Wish,
        seat: Seat,
        *,
        stop: Stop | None = None,
    ) -> Done:
        """Has an agent work in the work tree of a session until it is done.

        A bundle of all its changes is in the result, also where it crashed, and the files are put
        back as they were: who wants the changes applies the bundle. ``stop`` has it end. That is so
        after a cancel, too, which nobody then hears of.

        Raises:
            WorkBusy: It is at work already, or another is in this session, or that is rewound, merged
                or archived.
            Misuse: A file of the wish is not there.
            CheckpointFailed: The files cannot be kept as they are.
        """
        stop = stop or Stop()

        async def job(children: Children) -> Done:
            async with self.sessions.working(session):
                return await self.work(instance, session, wish, seat, (stop, children))

        run = run_of(session.id, wish, self.equipment.clock)
        return await self.holding(instance, run, stop, job)

    async def holding[T](
        self, instance: Instance, run: Run, stop: Stop, job: Callable[[Children], Awaitable[T]]
    ) -> T:
        """Does a job for which an agent is at work, and nobody else has it work meanwhile.

        ``job`` tells of each program that it starts. Who asks the agent to stop sets ``stop``.
        """
        done: list[T] = []
        try:
            async with at_work(instance, run), anyio.create_task_group() as tasks:
                tasks.start_soon(self._stopping, instance, run, stop)
                done.append(await job(Children(instance, run)))
                tasks.cancel_scope.cancel()
        except ExceptionGroup as group:
            raise unwrapped(group) from group
        return done[0]

    async def work(
        self,
        instance: Instance,
        session: Kept,
        wish: Wish,
        seat: Seat,
        post: tuple[Stop, Children],
    ) -> Done:
        """The same as ``run`` for who holds the agent and the session already."""
        return await Duty(self.equipment, instance, session, wish).done(seat, *post)

    async def _stopping(self, instance: Instance, run: Run, stop: Stop) -> None:
        while True:
            if await to_thread.run_sync(is_to_stop, instance, run):
                stop.soon.set()
                return
            await anyio.sleep(_LOOK_SECONDS)
