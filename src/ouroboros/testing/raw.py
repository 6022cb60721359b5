"""A model server on loopback whose answers are bytes: for everything a well-behaved one never does.

In a test: ``async with raw_serving([answer, ...], turn) as server: ...``; an answer makes the steps
of one reply out of the frames that the turn has in the format of the request.
"""

import struct
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from socket import SO_LINGER, SOL_SOCKET

import anyio
import msgspec
from anyio.abc import SocketAttribute, SocketStream
from msgspec import Struct

from ouroboros.core.clock import Clock, SystemClock
from ouroboros.llm.turns import Played, ScriptedUsage, Turn
from ouroboros.testing.replies.piece import Format, Piece, Reply
from ouroboros.testing.server import format_of
from ouroboros.testing.wire import Closed, Exchange, Wire


class Pause(Struct, frozen=True):
    """Sends nothing for so many seconds."""

    seconds: float


class Close(Struct, frozen=True):
    """Ends the connection, politely or with a reset."""

    reset: bool = False


class Drip(Struct, frozen=True):
    """Sends bytes one at a time, so many seconds apart."""

    content: bytes
    seconds: float


type Step = bytes | Pause | Close | Drip


class Speech(Struct, frozen=True):
    """What a turn is in the format that was asked for: as frames, and in one ``plain`` body."""

    speaks: Format
    pieces: tuple[Piece, ...]
    plain: bytes

    @property
    def head(self) -> bytes:
        """The head of a streamed answer in chunks."""
        return head({"content-type": self.speaks.manner.kind, "transfer-encoding": "chunked"})

    @property
    def body(self) -> bytes:
        """The frames without their chunks."""
        return b"".join(piece.frame for piece in self.pieces)

    @property
    def whole(self) -> bytes:
        """The answer as it should be."""
        return self.head + chunk(self.body) + LAST


type Answer = Callable[[Speech], Sequence[Step]]

LAST = b"0\r\n\r\n"


def head(headers: dict[str, str], status: str = "HTTP/1.1 200 OK") -> bytes:
    """The head of an answer."""
    lines = [status, *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    return "\r\n".join(lines).encode("latin-1")


def chunk(content: bytes) -> bytes:
    """Bytes as one chunk of a body; nothing for no bytes, which would end it."""
    return b"%x\r\n%b\r\n" % (len(content), content) if content else b""


class RawServer:
    """Plays answers in order of the requests; one beyond them is answered as the last is.

    Attributes:
        exchanges: The requests, as they came; ``ended_at`` is when the last bytes went out so far.
        hung_up: When a client closed its connection, in the clock's monotonic seconds.
    """

    def __init__(self, answers: Sequence[Answer], turn: Turn, clock: Clock) -> None:
        """``turn`` is what every answer is made of."""
        self._answers = answers
        self._turn = turn
        self._clock = clock
        self.url = ""
        self.exchanges: list[Exchange] = []
        self.hung_up: list[float] = []
        self._changed = anyio.Event()

    async def until(self, *, requests: int = 0, hung_up: int = 0) -> None:
        """Waits until so many requests came and so many clients hung up."""
        while len(self.exchanges) < requests or len(self.hung_up) < hung_up:
            await self._changed.wait()

    def _change(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    async def handle(self, stream: SocketStream) -> None:
        """Serves one connection until either side ends it."""
        try:
            async with stream:
                wire = Wire(stream, self._clock)
                while True:
                    exchange = await wire.read(len(self.exchanges) + 1, 0)
                    self.exchanges.append(exchange)
                    self._change()
                    async with anyio.create_task_group() as tasks:
                        tasks.start_soon(self._watch, stream, wire, tasks.cancel_scope)
                        await self._play(stream, exchange)
                        tasks.cancel_scope.cancel()
        except* (Closed, anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass

    async def _watch(self, stream: SocketStream, wire: Wire, playing: anyio.CancelScope) -> None:
        """Notices that the client hangs up while it is answered."""
        try:
            wire.push(await stream.receive())
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            self.hung_up.append(self._clock.monotonic())
            self._change()
            playing.cancel()

    async def _play(self, stream: SocketStream, exchange: Exchange) -> None:
        number = min(exchange.number, len(self._answers)) - 1
        for step in self._answers[number](self._speech(exchange)):
            match step:
                case bytes():
                    await stream.send(step)
                    exchange.ended_at = self._clock.monotonic()
                case Pause(seconds=seconds):
                    await anyio.sleep(seconds)
                case Drip(content=content, seconds=seconds):
                    for byte in content:
                        await stream.send(bytes([byte]))
                        await anyio.sleep(seconds)
                case Close(reset=reset):
                    if reset:
                        socket = stream.extra_attributes[SocketAttribute.raw_socket]()
                        socket.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
                    await stream.aclose()
                    return

    def _speech(self, exchange: Exchange) -> Speech:
        speaks = format_of(exchange.path)
        if speaks is None:
            raise Closed
        asked = speaks.read(exchange.json)
        reply = Reply(
            played=Played(self._turn, str(exchange.number)),
            model=asked.model,
            usage=self._turn.usage or ScriptedUsage(input_uncached=10, output_text=5),
        )
        plain = msgspec.json.encode(speaks.whole(reply))
        return Speech(speaks, tuple(speaks.frames(reply, asked)), plain)


@asynccontextmanager
async def raw_serving(
    answers: Sequence[Answer], turn: Turn, *, clock: Clock | None = None
) -> AsyncGenerator[RawServer]:
    """A running server on 127.0.0.1, at a free port."""
    server = RawServer(answers, turn, clock or SystemClock())
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    server.url = f"http://127.0.0.1:{listener.extra_attributes[SocketAttribute.local_port]()}"
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, server.handle)
        try:
            yield server
        finally:
            tasks.cancel_scope.cancel()
