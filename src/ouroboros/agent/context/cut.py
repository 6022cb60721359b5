"""What others may do around a summary: stop it, keep what goes, or hear that it is done."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from msgspec import Struct

from ouroboros.core.events import ContextCompacted
from ouroboros.core.events.turn import Trigger
from ouroboros.core.parts import Message

FLUSH_SECONDS = 30.0
"""How long whoever keeps facts may take before the cut is made without it."""


class Cut(Struct, frozen=True, kw_only=True):
    """A history that is about to be shortened.

    Attributes:
        goes: The messages that will not be there afterwards, in order, each reply followed by the
            results of its calls, as the model read them.
        tokens: Size of the whole history, as far as it is known.
    """

    session: str
    trigger: Trigger
    focus: str
    goes: tuple[Message, ...]
    tokens: int


class Around(Protocol):
    """Programs of the person around a summary; bounds its own waits, and raises nothing on purpose.

    ``before`` says why the summary must not be made, or nothing; ``after`` is told of the new history
    before it is put on record.
    """

    async def before(self, cut: Cut) -> str: ...
    async def after(self, cut: Cut, done: ContextCompacted) -> None: ...


class Nobody:
    """Nothing happens around a summary."""

    async def before(self, cut: Cut) -> str:
        """Nothing against it."""
        del cut
        return ""

    async def after(self, cut: Cut, done: ContextCompacted) -> None:
        """Nothing."""
        del cut, done


type Flush = Callable[[Cut], Awaitable[None]]
"""Keeps what is worth keeping of the messages that go, before the cut, whatever the model does."""


async def keep_nothing(cut: Cut) -> None:
    """Nothing is kept: there is no memory."""
    del cut
