"""The sessions that are open in this process."""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import anyio
from anyio import CancelScope, create_task_group, to_thread
from anyio.abc import TaskGroup, TaskStatus
from msgspec import Struct

from ouroboros.app.hub.bystander import standing_by
from ouroboros.app.hub.outfit import Fitted, Outfit
from ouroboros.app.hub.presence import Presence
from ouroboros.app.hub.room import Room
from ouroboros.app.ouroboros import Session
from ouroboros.app.past import sessions
from ouroboros.core.commands import Branch
from ouroboros.core.errors import Misuse, SessionBusy, unwrapped

if TYPE_CHECKING:
    from ouroboros.tools.builtin.texts import Editor

_CLOSE_SECONDS = 30.0

_logger = logging.getLogger(__name__)


class _Wish(Struct, frozen=True, kw_only=True):
    cwd: Path
    resume: str
    at: str
    mind: Literal["", "tools", "rlm"]
    browser: bool
    flags: dict[str, object]
    editor: "Editor | None" = None


class Hub:
    """Opens sessions, each once, and keeps them open."""

    def __init__(self, outfit: Outfit, tasks: TaskGroup) -> None:
        """Made by ``hub`` only."""
        self.outfit = outfit
        self._tasks = tasks
        self._rooms: dict[str, Room] = {}
        self._opening: dict[str, anyio.Lock] = {}
        self._sinks: list[Callable[[str], None]] = []
        self._is_closed = False
        self.presence = Presence()

    async def open(
        self,
        *,
        cwd: Path | None = None,
        resume: str = "",
        latest: bool = False,
        at: str = "",
        mind: Literal["", "tools", "rlm"] = "",
        browser: bool = False,
        model: str = "",
        mode: str = "",
        editor: "Editor | None" = None,
    ) -> Room:
        """The room of a session: the one that is open already, or a new one.

        Args:
            cwd: Working folder of a new session; a resumed one goes on in its own.
            resume: A session's id, title, or a part of its id that fits one only.
            latest: The newest session of ``cwd``, where there is one.
            at: Go on after this message, an id or a number of its tree.
            mind: Who drives it; empty means as before, and ``tools`` in a new session.
            browser: There is one, started by its first use.
            model: The model to ask, in the place of the settings'.
            mode: How much is asked, in the place of the settings'.
            editor: Has files open for a person; a room that is open already keeps what it was opened with.

        Raises:
            Misuse: Folder, model or key do not fit; the message says what to do.
            SessionUnknown: None or more than one session is meant.
            SessionBusy: Another process has it open, and it was to go on after a message. Without
                one the room is ``is_read_only``, and closes when the other process lets go.
            StoreFailed: The database cannot be used.
        """
        folder = cwd or self.outfit.cwd
        id = await to_thread.run_sync(self._meant, resume, folder if latest else None)
        wish = _Wish(
            cwd=folder,
            resume=id,
            at=at,
            mind=mind,
            browser=browser,
            flags={"model": model or None, "mode": mode or None},
            editor=editor,
        )
        if not id:
            return await self._begin(wish)
        # Two faces that ask for one session at the same moment get one room.
        lock = self._opening.setdefault(id, anyio.Lock())
        try:
            async with lock:
                return await self._entered(id, wish)
        finally:
            if not lock.statistics().tasks_waiting and not lock.locked():
                self._opening.pop(id, None)

    async def _entered(self, id: str, wish: _Wish) -> Room:
        room = self._rooms.get(id)
        if room is not None and room.is_closing:
            await room.gone.wait()
            room = None
        if room is None:
            return await self._begin(wish)
        if wish.at:
            from ouroboros.app.past.tree import node_named

            await room.send(Branch(message_id=node_named(room.state, wish.at)))
        return room

    def rooms(self) -> tuple[Room, ...]:
        """Those that are open, the oldest first."""
        return tuple(self._rooms.values())

    def room(self, session: str) -> Room | None:
        """The open room of a session, by its whole id; this counts as a look at it."""
        room = self._rooms.get(session)
        if room is None or room.is_closing:
            return None
        room.touch()
        return room

    def listen(self, sink: Callable[[str], None]) -> None:
        """Tells ``sink`` the id of each session whose standing changes: it was opened or closed, began, ended, asks."""
        self._sinks.append(sink)

    def forget(self, sink: Callable[[str], None]) -> None:
        """Tells a sink nothing more."""
        self._sinks.remove(sink)

    async def close(self, session: str) -> None:
        """Stops what runs in a session and closes it; nothing happens where it is not open."""
        room = self._rooms.get(session)
        if room is not None:
            await room.close()
            await room.gone.wait()

    async def close_all(self) -> None:
        """Closes every room."""
        self._is_closed = True
        async with create_task_group() as tasks:
            for id in tuple(self._rooms):
                tasks.start_soon(self.close, id)

    def _meant(self, resume: str, folder: Path | None) -> str:
        if resume in self._rooms:
            return resume
        if folder is not None and not resume:
            found = sessions.latest(self.outfit.home, str(folder.resolve()))
            return found.id if found else ""
        return sessions.find(self.outfit.home, resume).id if resume else ""

    async def _begin(self, wish: _Wish) -> Room:
        if self._is_closed:
            raise Misuse("this program is about to end", hint="start it again")
        return await self._tasks.start(self._keep, wish)

    async def _keep(self, wish: _Wish, *, task_status: TaskStatus[Room]) -> None:
        """Holds one session open; what goes wrong in it later ends this room only."""
        room: Room | None = None
        fitted = await to_thread.run_sync(self._fitted, wish)
        freed = anyio.Event()
        try:
            async with self._opened(wish, fitted, freed) as session, create_task_group() as tasks:
                room = Room(session, tasks, home=self.outfit.home, tell=self.tell)
                self._rooms[room.id] = room
                tasks.start_soon(session.warm)
                tasks.start_soon(_close_when_free, room, freed)
                task_status.started(room)
                self.tell(room.id)
                await room.until_closed(fitted.close_after)
                tasks.cancel_scope.cancel()
        except Exception:
            if room is None:
                raise
            _logger.exception("session %s was not closed as it should be", room.id)
        finally:
            if room is not None:
                del self._rooms[room.id]
                room.leave()
                self.tell(room.id)

    @asynccontextmanager
    async def _opened(
        self, wish: _Wish, fitted: Fitted, freed: anyio.Event
    ) -> AsyncGenerator[Session]:
        """The session; where another process has it, one that is only read."""
        async with AsyncExitStack() as stack:
            try:
                session = await stack.enter_async_context(
                    fitted.engine.open(
                        cwd=wish.cwd,
                        resume=wish.resume,
                        at=wish.at,
                        interactive=True,
                        mind=wish.mind,
                        browser=wish.browser,
                        chosen=fitted.chosen,
                        editor=wish.editor,
                    )
                )
            except SessionBusy as busy:
                if wish.at or not wish.resume:
                    raise
                session = await stack.enter_async_context(
                    standing_by(self.outfit.home, wish.resume, busy, freed.set)
                )
            yield session

    def _fitted(self, wish: _Wish) -> Fitted:
        return self.outfit.fitted(self._folder(wish), wish.flags)

    def _folder(self, wish: _Wish) -> Path:
        """The folder whose settings count: a session that goes on has its own."""
        if wish.resume:
            own = Path(sessions.find(self.outfit.home, wish.resume).cwd)
            if own.is_dir():
                return own
        return wish.cwd

    def tell(self, session: str) -> None:
        """Something about a session, or about those who look at it, is new."""
        for sink in tuple(self._sinks):
            sink(session)


async def _close_when_free(room: Room, freed: anyio.Event) -> None:
    await freed.wait()
    await room.close()


@asynccontextmanager
async def hub(outfit: Outfit) -> AsyncGenerator[Hub]:
    """A hub; leaving it stops all runs and closes all rooms."""
    try:
        async with create_task_group() as tasks:
            made = Hub(outfit, tasks)
            try:
                yield made
            finally:
                with CancelScope(shield=True), anyio.move_on_after(_CLOSE_SECONDS):
                    await made.close_all()
                tasks.cancel_scope.cancel()
    except ExceptionGroup as group:
        raise unwrapped(group) from group
