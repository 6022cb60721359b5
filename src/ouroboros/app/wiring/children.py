"""The children of a session, for the tool that ends its work."""

from collections.abc import Awaitable, Callable

import anyio

from ouroboros.core.commands import Command, Interrupt
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Envelope
from ouroboros.core.state import State

_PATIENCE_SECONDS = 10.0


class SessionChildren:
    """Those that the record says are at work."""

    def __init__(self, state: State, send: Callable[[Command], Awaitable[None]]) -> None:
        """``send`` carries out a command of the session, whose events are to be given to ``hear``."""
        self._state, self._send = state, send
        self._ended = anyio.Event()

    def hear(self, envelope: Envelope) -> None:
        """Takes in an event."""
        if envelope.type == "subagent.completed":
            self._ended.set()
            self._ended = anyio.Event()

    def active(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self._state.children)

    async def close(self, child: str) -> bool:
        """Stops one and waits until its end is on record, for a while."""
        try:
            await self._send(Interrupt(reason="done", child=child))
        except Misuse:
            return child not in self._state.children
        with anyio.move_on_after(_PATIENCE_SECONDS):
            while child in self._state.children:
                await self._ended.wait()
        return child not in self._state.children
