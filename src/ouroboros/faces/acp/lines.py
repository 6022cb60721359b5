"""Commands that an editor offers after a slash."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ouroboros.faces.acp.frames import Json
from ouroboros.faces.slashes.control import Control
from ouroboros.faces.slashes.table import SLASHES, Seat, canonical, heard
from ouroboros.faces.wording.face import Ending, Notice

if TYPE_CHECKING:
    from ouroboros.app.config.layers import Loaded
    from ouroboros.app.hub import Room
    from ouroboros.core.events import Envelope

_ELSEWHERE = frozenset({"help", "sessions", "resume", "clear", "quit", "fork", "queue", "!", "#"})
"""What an editor has its own ways for, or has no place for."""

OFFERED = {name: slash for name, slash in SLASHES.items() if name not in _ELSEWHERE}


class _Face:
    """What commands tell; all else is told anyway."""

    def __init__(self, tell: Callable[[Notice], None]) -> None:
        self._tell = tell

    def tell(self, told: Notice) -> None:
        """Tells it."""
        self._tell(told)

    def begin(self) -> None:
        """Told by the events."""

    def rest(self) -> None:
        """Told by the events."""

    def take(self, envelope: "Envelope") -> None:
        """Told by whoever listens."""

    def finish(self, ending: Ending, session: str) -> None:
        """Told by the events."""


def available() -> Json:
    """The commands as an editor lists them."""
    listed: list[Json] = []
    for name, slash in OFFERED.items():
        row: Json = {"name": name, "description": slash.meaning}
        if more := slash.usage.partition(" ")[2]:
            row["input"] = {"hint": more}
        listed.append(row)
    return {"sessionUpdate": "available_commands_update", "availableCommands": listed}


def is_line(text: str) -> bool:
    """Whether these words are a command for us."""
    return canonical(text) in OFFERED


def seat(
    room: "Room",
    loaded: "Loaded",
    environment: Mapping[str, str],
    memory: dict[str, str],
    tell: Callable[[Notice], None],
) -> Seat:
    """What a command may use."""
    return Seat(
        session=room.session,
        face=_Face(tell),
        loaded=loaded,
        cwd=Path(room.state.cwd),
        memory=memory,
        environment=environment,
        stop_key="cancel",
    )


async def carry_out(seat: Seat, text: str) -> Control:
    """Does what a command says; what is wrong with it is told."""
    return await heard(seat, text, running=False)
