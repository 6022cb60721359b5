"""Keeps the status line up to date, and asks for nothing while nothing happens."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import anyio
import anyio.to_thread
from msgspec.structs import replace
from textual.timer import Timer

from ouroboros.core.errors import Misuse
from ouroboros.core.events import Envelope
from ouroboros.core.state import State
from ouroboros.faces.tui.status.branch import branch
from ouroboros.faces.tui.status.line import Facts
from ouroboros.faces.wording.face import Notice

if TYPE_CHECKING:
    from ouroboros.app.config.layers import Loaded
    from ouroboros.app.hub import Hub, Room
    from ouroboros.faces.tui.status.bar import StatusBar
    from ouroboros.faces.tui.transcript.view import Transcript

_TICK_SECONDS = 0.25
_PAUSE_SECONDS = 0.3
_WEIGHED = frozenset({"agent.message", "task.completed", "task.cancelled", "context.compacted"})


class Around(Protocol):
    """What of the application the line shows."""

    hub: "Hub | None"
    room: "Room | None"
    cwd: Path
    bar: "StatusBar"
    loaded: "Loaded"
    environment: Mapping[str, str]
    transcript: "Transcript"

    @property
    def state(self) -> State:
        """What is true of the session."""
        ...

    def tell(self, told: Notice) -> None:
        """Shows words that are no event."""
        ...


class Watch:
    """Facts that are not in the state, gathered when they may have changed."""

    def __init__(self, around: Around) -> None:
        """Begins before there is a session."""
        self._around = around
        self._facts = Facts()
        self._began: float | None = None
        self._ticker: Timer | None = None
        self._since = 0.0
        self._is_asking = self._asks_again = self._is_broken = False

    def begin(self) -> None:
        """Another session is shown."""
        self._facts = Facts()
        self._began = None
        self._since = anyio.current_time()
        self.look()

    def look(self) -> None:
        """Everything may be another."""
        self._look_around()
        self.show()

    def take(self, envelope: Envelope) -> None:
        """Takes in one event."""
        if envelope.type in _WEIGHED:
            self._look_around()
        if envelope.data.durable:
            self.show()

    def below(self, rows: int) -> None:
        """So many rows are under what is shown."""
        if rows != self._facts.below:
            self._facts = replace(self._facts, below=rows)
            self._draw()

    def show(self) -> None:
        """Draws the line, and goes on doing so while a run is on."""
        room = self._around.room
        running = room is not None and room.running
        if running and self._began is None:
            self._began = anyio.current_time()
            if self._ticker is None:
                self._ticker = self._around.bar.set_interval(_TICK_SECONDS, self._tick)
            self._ticker.resume()
        elif not running and self._began is not None:
            self._began = None
            if self._ticker is not None:
                self._ticker.pause()
        self._draw()

    def _look_around(self) -> None:
        room = self._around.room
        if room is not None:
            self._facts = replace(self._facts, meter=room.session.meter())
        if self._is_asking:
            self._asks_again = True
        else:
            self._is_asking = True
            self._around.bar.run_worker(self._ask, group="around")

    async def _ask(self) -> None:
        """Reads the branch and asks the person's script, once more if something happened meanwhile."""
        try:
            while True:
                self._asks_again = False
                found = await anyio.to_thread.run_sync(branch, self._around.cwd)
                self._facts = replace(self._facts, branch=found)
                self._draw()
                await self._ask_script()
                if not self._asks_again:
                    return
                await anyio.sleep(_PAUSE_SECONDS)
        finally:
            self._is_asking = False

    async def _ask_script(self) -> None:
        tui, room = self._around.loaded.settings.tui, self._around.room
        if not tui.status_script or room is None or self._is_broken:
            return
        from ouroboros.app.status_script import known, status_of

        facts, seconds = self._facts, anyio.current_time() - self._since
        try:
            own = await status_of(
                tui.status_script,
                known(room.state, facts.meter, branch=facts.branch, seconds=seconds),
                cwd=self._around.cwd,
                environment=self._around.environment,
                timeout_seconds=tui.status_timeout,
            )
        except Misuse as problem:
            self._is_broken = True
            self._around.tell(Notice(text=problem.message, level="warning", hint=problem.hint))
            own = ""
        self._facts = replace(self._facts, own=own)
        self._draw()

    def _tick(self) -> None:
        self._facts = replace(self._facts, frame=self._facts.frame + 1)
        self.show()
        self._around.transcript.tick()

    def _draw(self) -> None:
        hub, room = self._around.hub, self._around.room
        others = [each for each in (hub.rooms() if hub else ()) if each is not room]
        seconds = None if self._began is None else anyio.current_time() - self._began
        facts = replace(
            self._facts,
            seconds=seconds,
            others=sum(each.running for each in others),
            asks=sum(each.state.is_asking for each in others),
        )
        self._around.bar.show(self._around.state, facts)
