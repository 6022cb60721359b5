"""A proxy on loopback that a browser of ours goes out through: nothing that has an address passes it unasked.

The browser's own interception misses web sockets, speculative connections and some frames; they all need
a connection, and every connection comes through here. Names are looked up here too, and only for
places that may be reached. Source: https://www.rfc-editor.org/rfc/rfc9110#name-connect
"""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
from anyio.abc import ByteReceiveStream, ByteStream, SocketAttribute, SocketStream

HEAD_BYTES = 65_536
HEAD_SECONDS = 30.0
CONNECT_SECONDS = 30.0
PIECE_BYTES = 65_536
MOST_CONNECTIONS = 512

_CONNECT = re.compile(rb"CONNECT (\[[^\]\s]+\]|[^:\s]+):([0-9]{1,5}) HTTP/1\.[01]")
_PLAIN = re.compile(
    rb"([A-Z]+) http://(?:[^/@\s]*@)?(\[[^\]\s]+\]|[^:/?#\s]+)(?::([0-9]{1,5}))?([^\s]*) (HTTP/1\.[01])"
)
_HOP = (b"proxy-connection", b"proxy-authorization", b"connection", b"keep-alive")

ERRANDS = frozenset({
    "update.googleapis.com",
    "optimizationguide-pa.googleapis.com",
    "content-autofill.googleapis.com",
    "passwordsleakcheck-pa.googleapis.com",
    "safebrowsing.googleapis.com",
    "safebrowsingohttpgateway.googleapis.com",
    "sb-ssl.google.com",
    "clients1.google.com",
    "clients2.google.com",
    "clients4.google.com",
    "android.clients.google.com",
    "mtalk.google.com",
    "edgedl.me.gvt1.com",
    "redirector.gvt1.com",
})
"""Where the browser goes by itself, with addresses and forms of pages; no page needs these."""

type Admit = Callable[[str], Awaitable[bool]]
"""Whether a connection to an origin such as ``https://shop.example:8443`` may be made."""


class Gate:
    """A running proxy; made by ``gate`` only."""

    def __init__(self, port: int) -> None:
        """Everything is refused until ``admit`` is set."""
        self.port = port
        self.admit: Admit = _refuses

    @property
    def server(self) -> str:
        """For ``proxyServer`` of a browser context, whose bypass list must be ``<-loopback>``."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def flags(self) -> tuple[str, ...]:
        """Switches of a browser that has no other way out, loopback and media included."""
        return (
            f"--proxy-server={self.server}",
            "--proxy-bypass-list=<-loopback>",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--dns-prefetch-disable",
        )

    async def serve(self, client: ByteStream) -> None:
        """One connection of the browser, until either side has ended it."""
        async with client:
            try:
                with anyio.fail_after(HEAD_SECONDS):
                    head, rest = await _head(client)
                await self._forward(client, head, rest)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream):
                return
            except TimeoutError:
                return

    async def _forward(self, client: ByteStream, head: bytes, rest: bytes) -> None:
        line, _, fields = head.partition(b"\r\n")
        tunnel = _CONNECT.fullmatch(line)
        plain = _PLAIN.fullmatch(line) if tunnel is None else None
        if tunnel is not None:
            host, port, scheme = tunnel[1], int(tunnel[2]), "https"
        elif plain is not None:
            host, port, scheme = plain[2], int(plain[3] or 80), "http"
        else:
            await client.send(_answer(400, "not a request to a proxy"))
            return
        name = host.decode("ascii", "replace")
        if name.lower() in ERRANDS or not await self.admit(f"{scheme}://{name}:{port}"):
            await client.send(_answer(403, "blocked by the guard"))
            return
        try:
            with anyio.fail_after(CONNECT_SECONDS):
                server = await anyio.connect_tcp(_machine(name), port)
        except (OSError, TimeoutError, ValueError):
            if tunnel is not None:
                await client.send(_answer(502, "cannot be reached"))
            return
        async with server:
            if plain is None:
                await client.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
                if rest:
                    await server.send(rest)
                await _both_ways(client, server)
                return
            start = b"%s %s %s\r\n" % (plain[1], _target(plain[4]), plain[5])
            kept, length = _fields(fields)
            if length is None:
                await client.send(_answer(411, "a body of no known length"))
                return
            await server.send(start + kept + b"connection: close\r\n\r\n")
            await _one_exchange(client, server, rest, length)


def _machine(name: str) -> str:
    """Names below ``localhost`` are this machine to a browser, whatever a name server says (RFC 6761)."""
    plain = name.strip("[]").rstrip(".").lower()
    return "127.0.0.1" if plain == "localhost" or plain.endswith(".localhost") else plain


async def _refuses(origin: str) -> bool:
    del origin
    return False


async def _head(client: ByteStream) -> tuple[bytes, bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        if len(data) > HEAD_BYTES:
            raise anyio.EndOfStream
        data += await client.receive(PIECE_BYTES)
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def _target(path: bytes) -> bytes:
    return path if path.startswith(b"/") else b"/" + path


def _fields(fields: bytes) -> tuple[bytes, int | None]:
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


async def _both_ways(client: ByteStream, server: SocketStream) -> None:
    async with anyio.create_task_group() as tasks:

        async def pour(source: ByteReceiveStream, sink: ByteStream) -> None:
            try:
                while True:
                    await sink.send(await source.receive(PIECE_BYTES))
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                tasks.cancel_scope.cancel()

        tasks.start_soon(pour, client, server)
        tasks.start_soon(pour, server, client)


async def _one_exchange(
    client: ByteStream, server: SocketStream, begun: bytes, length: int
) -> None:
    """One request and its answer; a second request would have to be judged, so it finds us gone."""
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
                    piece = await client.receive(PIECE_BYTES)
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(ask)
        try:
            while True:
                await client.send(await server.receive(PIECE_BYTES))
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            tasks.cancel_scope.cancel()


def _answer(status: int, words: str) -> bytes:
    return (
        f"HTTP/1.1 {status} {words}\r\ncontent-length: 0\r\nconnection: close\r\n"
        "proxy-connection: close\r\n\r\n"
    ).encode()


@asynccontextmanager
async def gate() -> AsyncGenerator[Gate]:
    """A gate that is open on loopback for as long as the block runs."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    made = Gate(int(listener.extra_attributes[SocketAttribute.local_port]()))
    slots = anyio.Semaphore(MOST_CONNECTIONS)

    async def serve(client: SocketStream) -> None:
        async with slots:
            await made.serve(client)

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, serve)
            yield made
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await listener.aclose()
