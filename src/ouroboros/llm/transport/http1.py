"""HTTP/1.1, the quick way, with connections that are used again."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import SplitResult

import anyio
from anyio import to_thread

import ouroboros
from ouroboros.core.errors import Misuse, ModelFailed, OuroborosError
from ouroboros.llm.transport.answer import Answer, Head, Malformed, Unfinished
from ouroboros.llm.transport.http import HttpRequest, Silent, first_bytes, split, unreachable
from ouroboros.llm.transport.reach import SYSTEM, Server, Tls, broken_off, refused, trusting

if TYPE_CHECKING:
    from ssl import SSLContext

    from anyio.abc import ByteStream

    from ouroboros.llm.transport.channel import Channel

READ_BYTES = 65_536
IDLE_CONNECTIONS = 8
"""Kept for later, for each server."""

WARM_SECONDS = 5.0
"""How long a connection that nobody waits for yet may take."""

DRAIN_SECONDS = 0.05
"""How long the last bytes of an answer may take before its connection is given up."""


_BROKEN = (Silent, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)


class _Stale(Exception):
    """The server closed the connection and had not answered with a single byte."""


class _Connection:
    """A stream and the answer on it."""

    def __init__(self, server: Server, channel: "Channel", stream: "ByteStream") -> None:
        self.server = server
        self.answer = Answer()
        self.channel = channel
        self.stream = stream

    @property
    def is_usable(self) -> bool:
        """Whether it stands, and the server has said nothing unasked, such as that it closes.

        Under TLS something unread may be the connection's own matter.
        """
        is_quiet = self.stream is not self.channel or not self.channel.has_more
        return is_quiet and not self.channel.is_over

    async def receive(self, timeout_seconds: float) -> bytes:
        """The next bytes; empty at the end."""
        self.channel.patience = timeout_seconds
        try:
            return await self.stream.receive(READ_BYTES)
        except anyio.EndOfStream:
            return b""
        except _BROKEN as error:
            raise self.failure(error) from error

    def failure(self, error: Exception) -> ModelFailed:
        """Why no more bytes come."""
        if not isinstance(error, Silent):
            return broken_off(self.server, error)
        seconds = f"{self.channel.patience:g} seconds"
        return unreachable(f"{self.server.name} sent nothing for {seconds}.", kind="timeout")

    async def close(self) -> None:
        """Closes at once; safe to call while being cancelled."""
        with anyio.CancelScope(shield=True):
            await self.stream.aclose()


class Response:
    """An answer on its way in."""

    def __init__(self, connection: _Connection, head: Head, idle_timeout: float) -> None:
        """The head has arrived; the body is read from the connection."""
        self._connection = connection
        self._idle_timeout = idle_timeout
        self._head = head

    @property
    def status(self) -> int:
        """The status code."""
        return self._head.status

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, names in lower case."""
        return self._head.headers

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The body as it arrives, one chunk for each read of the socket."""
        connection, answer = self._connection, self._connection.answer
        stream = connection.stream
        connection.channel.patience = self._idle_timeout
        try:
            if content := answer.take():
                yield content
            while not answer.is_complete:
                try:
                    content = await stream.receive(READ_BYTES)
                except anyio.EndOfStream:
                    content = b""
                if content := answer.take(content):
                    yield content
        except Malformed as error:
            raise unreachable(f"{connection.server.name} broke off its answer: {error}.") from error
        except _BROKEN as error:
            raise connection.failure(error) from error

    async def read(self, limit: int = 1_048_576) -> bytes:
        """The rest of the body, or its first ``limit`` bytes."""
        return await first_bytes(self.chunks(), limit)


class Http1:
    """A transport that keeps connections open between requests."""

    def __init__(self, *, tls: Tls = SYSTEM) -> None:
        """Reads no certificate before the first connection with TLS."""
        self._trust = tls
        self._context: SSLContext | None = None
        self._idle: dict[Server, list[_Connection]] = {}
        self._warming: dict[Server, anyio.Event] = {}
        self._asked: set[Server] = set()
        self._is_closed = False

    @asynccontextmanager
    async def send(self, request: HttpRequest) -> AsyncGenerator[Response]:
        """Sends, and waits for the head of the answer."""
        connection, head = await self._start(request)
        try:
            yield Response(connection, head, request.idle_timeout)
            if not connection.answer.is_complete:
                await _drain(connection)
        except BaseException:
            await connection.close()
            raise
        if connection.answer.is_reusable:
            connection.answer = Answer()
            await self._keep(connection)
        else:
            await connection.close()

    async def warm(self, url: str) -> None:
        """Connects ahead of the first request, unless that was quicker; failures wait for it."""
        server = Server.of(split(url))
        if self._is_closed or server in self._asked or server in self._warming:
            return
        if self._idle.get(server):
            return
        done = self._warming[server] = anyio.Event()
        try:
            await self._keep(await self._connect(server, WARM_SECONDS))
        except OuroborosError:
            return
        finally:
            del self._warming[server]
            done.set()

    async def close(self) -> None:
        """Closes every idle connection, and the others when their answers end."""
        self._is_closed = True
        idle, self._idle = self._idle, {}
        for connections in idle.values():
            for connection in connections:
                await connection.close()

    async def _start(self, request: HttpRequest) -> tuple[_Connection, Head]:
        parts = split(request.url)
        server = Server.of(parts)
        self._asked.add(server)
        if (warming := self._warming.get(server)) is not None:
            await warming.wait()
        if (connection := await self._kept(server)) is not None:
            try:
                return connection, await self._ask(connection, request, parts)
            except _Stale:
                pass
        connection = await self._connect(server, request.connect_timeout)
        try:
            return connection, await self._ask(connection, request, parts)
        except _Stale as stale:
            raise unreachable(
                f"{server.name} closed the connection without an answer.",
                hint=_stale_hint(server, self._trust),
            ) from stale

    async def _connect(self, server: Server, timeout_seconds: float) -> _Connection:
        # Late, because the event loop's own parts cost start-up time.
        from ouroboros.llm.transport.channel import connect

        context = await self._tls() if server.scheme == "https" else None
        try:
            with anyio.fail_after(timeout_seconds):
                channel = await connect(server.host, server.port)
                stream = await _secured(channel, server.host, context) if context else channel
        except TimeoutError as error:
            raise unreachable(
                f"{server.name} did not accept a connection within {timeout_seconds:g} seconds.",
                hint="Check the network connection and the base URL.",
                kind="timeout",
            ) from error
        except (OSError, anyio.BrokenResourceError, anyio.EndOfStream) as error:
            raise refused(server, error) from error
        return _Connection(server, channel, stream)

    async def _tls(self) -> "SSLContext":
        if self._context is None:
            self._context = await to_thread.run_sync(trusting, self._trust)
        return self._context

    async def _ask(self, connection: _Connection, request: HttpRequest, parts: SplitResult) -> Head:
        try:
            await _write(connection, request, parts)
            return await _head(connection, request.idle_timeout)
        except BaseException:
            await connection.close()
            raise

    async def _kept(self, server: Server) -> _Connection | None:
        """The connection that was used last, of those that can be used again."""
        idle = self._idle.get(server, [])
        while idle:
            connection = idle.pop()
            if connection.is_usable:
                return connection
            await connection.close()
        return None

    async def _keep(self, connection: _Connection) -> None:
        idle = self._idle.setdefault(connection.server, [])
        if self._is_closed or len(idle) >= IDLE_CONNECTIONS:
            await connection.close()
        else:
            idle.append(connection)


async def _secured(channel: "Channel", host: str, context: "SSLContext") -> "ByteStream":
    from anyio.streams.tls import TLSStream

    try:
        return await TLSStream.wrap(
            channel,
            server_side=False,
            hostname=host,
            ssl_context=context,
            standard_compatible=False,
        )
    except BaseException:
        await anyio.aclose_forcefully(channel)
        raise


async def _write(connection: _Connection, request: HttpRequest, parts: SplitResult) -> None:
    """Sends the request, or as much of it as the server wants before it answers."""
    out = _request_head(connection.server, request, parts) + request.body
    try:
        for start in range(0, len(out), READ_BYTES * 4):
            with anyio.fail_after(request.idle_timeout):
                await connection.stream.send(out[start : start + READ_BYTES * 4])
    except TimeoutError as error:
        raise unreachable(
            f"{connection.server.name} took in nothing for {request.idle_timeout:g} seconds.",
            kind="timeout",
        ) from error
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        return


def _request_head(server: Server, request: HttpRequest, parts: SplitResult) -> bytes:
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {
        "host": server.name.partition("://")[2],
        "user-agent": f"ouroboros/{ouroboros.__version__}",
        "accept": "*/*",
        "accept-encoding": "identity",
        "content-length": str(len(request.body)),
        **request.headers,
    }
    lines = [f"{request.method} {target} HTTP/1.1"]
    for name, value in headers.items():
        if not (name + value).isascii() or any(one in name + value for one in "\r\n\0"):
            raise Misuse(
                f"The header {name!r} holds characters that no header may hold.",
                hint="Check the key and the headers of the provider for stray characters.",
            )
        lines.append(f"{name}: {value}")
    return "\r\n".join([*lines, "", ""]).encode("ascii")


async def _head(connection: _Connection, idle_timeout: float) -> Head:
    """Waits for the head of the answer, which may also come before all was sent."""
    heard = False
    while True:
        try:
            content = await connection.receive(idle_timeout)
        except ModelFailed as error:
            if heard or error.failure.kind == "timeout" or not error.failure.retryable:
                raise
            raise _Stale from error
        if not content and not heard:
            raise _Stale
        heard = True
        try:
            head = connection.answer.begin(content)
        except Unfinished as error:
            raise unreachable(f"{connection.server.name} broke off its answer: {error}.") from error
        except Malformed as error:
            raise unreachable(
                f"{connection.server.name} does not answer in HTTP: {error}.",
                hint="Check that the base URL leads to a model server.",
                retryable=False,
            ) from error
        if head is not None:
            return head


def _stale_hint(server: Server, trust: Tls) -> str:
    if server.scheme == "https" and not trust.client_cert:
        return "Check the base URL, and whether the server wants a client certificate (network.client_cert)."
    return "Check that the base URL leads to a model server."


async def _drain(connection: _Connection) -> None:
    """Takes in the end of an answer whose content is already complete."""
    answer = connection.answer
    with anyio.move_on_after(DRAIN_SECONDS):
        try:
            answer.take()
            while not answer.is_complete:
                answer.take(await connection.receive(DRAIN_SECONDS))
        except (Malformed, ModelFailed):
            return
