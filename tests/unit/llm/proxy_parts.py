"""A real proxy on loopback."""

import ssl
from base64 import b64encode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import ByteStream, SocketAttribute
from anyio.streams.tls import TLSListener

ASKS = b"HTTP/1.1 407 Who asks\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n"


class Proxy:
    """Forwards plain requests and tunnels the others; notes both.

    With a ``person`` (``user:password``) it serves nobody else; names it looks up with ``leads_to``
    are all of that machine.
    """

    def __init__(self, person: str = "") -> None:
        self.lines: list[str] = []
        self.url = ""
        self.leads_to = ""
        self._proof = b64encode(person.encode()).decode() if person else ""

    async def handle(self, stream: ByteStream) -> None:
        head = b""
        async with stream:
            while b"\r\n\r\n" not in head:
                head += await stream.receive()
            line = head.split(b"\r\n", 1)[0].decode()
            self.lines.append(line)
            if self._proof and f"Basic {self._proof}".lower() not in head.decode().lower():
                await stream.send(ASKS)
                return
            method, target, _ = line.split(" ")
            if method == "CONNECT":
                host, _, port = target.rpartition(":")
            else:
                place, _, path = target.removeprefix("http://").partition("/")
                host, _, port = place.rpartition(":")
                head = head.replace(target.encode(), b"/" + path.encode(), 1)
            async with await anyio.connect_tcp(self.leads_to or host, int(port)) as far:
                if method == "CONNECT":
                    await stream.send(b"HTTP/1.1 200 Connected\r\n\r\n")
                else:
                    await far.send(head)
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(pump, far, stream, tasks.cancel_scope)
                    tasks.start_soon(pump, stream, far, tasks.cancel_scope)


async def pump(source: ByteStream, target: ByteStream, either: anyio.CancelScope) -> None:
    """Carries bytes until one side ends, which ends both directions."""
    try:
        while True:
            await target.send(await source.receive())
    except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
        either.cancel()


@asynccontextmanager
async def proxying(person: str = "", *, tls: ssl.SSLContext | None = None) -> AsyncGenerator[Proxy]:
    """A running proxy on 127.0.0.1; with ``tls`` it is spoken to in secret."""
    one = Proxy(person)
    plain = await anyio.create_tcp_listener(local_host="127.0.0.1")
    listener = TLSListener(plain, tls, standard_compatible=False) if tls else plain
    async with listener, anyio.create_task_group() as tasks:
        port = plain.extra_attributes[SocketAttribute.local_port]()
        one.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
        tasks.start_soon(listener.serve, one.handle)
        yield one
        tasks.cancel_scope.cancel()
