"""A TCP connection that is cheap to wait on, for streams that bring a few bytes at a time.

For each read one wake-up: no new buffer, no system call to pause and resume, no timer of its own.
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import anyio
from anyio import lowlevel
from anyio.abc import ByteStream, SocketAttribute

from ouroboros.llm.transport.http import Silent

READ_BYTES = 65_536
HELD_BYTES = 1_048_576
"""More than this is not taken in before somebody reads it."""

READS_BETWEEN_LOOKS = 8


class Channel(asyncio.BufferedProtocol, ByteStream):
    """A byte stream whose ``patience`` bounds every wait for bytes, in seconds.

    Waiting longer raises ``Silent``; all else is as anyio's streams have it.
    """

    def __init__(self) -> None:
        """Not connected yet; see ``connect``."""
        self.patience = math.inf
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._into = memoryview(bytearray(READ_BYTES))
        self._arrived: deque[bytes] = deque()
        self._held = 0
        self._reads = 0
        self._is_paused = False
        self._is_over = False
        self._is_closed = False
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._room: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The loop hands over its transport."""
        assert isinstance(transport, asyncio.Transport)
        transport.set_write_buffer_limits(0)
        self._transport = transport

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the loop reads into."""
        return self._into

    def buffer_updated(self, nbytes: int) -> None:
        """The loop has read."""
        self._arrived.append(bytes(self._into[:nbytes]))
        self._held += nbytes
        if self._held > HELD_BYTES and not self._is_paused and self._transport is not None:
            self._is_paused = True
            self._transport.pause_reading()
        _wake(self._waiter)

    def eof_received(self) -> bool:
        """The other side says no more; ours may still be sent."""
        self._is_over = True
        _wake(self._waiter)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self._is_over = True
        self._error = exc
        self._stop_timer()
        _wake(self._waiter)
        _wake(self._room)

    def pause_writing(self) -> None:
        """The system takes in no more for now."""
        self._room = self._loop.create_future()

    def resume_writing(self) -> None:
        """The system takes in more."""
        _wake(self._room)
        self._room = None

    async def receive(self, max_bytes: int = 65_536) -> bytes:
        """What has come, or comes next."""
        if not self._arrived and not self._is_over:
            self._waiter = self._loop.create_future()
            if self.patience < math.inf:
                self._watch()
            try:
                await self._waiter
            finally:
                self._waiter = None
        if not self._arrived:
            if self._is_closed:
                raise anyio.ClosedResourceError
            if self._error is not None:
                raise anyio.BrokenResourceError from self._error
            raise anyio.EndOfStream
        self._reads += 1
        if not self._reads % READS_BETWEEN_LOOKS:
            # Where bytes never stop coming, no wait is long enough for a cancellation to reach it.
            await lowlevel.checkpoint_if_cancelled()
        content = self._arrived.popleft()
        if len(content) > max_bytes:
            self._arrived.appendleft(content[max_bytes:])
            content = content[:max_bytes]
        self._held -= len(content)
        if self._is_paused and self._held <= HELD_BYTES and self._transport is not None:
            self._is_paused = False
            self._transport.resume_reading()
        return content

    async def send(self, item: bytes) -> None:
        """Hands bytes to the system, and waits until it has taken them all."""
        await lowlevel.checkpoint_if_cancelled()
        if self._is_closed or self._transport is None:
            raise anyio.ClosedResourceError
        if self._transport.is_closing():
            raise anyio.BrokenResourceError from self._error
        self._transport.write(item)
        while self._room is not None:
            await asyncio.shield(self._room)
            if self._error is not None or self._transport.is_closing():
                raise anyio.BrokenResourceError from self._error

    async def send_eof(self) -> None:
        """Says that no more will be sent."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write_eof()

    async def aclose(self) -> None:
        """Closes at once, whatever has not been sent."""
        self._is_closed = self._is_over = True
        self._stop_timer()
        if self._transport is not None:
            self._transport.abort()
        await lowlevel.checkpoint()

    @property
    def is_over(self) -> bool:
        """The other side will say no more, or is gone."""
        return self._is_over

    @property
    def has_more(self) -> bool:
        """Something has come that nobody has read."""
        return bool(self._arrived)

    @property
    def extra_attributes(self) -> Mapping[Any, Callable[[], Any]]:
        """The socket."""
        transport = self._transport
        if transport is None:
            return {}
        return {SocketAttribute.raw_socket: lambda: transport.get_extra_info("socket")}

    def _watch(self) -> None:
        self._since = self._loop.time()
        due = self._since + self.patience
        if self._timer is None or self._timer.when() > due:
            self._stop_timer()
            self._timer = self._loop.call_at(due, self._look)

    def _look(self) -> None:
        # One timer serves many waits: each only moves the moment that is compared here.
        self._timer = None
        if self._waiter is None or self._waiter.done():
            return
        due = self._since + self.patience
        if self._loop.time() >= due:
            self._waiter.set_exception(Silent())
        elif due < math.inf:
            self._timer = self._loop.call_at(due, self._look)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


async def connect(host: str, port: int) -> Channel:
    """Connects, several addresses of a name at once; raises ``OSError``."""
    stream = await anyio.connect_tcp(host, port)
    # anyio finds the way; the socket is then read without its stream.
    try:
        ours = stream.extra_attributes[SocketAttribute.raw_socket]().dup()
    except OSError:
        await anyio.aclose_forcefully(stream)
        raise
    try:
        await anyio.aclose_forcefully(stream)
        _, channel = await asyncio.get_running_loop().create_connection(Channel, sock=ours)
    except BaseException:  # also who is cancelled while the stream closes leaves no socket open
        ours.close()
        raise
    return channel


def _wake(waiter: asyncio.Future[None] | None) -> None:
    if waiter is not None and not waiter.done():
        waiter.set_result(None)
