"""An agent's session in its own program: opened by what its folder says, and what it changed handed over."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from anyio import to_thread
from msgspec.structs import replace

from ouroboros.app.config.layers import Loaded
from ouroboros.app.ouroboros import Ouroboros, Session
from ouroboros.app.paws.agents import apprentice
from ouroboros.app.paws.agents.apprentice import Apprentice
from ouroboros.app.paws.agents.changes import Watched
from ouroboros.app.paws.planning.files import plan_in
from ouroboros.app.paws.planning.following import Following, places_of
from ouroboros.app.providers.listing import equipped
from ouroboros.core.clock import Clock, SystemClock
from ouroboros.core.errors import OuroborosError
from ouroboros.core.ipc.messages import Initialize
from ouroboros.workspace.artifacts.dogs.change import Header

type Load = Callable[[Mapping[str, object]], Loaded]


class Working:
    """A task that was begun; made by ``begun`` only."""

    def __init__(
        self,
        session: Session,
        agent: Apprentice,
        watched: Watched,
        task: Initialize,
        *others: *tuple[Clock, Following | None],
    ) -> None:
        """Says nothing yet; the others are the time and the plan it is held to."""
        self.session, self.words = session, agent.words
        self._name, self._watched = agent.name, watched
        self._path = Path(task.output_artifact_path)
        self._clock, self._following = others
        if self._following is not None:
            session.listen(self._following.hear)

    def departures(self) -> tuple[str, ...]:
        """Where its commands left the plan; empty without one."""
        return self._following.commands() if self._following is not None else ()

    async def hand_over(self) -> str:
        """Writes the bundle of what was changed and gives its path; empty where nothing was.

        Raises:
            OuroborosError: It cannot be written.
        """
        header = Header(agent_name=self._name, source_turn=self.session.id)
        try:
            made = await to_thread.run_sync(
                self._watched.hand_over, self._path, header, self._clock
            )
        except OSError as failed:
            raise OuroborosError(
                f"its changes cannot be written down: {failed.strerror}"
            ) from failed
        return str(made.path) if made.path is not None else ""


@asynccontextmanager
async def begun(
    task: Initialize, cwd: Path, load: Load, environment: Mapping[str, str]
) -> AsyncGenerator[Working]:
    """Opens the session of a task in a folder.

    Args:
        task: The supervisor's first message.
        cwd: Where it works.
        load: The settings, joined with those of the agent.
        environment: Of the program, with keys of providers.

    Raises:
        Misuse: A file of the agent cannot be used, or no model is there.
        Refused: The plan is none.
    """
    agent = await to_thread.run_sync(apprentice.read, task)
    loaded = await to_thread.run_sync(load, agent.settings)
    loaded = replace(loaded, rules=(*loaded.rules, *agent.rules))
    clock = SystemClock()
    following = await to_thread.run_sync(_following, task, cwd, loaded.home, environment)
    engine = Ouroboros(
        loaded.settings,
        home=loaded.home,
        environment=await to_thread.run_sync(equipped, loaded, environment),
        rules=loaded.rules,
        hooks=loaded,
    )
    async with engine.open(cwd=cwd, interactive=task.attended, only=agent.only) as session:
        watched = await to_thread.run_sync(_watched, cwd, loaded, session.id, clock)
        try:
            yield Working(session, agent, watched, task, clock, following)
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(watched.close)


def _watched(cwd: Path, loaded: Loaded, session: str, clock: Clock) -> Watched:
    watched = Watched(cwd, loaded.settings, home=loaded.home, owner=f"agent-{session}")
    watched.begin(clock)
    return watched


def _following(
    task: Initialize, cwd: Path, home: Path, environment: Mapping[str, str]
) -> Following | None:
    if not task.plan_path:
        return None
    places = places_of(cwd, home, environment)
    return Following(plan_in(task.plan_path), cwd, places, lambda _: None)
