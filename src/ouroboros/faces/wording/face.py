"""What a run needs of whatever shows it."""

from typing import Literal, Protocol

from msgspec import Struct

from ouroboros.core.events import Envelope
from ouroboros.core.state import Spent

type Level = Literal["info", "warning", "error"]


class Notice(Struct, frozen=True, kw_only=True):
    """A line for the person, and what to do on a line of its own."""

    text: str
    level: Level = "info"
    hint: str = ""


class Ending(Protocol):
    """How a run ended."""

    @property
    def reason(self) -> str:
        """``completed``, ``cancelled``, ``failed`` or ``limit_reached:NAME``."""
        ...

    @property
    def final(self) -> str:
        """The answer."""
        ...

    @property
    def turns(self) -> int:
        """Requests that were answered."""
        ...

    @property
    def spent(self) -> Spent:
        """What it used."""
        ...

    @property
    def exit_code(self) -> int:
        """What the program says of it."""
        ...


class Shown(Struct, frozen=True, kw_only=True):
    """A run's ending as a face is to show it."""

    reason: str
    final: str
    turns: int
    spent: Spent
    exit_code: int


class Face(Protocol):
    """Shows one session; takes events in order and must not block."""

    def begin(self) -> None:
        """A run starts."""
        ...

    def rest(self) -> None:
        """Nothing runs any more."""
        ...

    def take(self, envelope: Envelope) -> None:
        """Takes in one event."""
        ...

    def tell(self, told: Notice) -> None:
        """Says something that is no event."""
        ...

    def finish(self, ending: Ending, session: str) -> None:
        """Shows how a run ended; an empty session means it goes on here."""
        ...
