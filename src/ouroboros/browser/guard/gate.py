"""A proxy on loopback that a browser of ours goes out through: nothing that has an address passes it unasked.

The browser's own interception misses web sockets, speculative connections and some frames; they all need
a connection, and every connection comes through here. Names are looked up here too, or by the person's
own proxy, and only for places that may be reached. Source: https://www.rfc-editor.org/rfc/rfc9110#name-connect
"""

import os
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial

import anyio
import anyio.to_thread
from anyio.abc import ByteReceiveStream, ByteStream, SocketAttribute, SocketStream
from msgspec import Struct

from ouroboros.browser.guard.peers import is_ours
from ouroboros.browser.guard.way import (
    PIECE_BYTES,
    ProxyFor,
    Upstream,
    reach,
    read_head,
    straight,
    tunnel,
    upstream,
)
from ouroboros.core.errors import OuroborosError

HEAD_SECONDS = 30.0
CONNECT_SECONDS = 30.0
MOST_CONNECTIONS = 512
MOST_PORT = 65_535

_UNREACHED = (
    OSError,
    TimeoutError,
    ValueError,
    OuroborosError,
    anyio.EndOfStream,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
)

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

    def __init__(self, port: int, proxy_for: ProxyFor = straight) -> None:
        """Everything is refused until ``admit`` is set; ``proxy_for`` is of the person's network."""
        self.port = port
        self._proxy_for = proxy_for
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

    async def serve(self, client: SocketStream) -> None:
        """One connection of the browser, until either side has ended it."""
        # A page chooses where to: whatever one connection dies of, the others and the run go on.
        with suppress(Exception):
            async with client:
                theirs = int(client.extra_attributes[SocketAttribute.remote_port]())
                if not await anyio.to_thread.run_sync(
                    partial(is_ours, theirs, self.port, user=os.getuid())
                ):
                    return
                with anyio.fail_after(HEAD_SECONDS):
                    head, rest = await read_head(client)
                await self._forward(client, head, rest)

    async def _forward(self, client: ByteStream, head: bytes, rest: bytes) -> None:
        line, _, fields = head.partition(b"\r\n")
        wish = _wish(line)
        if wish is None:
            await client.send(_answer(400, "not a request to a proxy"))
            return
        if wish.host.lower() in ERRANDS or not await self.admit(wish.origin):
            await client.send(_answer(403, "blocked by the guard"))
            return
        async with AsyncExitStack() as stack:
            try:
                with anyio.fail_after(CONNECT_SECONDS):
                    proxy = upstream(self._proxy_for, wish.origin, wish.host)
                    server = await stack.enter_async_context(
                        await reach(proxy, wish.host, wish.port)
                    )
                    early = b""
                    if wish.is_tunnel and proxy is not None:
                        early = await tunnel(server, proxy, wish.place)
            except _UNREACHED:
                if wish.is_tunnel:
                    await client.send(_answer(502, "cannot be reached"))
                return
            if wish.is_tunnel:
                await client.send(b"HTTP/1.1 200 Connection established\r\n\r\n" + early)
                if rest:
                    await server.send(rest)
                await _both_ways(client, server)
                return
            kept, length = _fields(fields)
            if length is None:
                await client.send(_answer(411, "a body of no known length"))
                return
            await server.send(wish.start(proxy) + kept + b"connection: close\r\n\r\n")
            await _one_exchange(client, server, rest, length)


class _Wish(Struct, frozen=True, kw_only=True):
    """What the browser asks a connection for; a tunnel has no ``method``."""

    host: str
    port: int
    method: bytes = b""
    path: bytes = b""
    version: bytes = b""

    @property
    def is_tunnel(self) -> bool:
        return not self.method

    @property
    def origin(self) -> str:
        return f"{'https' if self.is_tunnel else 'http'}://{self.host}:{self.port}"

    @property
    def place(self) -> bytes:
        return f"{self.host}:{self.port}".encode()

    def start(self, proxy: Upstream | None) -> bytes:
        """The first line of a plain request, and who asks where a proxy wants to know."""
        path = self.path if self.path.startswith(b"/") else b"/" + self.path
        if proxy is None:
            return b"%s %s %s\r\n" % (self.method, path, self.version)
        whole = b"http://" + self.place + path
        return b"%s %s %s\r\n%s" % (self.method, whole, self.version, proxy.asks)


def _wish(line: bytes) -> _Wish | None:
    tunnel_to = _CONNECT.fullmatch(line)
    plain = _PLAIN.fullmatch(line) if tunnel_to is None else None
    if tunnel_to is not None:
        wish = _Wish(host=_text(tunnel_to[1]), port=int(tunnel_to[2]))
    elif plain is not None:
        wish = _Wish(
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


async def _refuses(origin: str) -> bool:
    del origin
    return False


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


async def _both_ways(client: ByteStream, server: ByteStream) -> None:
    async with anyio.create_task_group() as tasks:

        async def pour(source: ByteReceiveStream, sink: ByteStream) -> None:
            try:
                while True:
                    await sink.send(await source.receive(PIECE_BYTES))
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                tasks.cancel_scope.cancel()

        tasks.start_soon(pour, client, server)
        tasks.start_soon(pour, server, client)


async def _one_exchange(client: ByteStream, server: ByteStream, begun: bytes, length: int) -> None:
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
async def gate(proxy_for: ProxyFor = straight) -> AsyncGenerator[Gate]:
    """A gate that is open on loopback for as long as the block runs.

    Args:
        proxy_for: Gives the address of the person's own proxy for an origin, or an empty string.
    """
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    made = Gate(int(listener.extra_attributes[SocketAttribute.local_port]()), proxy_for)
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
