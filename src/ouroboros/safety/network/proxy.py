"""The managed proxy: the only way to the network for a command in a cage.

It speaks HTTP (requests and ``CONNECT``) and SOCKS5, on loopback of this machine and on that of the namespaces
that hand it a listener. Every contact is decided by a ``Doorman``, connected to at an address that was judged, and put on record.
Sources: https://www.rfc-editor.org/rfc/rfc9110#name-connect, https://www.rfc-editor.org/rfc/rfc1928
"""

import os
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

import anyio
import anyio.to_thread
from anyio.abc import ByteStream, SocketAttribute, SocketListener, SocketStream, TaskGroup
from anyio.streams.buffered import BufferedByteReceiveStream
from msgspec import Struct, structs

from ouroboros.core.events.network import NetworkContacted
from ouroboros.safety.network.addresses import read
from ouroboros.safety.network.calls import Calls
from ouroboros.safety.network.dial import Refused, dial, look_of
from ouroboros.safety.network.doorman import Contact, Doorman, Error, Ruling
from ouroboros.safety.network.exchange import (
    Tally,
    answer,
    both_ways,
    one_exchange,
    passed_on,
    wish_of,
)
from ouroboros.safety.network.hello import Greeted
from ouroboros.safety.network.peers import is_ours
from ouroboros.safety.network.socks import SOCKS, SocksReply, socks_reply, socks_wish
from ouroboros.safety.network.spelling import read_place
from ouroboros.safety.network.way import (
    CONNECT_SECONDS,
    HEAD_BYTES,
    HEAD_SECONDS,
    UNREACHED,
    ProxyFor,
    Upstream,
    reach,
    straight,
    tunnel,
    upstream,
)

MOST_CONNECTIONS = 256

HAND_OVER_SECONDS = 30.0
"""How long a command may take before it has made its way out."""


class _Way(Struct, frozen=True, kw_only=True):
    """How a server was reached.

    Attributes:
        address: The one that was connected to; empty behind another proxy.
        proxy: The person's own, where plain requests are to be said to it.
        early: What the server said while the way was made.
    """

    stream: ByteStream
    ruling: Ruling
    address: str = ""
    proxy: Upstream | None = None
    early: bytes = b""


class _NoWay(Struct, frozen=True, kw_only=True):
    """Why a server was not reached; ``error`` is empty when it might have been."""

    reason: str
    error: Error = ""


class Managed:
    """A running proxy; made by ``managed`` only.

    Attributes:
        port: On loopback, for programs of this user.
        calls: Which calls are running, and which of them wanted what they may not.
    """

    def __init__(
        self,
        doorman: Doorman,
        record: Callable[[NetworkContacted], None],
        *,
        port: int,
        tasks: TaskGroup,
        proxy_for: ProxyFor = straight,
    ) -> None:
        """``proxy_for`` is of the person's own network; ``tasks`` ends with the proxy."""
        self.port = port
        self._tasks = tasks
        self._slots = anyio.Semaphore(MOST_CONNECTIONS)
        self.doorman = doorman
        self.calls = Calls()
        doorman.on_denied, doorman.known = self.calls.blame, self.calls.known
        self.calls.on_ended = doorman.forget
        self._record = record
        self._proxy_for = proxy_for

    def outlet(self, call_id: str) -> Callable[[], int]:
        """Opens what one command of this call hands a listener out through; see ``inside.Routed``.

        What it gives is the caller's, who calls it once, in any thread.
        """
        ours, theirs = socket.socketpair()
        ours.settimeout(0)
        descriptor = theirs.detach()
        self._tasks.start_soon(self._led_out, ours, call_id)
        return lambda: descriptor

    async def local(self, client: SocketStream) -> None:
        """One connection on this machine's loopback."""
        # First the client: whoever is told to end while it waits for a slot closes it as well.
        async with client, self._slots:
            theirs = int(client.extra_attributes[SocketAttribute.remote_port]())
            if await self._is_ours(theirs):
                await self._serve(client, self.calls.only)

    async def _led_out(self, ours: socket.socket, call_id: str) -> None:
        """Serves the namespace of one command, as long as that lives."""
        with suppress(OSError):
            with ours, anyio.fail_after(HAND_OVER_SECONDS):
                await anyio.wait_readable(ours)
                _, handed, _, _ = socket.recv_fds(ours, 1, 1)
            if not handed:
                return
            listener = await SocketListener.from_socket(handed[0])

            async def serve(client: SocketStream) -> None:
                async with client, self._slots:
                    await self._serve(client, self.calls.known(call_id))

            async with listener:
                await listener.serve(serve)

    async def _serve(self, client: ByteStream, call_id: str) -> None:
        """One connection, until either side has ended it."""
        # A command chooses what it says: whatever one connection dies of, the others go on.
        with suppress(Exception):
            async with client:
                reader = BufferedByteReceiveStream(client)
                with anyio.fail_after(HEAD_SECONDS):
                    first = await reader.receive_exactly(1)
                if first == SOCKS:
                    await self._socks(client, reader, call_id)
                elif first.isalpha():
                    await self._http(client, reader, first, call_id)

    async def _is_ours(self, theirs: int) -> bool:
        return await anyio.to_thread.run_sync(partial(is_ours, theirs, self.port, user=os.getuid()))

    async def _http(
        self, client: ByteStream, reader: BufferedByteReceiveStream, first: bytes, call_id: str
    ) -> None:
        with anyio.fail_after(HEAD_SECONDS):
            head = first + await reader.receive_until(b"\r\n\r\n", HEAD_BYTES)
        line, _, fields = head.partition(b"\r\n")
        wish = wish_of(line)
        place = read_place(f"{wish.origin}/") if wish is not None else ""
        if wish is None or isinstance(place, str):
            await client.send(answer(400, "not a request to a proxy", body=str(place)))
            return
        kept, length = passed_on(fields)
        if length is None and not wish.is_tunnel:
            await client.send(answer(411, "a body of no known length"))
            return
        contact = Contact(
            host=place.host,
            port=place.port,
            protocol="https" if wish.is_tunnel else "http",
            method=wish.method.decode(),
            call_id=call_id,
        )
        way = await self._open(contact)
        if isinstance(way, _NoWay):
            body = f"{way.reason}\n"
            status, words = (403, "blocked") if way.error else (502, "cannot be reached")
            await client.send(answer(status, words, error=way.error, body=body))
            return
        async with self._talking(contact, way) as tally:
            if wish.is_tunnel:
                await client.send(b"HTTP/1.1 200 Connection established\r\n\r\n" + way.early)
                await self._tunnelled(client, way, reader.buffer, tally, contact)
                return
            start = structs.replace(wish, host=contact.host, port=contact.port).start(way.proxy)
            await way.stream.send(start + _own_host(kept, contact) + b"connection: close\r\n\r\n")
            await one_exchange(client, way.stream, reader.buffer, length or 0, tally)

    async def _socks(
        self, client: ByteStream, reader: BufferedByteReceiveStream, call_id: str
    ) -> None:
        with anyio.fail_after(HEAD_SECONDS):
            wish = await socks_wish(client, reader)
        if wish is None:
            return
        host = f"[{wish.host}]" if ":" in wish.host else wish.host
        place = read_place(f"https://{host}:{wish.port}/")
        if isinstance(place, str):
            await client.send(socks_reply(SocksReply.REFUSED))
            return
        contact = Contact(host=place.host, port=place.port, protocol="socks5", call_id=call_id)
        way = await self._open(contact)
        if isinstance(way, _NoWay):
            reply = SocksReply.REFUSED if way.error else SocksReply.UNREACHED
            await client.send(socks_reply(reply))
            return
        async with self._talking(contact, way) as tally:
            await client.send(socks_reply(SocksReply.DONE) + way.early)
            await self._tunnelled(client, way, reader.buffer, tally, contact)

    async def _open(self, contact: Contact) -> _Way | _NoWay:
        """Decides and connects; what comes of a refusal is on record then."""
        ruling = await self.doorman.rule(contact)
        if not ruling.allowed:
            return self._refuse(contact, ruling)
        try:
            with anyio.fail_after(CONNECT_SECONDS):
                return await self._reach(contact, ruling)
        except Refused as refused:
            ruling = Ruling(
                allowed=False, by="local", reason=refused.message, error="blocked-by-policy"
            )
            self.doorman.note(contact, ruling)
            return self._refuse(contact, ruling)
        except UNREACHED as error:
            reason = f"{contact.place} cannot be reached: {error or type(error).__name__}"
            self._record(_event(contact, ruling, reason=reason))
            return _NoWay(reason=reason)

    async def _reach(self, contact: Contact, ruling: Ruling) -> _Way:
        """The server at a judged address, or the person's own proxy, which looks names up itself."""
        host = f"[{contact.host}]" if ":" in contact.host else contact.host
        scheme = "http" if contact.protocol == "http" else "https"
        proxy = upstream(self._proxy_for, f"{scheme}://{host}:{contact.port}", contact.host)
        if proxy is None:
            look = look_of(self.doorman.reachable(contact), contact.host, contact.port)
            found = await dial(contact.host, contact.port, look)
            return _Way(stream=found.stream, ruling=ruling, address=found.address)
        stream = await reach(proxy, contact.host, contact.port)
        if contact.protocol == "http":
            return _Way(stream=stream, ruling=ruling, proxy=proxy)
        try:
            early = await tunnel(stream, proxy, f"{host}:{contact.port}".encode())
        except BaseException:
            await anyio.aclose_forcefully(stream)
            raise
        return _Way(stream=stream, ruling=ruling, early=early)

    @asynccontextmanager
    async def _talking(self, contact: Contact, way: _Way) -> AsyncGenerator[Tally]:
        tally = Tally()
        try:
            async with way.stream:
                yield tally
        finally:
            ruling = way.ruling
            if tally.refused:
                ruling = Ruling(allowed=False, by="policy", reason=tally.refused)
                self.calls.blame(contact.call_id, tally.refused)
            self._record(
                _event(contact, ruling, reason=ruling.reason, address=way.address, tally=tally)
            )

    async def _tunnelled(
        self, client: ByteStream, way: _Way, begun: bytes, tally: Tally, contact: Contact
    ) -> None:
        """Carries bytes to and fro; a server that TLS names in there must be let through as well."""

        async def refuses(name: str) -> str:
            if name == contact.host or read(contact.host) is not None:
                return ""
            ruling = await self.doorman.rule(structs.replace(contact, host=name))
            if ruling.allowed:
                return ""
            return (
                f"within the connection to {contact.place} {name} is spoken to, and {ruling.reason}"
            )

        greeted = Greeted(client, begun, refuses)
        await both_ways(greeted, way.stream, tally)
        tally.refused = greeted.reason

    def _refuse(self, contact: Contact, ruling: Ruling) -> _NoWay:
        if not ruling.waits:
            self.calls.blame(contact.call_id, ruling.reason)
        self._record(_event(contact, ruling, reason=ruling.reason))
        return _NoWay(reason=ruling.reason, error=ruling.error or "blocked-by-policy")


@asynccontextmanager
async def managed(
    doorman: Doorman, record: Callable[[NetworkContacted], None], *, proxy_for: ProxyFor = straight
) -> AsyncGenerator[Managed]:
    """A proxy that is open for as long as the block runs.

    Args:
        doorman: Who decides.
        record: Takes each contact at once.
        proxy_for: Gives the address of the person's own proxy for an origin, or an empty string.
    """
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    port = int(listener.extra_attributes[SocketAttribute.local_port]())
    async with listener, anyio.create_task_group() as tasks:
        made = Managed(doorman, record, port=port, tasks=tasks, proxy_for=proxy_for)
        tasks.start_soon(listener.serve, made.local)
        yield made
        tasks.cancel_scope.cancel()


def _own_host(fields: bytes, contact: Contact) -> bytes:
    """The header with the host that was decided about, whatever else it said."""
    lines = [line for line in fields.split(b"\r\n") if line]
    kept = [line for line in lines if line.partition(b":")[0].strip().lower() != b"host"]
    return b"".join(line + b"\r\n" for line in [b"host: " + contact.place.encode(), *kept])


def _event(
    contact: Contact,
    ruling: Ruling,
    *,
    reason: str = "",
    address: str = "",
    tally: Tally | None = None,
) -> NetworkContacted:
    return NetworkContacted(
        host=contact.host,
        port=contact.port,
        protocol=contact.protocol,
        decision="allowed" if ruling.allowed else "denied",
        by=ruling.by,
        address=address,
        reason=reason,
        call_id=contact.call_id,
        sent=tally.sent if tally else 0,
        received=tally.received if tally else 0,
    )
