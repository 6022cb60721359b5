"""Brings the events of a session to the screen, and begins anew where the conversation goes on from elsewhere."""

from typing import TYPE_CHECKING, Protocol

import anyio.lowlevel

from ouroboros.core.events import Envelope
from ouroboros.faces.tui.transcript.branch import on_branch

if TYPE_CHECKING:
    from ouroboros.app.hub import Room

_AT_ONCE = 200


class Shows(Protocol):
    """Whoever shows a session."""

    def begin(self) -> None:
        """Shows nothing of it any more."""
        ...

    def recall(self, envelope: Envelope) -> None:
        """Shows an event of the past that is on the branch."""
        ...

    def take(self, envelope: Envelope) -> None:
        """Shows what happens now."""
        ...

    def caught_up(self) -> None:
        """All that is past is shown."""
        ...


class Following:
    """Follows one session; of the past it shows the branch that goes on, and none beside it."""

    def __init__(self, shows: Shows) -> None:
        """Follows nothing yet."""
        self._shows = shows
        self.is_live = False

    async def follow(self, room: "Room") -> None:
        """Until it is closed.

        Raises:
            StoreFailed: The log cannot be read.
        """
        while await self._follow(room):
            pass

    async def _follow(self, room: "Room") -> bool:
        """True when it is to be shown anew."""
        self.is_live = False
        moves, until = room.state.moves, room.state.seq
        past: list[Envelope] = []
        async with room.follow() as read:
            if not until:
                await self._recall(past, room)
            async for each in read:
                if room.state.moves != moves:
                    return True
                if not isinstance(each, Envelope):
                    continue
                if self.is_live:
                    self._shows.take(each)
                    continue
                past.append(each)
                if each.data.durable and each.seq >= until:
                    await self._recall(past, room)
        return False

    async def _recall(self, past: list[Envelope], room: "Room") -> None:
        self._shows.begin()
        for taken, each in enumerate(on_branch(past, room.state.tree)):
            self._shows.recall(each)
            if taken % _AT_ONCE == 0:
                await anyio.lowlevel.checkpoint()
        self.is_live = True
        self._shows.caught_up()


def is_cut_off(room: "Room") -> bool:
    """Whether a run has begun that nobody is at; where another program is at it, that is none."""
    is_at_work = room.running or room.is_read_only
    return room.state.status in {"running", "waiting"} and not is_at_work
