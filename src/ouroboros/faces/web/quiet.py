"""A server in a program of ours: it minds no signals, and stops the moment it is left."""

import itertools
import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress

import anyio
from uvicorn import Config, Server
from websockets.exceptions import InvalidState

_DATE_SECONDS, _LOOK_SECONDS = 1.0, 0.002


class Quiet(Server):
    """Leaves signals to the program, and says when it listens."""

    def __init__(self, config: Config, *, stop_seconds: float) -> None:
        """Connections have so long to end by themselves."""
        super().__init__(config)
        self.listens, self._left = anyio.Event(), anyio.Event()
        self._stop_seconds = stop_seconds

    def leave(self) -> None:
        """Stops it."""
        self.should_exit = True
        self._left.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Says that it listens."""
        await super().startup(sockets)
        self.listens.set()

    async def main_loop(self) -> None:
        """Keeps the date of its answers until it is left."""
        while not await self.on_tick(0):
            with anyio.move_on_after(_DATE_SECONDS):
                await self._left.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends the connections, with a deadline."""
        for each in (*self.servers, *(sockets or ())):
            each.close()
        for each in list(self.server_state.connections):
            with suppress(InvalidState):  # it is being closed already
                each.shutdown()
        with anyio.move_on_after(self._stop_seconds):
            await self._ended()
        for task in self.server_state.tasks:
            task.cancel()

    async def _ended(self) -> None:
        """Waits for connections and what answers them."""
        state = self.server_state
        for pause in itertools.repeat(_LOOK_SECONDS):
            if not state.connections and not state.tasks:
                break
            await anyio.sleep(pause)
        for each in self.servers:
            await each.wait_closed()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Takes none."""
        yield
