"""A repository with its sessions and a clock: what every step of the work with them is given."""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from anyio import to_thread
from msgspec import Struct, structs

from ouroboros.core.clock import Clock
from ouroboros.safety.environment import apart
from ouroboros.safety.marks import marked
from ouroboros.workspace.worktrees.faults import WorkBusy, WorkRefused
from ouroboros.workspace.worktrees.records.manifest import Manifest, Step
from ouroboros.workspace.worktrees.records.shelf import Kept, Shelf, held
from ouroboros.workspace.worktrees.repository import ground as grounds
from ouroboros.workspace.worktrees.repository.ground import Ground

_AT_WORK = ".at-work"


class Place(Struct, frozen=True, kw_only=True):
    """Where sessions are, and what time it is."""

    ground: Ground
    shelf: Shelf
    clock: Clock

    def moment(self, seconds: float | None = None) -> str:
        """A moment since the epoch, or this one, in UTC as records have it."""
        made = datetime.fromtimestamp(self.clock.now() if seconds is None else seconds, tz=UTC)
        return f"{made:%Y-%m-%dT%H:%M:%S}.{made.microsecond // 1000:03d}Z"

    async def all(self) -> list[Kept]:
        """Every session that can be read."""
        return await to_thread.run_sync(self.shelf.all)

    async def find(self, words: str) -> str:
        """The id of the session that is meant; raises ``WorkUnknown``."""
        return await to_thread.run_sync(self.shelf.find, words)

    async def read(self, session_id: str) -> Kept:
        """One session; raises ``WorkRefused``."""
        return await to_thread.run_sync(self.shelf.read, session_id)

    async def begun(self, session: Kept, step: Step | None) -> Kept:
        """Writes down what is being done, or that nothing is."""
        work = structs.replace(session.work, step=step)
        await to_thread.run_sync(self.shelf.keep, session.id, work)
        return structs.replace(session, work=work)

    async def recorded(self, session: Kept, manifest: Manifest) -> Kept:
        """Writes down what is known of a session now."""
        if manifest != session.manifest:
            await to_thread.run_sync(self.shelf.keep, session.id, manifest)
        return structs.replace(session, manifest=manifest)

    @asynccontextmanager
    async def working(self, session_id: str) -> AsyncGenerator[None]:
        """Somebody is at work in the session: nobody else is, rewinds, merges or archives it meanwhile.

        Raises:
            WorkBusy: One of these is being done.
        """
        async with self._held(session_id, wait=1.0):
            yield

    @asynccontextmanager
    async def resting(self, session_id: str) -> AsyncGenerator[None]:
        """Nobody is at work in the session meanwhile.

        Raises:
            WorkBusy: Somebody is.
        """
        async with self._held(session_id, wait=0.0):
            yield

    @asynccontextmanager
    async def _held(self, session_id: str, *, wait: float) -> AsyncGenerator[None]:
        try:
            async with held(self.shelf.folder / session_id / _AT_WORK, wait=wait):
                yield
        except WorkBusy as busy:
            if busy.message.endswith(f"{session_id}'"):
                raise WorkBusy(
                    f"an agent is at work in session {session_id[:8]}, or a bundle is applied there",
                    hint="wait until it has ended, or stop it",
                ) from busy
            raise


def manifest_of(session: Kept) -> Manifest:
    """What is known of a session; raises ``WorkRefused`` where its start was cut short."""
    if session.manifest is None:
        raise WorkRefused(f"session {session.id[:8]} was never started")
    return session.manifest


async def at(cwd: Path, environment: Mapping[str, str], clock: Clock) -> Place:
    """The sessions of the repository that a folder lies in; raises as ``ground.find``."""
    mark = os.urandom(8).hex()
    own = await to_thread.run_sync(apart, environment, cwd)
    found = await grounds.find(cwd, {**own, **marked(environment, mark)})
    shelf = Shelf(found.sessions, found.own / grounds.SPARE, mark)
    return Place(ground=found, shelf=shelf, clock=clock)
