"""Servers on loopback to talk to, and a proxy in front of them."""

import socket
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager, suppress

import anyio

from ouroboros.core.events.network import NetworkContacted
from ouroboros.safety.network import HostRules
from ouroboros.safety.network.doorman import Ask, Doorman, Ruled, Traffic
from ouroboros.safety.network.proxy import Managed, managed
from ouroboros.safety.network.way import ProxyFor, straight


@contextmanager
def listening(answer: Callable[[socket.socket], None], host: str = "127.0.0.1") -> Generator[int]:
    """A server that hands each connection to ``answer``, in a thread of its own."""
    listener = socket.create_server((host, 0))

    def run() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(client,), daemon=True).start()

    accepting = threading.Thread(target=run, daemon=True)
    accepting.start()
    try:
        yield listener.getsockname()[1]
    finally:
        # Closed under a thread that is about to accept, its number would be that of the next listener.
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join()
        listener.close()


@contextmanager
def serving(reply: Callable[[bytes], bytes], host: str = "127.0.0.1") -> Generator[int]:
    """A server that answers each request on a connection of its own."""

    def answer(client: socket.socket) -> None:
        with client:
            said = b""
            while b"\r\n\r\n" not in said:
                piece = client.recv(65_536)
                if not piece:
                    return
                said += piece
            client.sendall(reply(said))

    with listening(answer, host) as port:
        yield port


def page(body: bytes, *fields: str, status: str = "200 OK") -> bytes:
    """A whole answer."""
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", "connection: close", *fields]
    return "\r\n".join([*lines, "", ""]).encode() + body


@asynccontextmanager
async def proxy(
    allow: Iterable[str] | None = None,
    deny: Iterable[str] = (),
    *,
    ask: Ask | None = None,
    traffic: Traffic = "full",
    patience: float = float("inf"),
    proxy_for: ProxyFor = straight,
    ruled: Ruled = lambda host, protocol: None,
) -> AsyncGenerator[tuple[Managed, list[NetworkContacted]]]:
    """A managed proxy, and what it put on record."""
    seen: list[NetworkContacted] = []
    async with anyio.create_task_group() as tasks:
        rules = HostRules.of(allow, deny)
        doorman = Doorman(
            rules, tasks=tasks, ask=ask, traffic=traffic, patience=patience, ruled=ruled
        )
        async with managed(doorman, seen.append, proxy_for=proxy_for) as made:
            yield made, seen
        tasks.cancel_scope.cancel()


async def say(port: int, *words: bytes) -> bytes:
    """Says this to a port of loopback, and gives all that comes back until it is closed."""
    said = b""
    with anyio.fail_after(60):
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            for word in words:
                await stream.send(word)
            try:
                async for piece in stream:
                    said += piece
            except anyio.BrokenResourceError:
                pass
    return said
