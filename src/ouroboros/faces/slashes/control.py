"""What a command of a conversation comes to."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from ouroboros.app.hub import Hub

type Job = Callable[[], Awaitable[None]]


class Say(Struct, frozen=True, kw_only=True):
    """Words that a command says for the person."""

    text: str


class Entrance(Protocol):
    """A page that is served."""

    @property
    def entrance(self) -> str:
        """Its address, with what lets in."""
        ...

    def once(self) -> str:
        """An address that lets in once."""
        ...


class Web(Protocol):
    """A page that a face can serve beside itself, over the same sessions."""

    async def open(self) -> Entrance:
        """Serves it, unless it is served already; raises ``Misuse``."""
        ...

    async def stop(self) -> bool:
        """Serves it no more; False where it was not served."""
        ...


type Serve = Callable[[Hub], AbstractAsyncContextManager[Entrance]]
"""Serves a page over the sessions of a hub while it is entered."""

type Control = Literal["stay", "leave"] | Job | Say
"""What a command of the chat comes to: going on, leaving, work that may be interrupted, or a turn."""
