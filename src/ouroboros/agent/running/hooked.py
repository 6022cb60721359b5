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


class Begun(Struct, frozen=True, kw_only=True):
    """What is to become of a child.

    Attributes:
        refused: Why it must not begin; empty when it may.
        told: What it is told before all else.
    """

    refused: str = ""
    told: tuple[Message, ...] = ()


class Children(Protocol):
    """Hears of what a run starts; bounds its own waits, may be cancelled, and raises nothing on purpose.

    ``stops`` is asked when a child has an answer, ``times`` after it was sent back already. It gives
    the words that the child goes on with, or nothing.
    """

    async def begins(self, child: str, kind: str) -> Begun: ...
    async def stops(self, child: str, answer: str, times: int) -> str: ...


class Childless:
    """Nobody wants to hear of children."""

    async def begins(self, child: str, kind: str) -> Begun:
        """As they were meant."""
        del child, kind
        return Begun()

    async def stops(self, child: str, answer: str, times: int) -> str:
        """As they came."""
        del child, answer, times
        return ""


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
