"""Commands that outlive the call that started them."""

from typing import ClassVar

from ouroboros.core.events.envelope import Event, Source


class ProcessKept(Event, frozen=True, kw_only=True):
    """A command goes on after its call, under a number; it ends with this program at the latest."""

    type: ClassVar[str] = "process.kept"
    source: ClassVar[Source] = "agent"
    number: int
    command: str


class ProcessEnded(Event, frozen=True, kw_only=True):
    """It has ended, and the model was told so; -1 where it was ended with the program before."""

    type: ClassVar[str] = "process.ended"
    source: ClassVar[Source] = "agent"
    number: int
    exit_code: int
