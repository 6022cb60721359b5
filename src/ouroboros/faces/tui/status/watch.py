"""Keeps the status line up to date, and asks for nothing while nothing happens."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import anyio
from msgspec.structs import replace
from textual.timer import Timer

from ouroboros.core.events import Envelope
from ouroboros.core.state import State
from ouroboros.faces.tui.status.branch import branch
from ouroboros.faces.tui.status.line import Facts

if TYPE_CHECKING:
    from ouroboros.app.hub import Hub, Room
    from ouroboros.faces.tui.status.bar import StatusBar
    from ouroboros.faces.tui.transcript.view import Transcript

_TICK_SECONDS = 0.25
_WEIGHED = frozenset({"agent.message", "task.completed", "task.cancelled", "context.compacted"})


class Around(Protocol):
    """What of the application the line shows."""

    hub: "Hub | None"
    room: "Room | None"
    cwd: Path
    bar: "StatusBar"
    transcript: "Transcript"

    @property
    def state(self) -> State:
        """What is true of the session."""
        ...


class Watch:
    """Facts that are not in the state, gathered when they may have changed."""

    def __init__(self, around: Around) -> None:
        """Begins before there is a session."""
        self._around = around
        self._facts = Facts()
        self._began: float | None = None
        self._ticker: Timer | None = None

    def begin(self) -> None:
        """Another session is shown."""
        self._facts = Facts()
        self._began = None
        self._weigh()
        self.look_at_branch()
        self.show()

    def take(self, envelope: Envelope) -> None:
        """Takes in one event."""
        if envelope.type in _WEIGHED:
            self._weigh()
            self.look_at_branch()
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

    def look_at_branch(self) -> None:
        """Reads which branch the folder is on."""
        self._around.bar.run_worker(self._read_branch(), group="branch", exclusive=True)

    async def _read_branch(self) -> None:
        found = await anyio.to_thread.run_sync(branch, self._around.cwd)
        if found != self._facts.branch:
            self._facts = replace(self._facts, branch=found)
            self._draw()

    def _tick(self) -> None:
        self._facts = replace(self._facts, frame=self._facts.frame + 1)
        self.show()
        self._around.transcript.tick()

    def _weigh(self) -> None:
        room = self._around.room
        if room is not None:
            self._facts = replace(self._facts, meter=room.session.meter())

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
