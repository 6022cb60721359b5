"""Checkpoints of a session that are loaded when a model calls a tool: the start needs none."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from anyio import CancelScope, to_thread

from ouroboros.app.rewind.ground import Ground
from ouroboros.core.commands import Command, Redo, Restore, TakeBack, Undo
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Envelope, Event, ModelDelta, ToolResulted
from ouroboros.core.events.checkpoint import TurnRedone, TurnUndone
from ouroboros.tools.tool import Effect

if TYPE_CHECKING:
    from ouroboros.app.rewind.going_back import GoingBack
    from ouroboros.app.rewind.keeping import Keeping

_CLOSING_SECONDS = 20.0


class LateKeeping:
    """Keeps the files of a session, from when that is first needed."""

    def __init__(self, ground: Ground) -> None:
        """Loads nothing."""
        self._ground = ground
        self._making = Lock()
        self._keeping: Keeping | None = None
        self._back: GoingBack | None = None
        self._thread: Thread | None = None
        self._is_taken_up = False
        self.send: Callable[[Command], Awaitable[None]] | None = None

    def hear(self, envelope: Envelope) -> None:
        """Looks at the files for the first time while the model writes its first call."""
        event = envelope.data
        self._forget(event)
        if self._keeping is not None and isinstance(event, ToolResulted):
            self._keeping.look_behind(event.call_id)
        if self._thread is not None or self._ground.state.mode == "plan":
            return
        if isinstance(event, ModelDelta) and event.kind == "call":
            self._thread = Thread(target=self._look_ahead, name="checkpoints", daemon=True)
            self._thread.start()

    def begun(self) -> None:
        """What was finished before the session began goes on record, before anybody says anything."""
        keeping = self._keeping
        if keeping is None or not self._is_taken_up:
            return
        from ouroboros.app.rewind.resuming import rest_of

        for finished in keeping.late:
            self._ground.record(finished)
        keeping.late.clear()
        if keeping.carried is not None:
            for event in rest_of(keeping.carried, self._ground.state):
                self._ground.record(event)

    def _forget(self, event: Event) -> None:
        """Turns that were taken up are on record, so their plan has said all."""
        keeping = self._keeping
        if keeping is None or not self._is_taken_up:
            return
        if isinstance(event, TurnUndone | TurnRedone):
            self._is_taken_up = False
            Thread(target=keeping.forget, name="checkpoints", daemon=True).start()

    async def before(self, call_id: str, effect: Effect, *, within: str) -> str:
        """As ``Keeping.before``."""
        keeping = await to_thread.run_sync(self._made)
        return await keeping.before(call_id, effect, within=within)

    def keeps(self, paths: Sequence[Path]) -> bool:
        """As ``Keeping.keeps``; blocks."""
        return self._made().keeps(paths)

    def accept(self) -> None:
        """As ``Keeping.accept``."""
        if self._keeping is not None:
            self._keeping.accept()

    async def end(self) -> None:
        """As ``Keeping.end``."""
        if self._keeping is not None:
            await self._keeping.end()

    async def handle(self, command: Restore | TakeBack | Undo | Redo, *, running: bool) -> None:
        """As ``GoingBack.handle``."""
        if self.send is None:
            raise Misuse("this session cannot go back")
        keeping = await to_thread.run_sync(self._made)
        if self._back is None:
            from ouroboros.app.rewind.going_back import GoingBack

            self._back = GoingBack(keeping, send=self.send, settle=self._ground.settle)
        await self._back.handle(command, running=running)

    async def close(self) -> None:
        """Lets a look that is under way come to its end."""
        with CancelScope(shield=True):
            if self._keeping is not None:
                await to_thread.run_sync(self._keeping.close)
            if self._thread is not None:
                await to_thread.run_sync(self._thread.join, _CLOSING_SECONDS)

    async def recover(self) -> list[str]:
        """Finishes a rewind that was cut off; what to tell the person of it."""
        if not await to_thread.run_sync(self._has_plans):
            return []
        keeping = await to_thread.run_sync(self._made)
        from ouroboros.app.rewind.resuming import take_up

        self._is_taken_up = True
        return await take_up(keeping)

    def _has_plans(self) -> bool:
        folder = self._ground.home / "checkpoints"
        patterns = ("*.git/rewind.json", f"*.git/carried.{self._ground.state.session}.json")
        return any(list(folder.glob(pattern)) for pattern in patterns)

    def _made(self) -> "Keeping":
        with self._making:
            if self._keeping is None:
                from ouroboros.app.rewind.keeping import Keeping

                self._keeping = Keeping(self._ground)
            return self._keeping

    def _look_ahead(self) -> None:
        self._made().look_ahead()


@asynccontextmanager
async def kept(keeping: LateKeeping | None, warnings: list[str]) -> AsyncGenerator[None]:
    """For as long as the block runs files are kept; ``warnings`` tell of a rewind that was cut off."""
    if keeping is None:
        yield
        return
    warnings.extend(await keeping.recover())
    try:
        yield
    finally:
        await keeping.close()
