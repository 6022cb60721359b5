"""What is said between a client, a proxy and a server: requests to a proxy, and bytes to and fro.

Source: https://www.rfc-editor.org/rfc/rfc9110#name-connect
"""

import re
from functools import partial

import anyio
from anyio.abc import ByteReceiveStream, ByteStream
from msgspec import Struct

from ouroboros.safety.network.way import PIECE_BYTES, Upstream

MOST_PORT = 65_535

_CONNECT = re.compile(rb"CONNECT (\[[^\]\s]+\]|[^:\s]+):([0-9]{1,5}) HTTP/1\.[01]")
_PLAIN = re.compile(
    rb"([A-Z]+) http://(?:[^/@\s]*@)?(\[[^\]\s]+\]|[^:/?#\s]+)(?::([0-9]{1,5}))?([^\s]*) (HTTP/1\.[01])"
)
_OVER = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)
_HOP = (b"proxy-connection", b"proxy-authorization", b"connection", b"keep-alive")


class Wish(Struct, frozen=True, kw_only=True):
    """What a client asks a connection for; a tunnel has no ``method``."""

    host: str
    port: int
    method: bytes = b""
    path: bytes = b""
    version: bytes = b""

    @property
    def is_tunnel(self) -> bool:
        """Bytes go through that the proxy does not read."""
        return not self.method

    @property
    def origin(self) -> str:
        """With its port, such as ``https://shop.example:443``."""
        return f"{'https' if self.is_tunnel else 'http'}://{self.host}:{self.port}"

    @property
    def place(self) -> bytes:
        """Host and port."""
        return f"{self.host}:{self.port}".encode()

    def start(self, proxy: Upstream | None) -> bytes:
        """The first line of a plain request, and who asks where a proxy wants to know."""
        path = self.path if self.path.startswith(b"/") else b"/" + self.path
        if proxy is None:
            return b"%s %s %s\r\n" % (self.method, path, self.version)
        whole = b"http://" + self.place + path
        return b"%s %s %s\r\n%s" % (self.method, whole, self.version, proxy.asks)


class Tally:
    """Bytes that went through so far: out to the server, and back.

    Attributes:
        refused: Why it was ended after all; empty where it was not.
    """

    def __init__(self) -> None:
        """None yet."""
        self.sent = self.received = 0
        self.refused = ""


def wish_of(line: bytes) -> Wish | None:
    """The wish in the first line of a request; None when it is none to a proxy."""
    tunnel_to = _CONNECT.fullmatch(line)
    plain = _PLAIN.fullmatch(line) if tunnel_to is None else None
    if tunnel_to is not None:
        wish = Wish(host=_text(tunnel_to[1]), port=int(tunnel_to[2]))
    elif plain is not None:
        wish = Wish(
            host=_text(plain[2]),
            port=int(plain[3] or 80),
            method=plain[1],
            path=plain[4],
            version=plain[5],
        )
    else:
        return None
    return wish if wish.host.isascii() and 0 < wish.port <= MOST_PORT else None


def _text(name: bytes) -> str:
    return name.decode("ascii", "replace")


def passed_on(fields: bytes) -> tuple[bytes, int | None]:
    """The header without what is said to a proxy alone, and how long the body is; None: cannot tell."""
    kept, length = b"", 0
    for field in fields.split(b"\r\n") if fields else ():
        name, _, value = field.partition(b":")
        match name.strip().lower():
            case b"transfer-encoding":
                return b"", None
            case b"content-length":
                if not value.strip().isdigit():
                    return b"", None
                length = int(value)
                kept += field + b"\r\n"
            case plain:
                kept += b"" if plain in _HOP else field + b"\r\n"
    return kept, length


async def both_ways(client: ByteStream, server: ByteStream, tally: Tally | None = None) -> None:
    """Carries bytes to and fro until one side has ended."""
    count = tally or Tally()
    async with anyio.create_task_group() as tasks:

        async def pour(source: ByteReceiveStream, sink: ByteStream, *, is_out: bool) -> None:
            try:
                while True:
                    piece = await source.receive(PIECE_BYTES)
                    await sink.send(piece)
                    count.sent += len(piece) if is_out else 0
                    count.received += 0 if is_out else len(piece)
            except _OVER:
                tasks.cancel_scope.cancel()

        tasks.start_soon(partial(pour, client, server, is_out=True))
        tasks.start_soon(partial(pour, server, client, is_out=False))


async def one_exchange(
    client: ByteStream, server: ByteStream, begun: bytes, length: int, tally: Tally | None = None
) -> None:
    """One request and its answer; a second request would have to be judged, so it finds us gone."""
    count = tally or Tally()
    async with anyio.create_task_group() as tasks:

        async def ask() -> None:
            left = length
            piece = begun
            try:
                while True:
                    if len(piece) > left:
                        break
                    if piece:
                        await server.send(piece)
                        left -= len(piece)
                        count.sent += len(piece)
                    piece = await client.receive(PIECE_BYTES)
            except _OVER:
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(ask)
        try:
            while True:
                piece = await server.receive(PIECE_BYTES)
                await client.send(piece)
                count.received += len(piece)
        except _OVER:
            tasks.cancel_scope.cancel()


def answer(status: int, words: str, *, error: str = "", body: str = "") -> bytes:
    """An answer of a proxy itself; ``error`` is told in ``x-proxy-error``, ``body`` is for whoever reads it."""
    said = body.encode("utf-8", "replace")
    why = f"x-proxy-error: {error}\r\n" if error else ""
    kind = "content-type: text/plain; charset=utf-8\r\n" if said else ""
    return (
        f"HTTP/1.1 {status} {words}\r\n{why}{kind}content-length: {len(said)}\r\n"
        "connection: close\r\nproxy-connection: close\r\n\r\n"
    ).encode() + said
