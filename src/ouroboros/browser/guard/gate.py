"""A proxy on loopback that a browser of ours goes out through: nothing that has an address passes it unasked.

The browser's own interception misses web sockets, speculative connections and some frames; they all need
a connection, and every connection comes through here. Names are looked up here too, or by the person's
own proxy, and only for places that may be reached. Source: https://www.rfc-editor.org/rfc/rfc9110#name-connect
"""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial

import anyio
import anyio.to_thread
from anyio.abc import ByteStream, SocketAttribute, SocketStream

from ouroboros.safety.network.exchange import answer, both_ways, one_exchange, passed_on, wish_of
from ouroboros.safety.network.peers import is_ours
from ouroboros.safety.network.way import (
    CONNECT_SECONDS,
    HEAD_SECONDS,
    UNREACHED,
    ProxyFor,
    reach,
    read_head,
    straight,
    tunnel,
    upstream,
)

MOST_CONNECTIONS = 512

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
        wish = wish_of(line)
        if wish is None:
            await client.send(answer(400, "not a request to a proxy"))
            return
        if wish.host.lower() in ERRANDS or not await self.admit(wish.origin):
            await client.send(answer(403, "blocked by the guard"))
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
            except UNREACHED:
                if wish.is_tunnel:
                    await client.send(answer(502, "cannot be reached"))
                return
            if wish.is_tunnel:
                await client.send(b"HTTP/1.1 200 Connection established\r\n\r\n" + early)
                if rest:
                    await server.send(rest)
                await both_ways(client, server)
                return
            kept, length = passed_on(fields)
            if length is None:
                await client.send(answer(411, "a body of no known length"))
                return
            await server.send(wish.start(proxy) + kept + b"connection: close\r\n\r\n")
            await one_exchange(client, server, rest, length)


async def _refuses(origin: str) -> bool:
    del origin
    return False


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
        # First the client: whoever is told to end while it waits for a slot closes it as well.
        async with client, slots:
            await made.serve(client)

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, serve)
            yield made
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await listener.aclose()
