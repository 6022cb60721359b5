"""A page of the browser over the sessions of this screen, while the person wants one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup, TaskStatus

from ouroboros.core.errors import Misuse
from ouroboros.faces.slashes.control import Entrance, Serve
from ouroboros.faces.slashes.table import ON_SCREEN, SLASHES, Slash

if TYPE_CHECKING:
    from ouroboros.app.hub import Hub

_SECONDS = 10.0


class Beside:
    """At most one page at a time, served in the tasks of the engine: it ends before the sessions do."""

    def __init__(self, serve: "Serve | None") -> None:
        """Serves nothing yet; without ``serve`` it never does, and no command for it is listed."""
        self.slashes: Mapping[str, Slash] = SLASHES if serve is None else {**SLASHES, **ON_SCREEN}
        self._serve = serve
        self._place: tuple[TaskGroup, Hub] | None = None
        self._open: Entrance | None = None
        self._wanted, self._gone = anyio.Event(), anyio.Event()
        self._one = anyio.Lock()  # two lines typed quickly open one page

    def begin(self, tasks: TaskGroup, hub: "Hub") -> None:
        """The engine is there."""
        self._place = (tasks, hub)

    def end(self) -> None:
        """The engine is about to go: closes the page, and opens none any more."""
        self._place = None
        self._wanted.set()

    async def open(self) -> Entrance:
        """The way in to the page, which is served from now on.

        Raises:
            Misuse: The engine is not there, or the page cannot be served.
        """
        async with self._one:
            if self._open is not None:
                return self._open
            if self._place is None or self._serve is None:
                raise Misuse("the session is not open yet", hint="try again in a moment")
            tasks, hub = self._place
            entrance: Entrance = await tasks.start(self._served, self._serve, hub)
            self._open = entrance
            return entrance

    async def stop(self) -> bool:
        """Closes the page; False where none was open."""
        async with self._one:
            if self._open is None:
                return False
            self._wanted.set()
            with anyio.move_on_after(_SECONDS):
                await self._gone.wait()
            return True

    async def _served(
        self, serve: "Serve", hub: "Hub", *, task_status: TaskStatus[Entrance]
    ) -> None:
        self._wanted, self._gone = anyio.Event(), anyio.Event()
        try:
            async with serve(hub) as entrance:
                task_status.started(entrance)
                if self._place is not None:
                    await self._wanted.wait()
        finally:
            self._open = None
            self._gone.set()
