"""The HTTP protocol, with a deadline for who does not say what they want."""

from asyncio import TimerHandle, Transport

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from ouroboros.faces.web.patience import Patience


class Impatient(H11Protocol):
    """Closes a connection whose next request does not become whole in time."""

    head_seconds = Patience().head
    _deadline: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:
        """The first request is waited for."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(self.head_seconds, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._calm()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """More of a request: its head must come to an end."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._calm()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.head_seconds, self._give_up)

    def _calm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self.transport.close()
