"""What programs of the person may do around a conversation: add to it, refuse words, let it go on."""

from typing import Protocol

from msgspec import Struct

from ouroboros.core.events import TaskCompleted
from ouroboros.core.parts import Message


class Heard(Struct, frozen=True, kw_only=True):
    """What became of the person's words.

    Attributes:
        message: As the model is to read them.
        refused: Why it is not to read them at all; empty when it is.
        more: What it is told right after them.
    """

    message: Message
    refused: str = ""
    more: tuple[Message, ...] = ()


class Hooks(Protocol):
    """Hears of what happens; bounds its own waits, may be cancelled, and raises nothing on purpose."""

    async def news(self) -> tuple[Message, ...]:
        """What the model is to be told before it is asked next."""
        ...

    async def prompted(self, message: Message) -> Heard:
        """What becomes of words before they are on record."""
        ...

    async def stopping(self, verdict: TaskCompleted) -> TaskCompleted | Message:
        """How a run ends, or words for the model to go on with."""
        ...


async def as_it_is(verdict: TaskCompleted) -> TaskCompleted | Message:
    """Nobody has words against the end of a run."""
    return verdict


class NoHooks:
    """Nothing is set up."""

    async def news(self) -> tuple[Message, ...]:
        """Nothing."""
        return ()

    async def prompted(self, message: Message) -> Heard:
        """As they were said."""
        return Heard(message=message)

    async def stopping(self, verdict: TaskCompleted) -> TaskCompleted | Message:
        """As the mind wants it."""
        return await as_it_is(verdict)
