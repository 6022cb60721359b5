"""HTTP/1.1 from the server's side, as much of it as clients of models use."""

from collections.abc import Sequence

import anyio
import msgspec
from anyio.abc import ByteStream
from msgspec import Struct

from ouroboros.core.clock import Clock
from ouroboros.llm.turns import Turn
from ouroboros.testing.replies.piece import Piece

_BODY_LIMIT = 256 * 1024 * 1024


class Closed(Exception):
    """The connection is over."""


class Exchange(Struct, kw_only=True):
    """One request as it came, and when; times are the clock's monotonic seconds.

    ``ended_at`` is when the last byte of the answer was handed to the system, None until then.
    """

    number: int
    connection: int
    method: str
    path: str
    headers: dict[str, str]
    body: str
    arrived_at: float
    complete_at: float
    status: int = 0
    ended_at: float | None = None

    @property
    def json(self) -> dict[str, object]:
        """The body as an object."""
        return msgspec.json.decode(self.body, type=dict[str, object])


class Wire:
    """One connection.

    Attributes:
        kind: The content type of the streams that are sent.
    """

    def __init__(self, stream: ByteStream, clock: Clock) -> None:
        self._stream = stream
        self._clock = clock
        self._buffer = bytearray()
        self._streaming = False
        self.kind = "text/event-stream"

    async def read(self, number: int, connection: int) -> Exchange:
        """The next request; raises ``EndOfStream`` when there is none."""
        arrived_at = None if not self._buffer else self._clock.monotonic()
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            await self._fill()
            if not self._buffer[:1].isalpha():
                await self._stream.send(_head(400, {"connection": "close"}))
                raise Closed
            arrived_at = arrived_at or self._clock.monotonic()
        lines = self._buffer[:end].decode("latin-1").split("\r\n")
        del self._buffer[: end + 4]
        words = lines[0].split(" ")
        if len(words) != 3:
            raise Closed
        pairs = (line.partition(":") for line in lines[1:])
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        if headers.get("expect", "").lower() == "100-continue":
            await self._stream.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = await self._chunked()
        else:
            body = await self._take(_number(headers.get("content-length", "0"), 10))
        return Exchange(
            number=number,
            connection=connection,
            method=words[0],
            path=words[1],
            headers=headers,
            body=body.decode("utf-8", "replace"),
            arrived_at=arrived_at or self._clock.monotonic(),
            complete_at=self._clock.monotonic(),
        )

    def push(self, content: bytes) -> None:
        """Takes in bytes of the next request that were read elsewhere."""
        self._buffer += content

    async def whole(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        """An answer of known length."""
        fields = {**headers, "content-length": str(len(body))}
        await self._stream.send(_head(status, fields) + body)

    async def stream(self, frames: Sequence[Piece], turn: Turn, *, last: bool = False) -> None:
        """Events, each a chunk of its own; all in one write unless the turn asks for less."""
        out = bytearray()
        if not self._streaming:
            fields = {"content-type": self.kind, "transfer-encoding": "chunked"}
            out += _head(200, fields)
            self._streaming = True
        for frame in frames:
            if not frame.frame:
                continue
            out += b"%x\r\n%b\r\n" % (len(frame.frame), frame.frame)
            if turn.pace_seconds:
                await self._write(bytes(out), turn.write_bytes)
                out.clear()
                await anyio.sleep(turn.pace_seconds)
        if last:
            out += b"0\r\n\r\n"
            self._streaming = False
        await self._write(bytes(out), turn.write_bytes)

    async def _write(self, content: bytes, size: int) -> None:
        step = size or len(content) or 1
        for start in range(0, len(content), step):
            await self._stream.send(content[start : start + step])
            if size:
                await anyio.lowlevel.checkpoint()

    async def _chunked(self) -> bytes:
        body = bytearray()
        while True:
            while (end := self._buffer.find(b"\r\n")) < 0:
                await self._fill()
            line = (await self._take(end + 2)).decode("latin-1")
            size = _number(line.partition(";")[0].strip(), 16)
            body += (await self._take(size + 2))[:-2]
            if not size:
                return bytes(body)

    async def _take(self, size: int) -> bytes:
        while len(self._buffer) < size:
            await self._fill()
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    async def _fill(self) -> None:
        self._buffer += await self._stream.receive(65536)


def _head(status: int, fields: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {fields[name]}" for name in fields)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _number(text: str, base: int) -> int:
    try:
        number = int(text, base)
    except ValueError:
        raise Closed from None
    if not 0 <= number <= _BODY_LIMIT:
        raise Closed
    return number
