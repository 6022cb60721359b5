"""HTTP/1.1 over anyio and h11: the quick way, with connections that are used again."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import SplitResult

import anyio
import h11
from anyio import to_thread
from anyio.abc import ByteStream

import ouroboros
from ouroboros.core.errors import ModelFailed, OuroborosError
from ouroboros.llm.reach import SYSTEM, Server, Tls, broken_off, refused, trusting
from ouroboros.llm.transport import HttpRequest, first_bytes, split, unreachable

if TYPE_CHECKING:
    from ssl import SSLContext

READ_BYTES = 65_536
HEAD_BYTES = 131_072
IDLE_CONNECTIONS = 8
"""Kept for later, for each server."""

WARM_SECONDS = 5.0
"""How long a connection that nobody waits for yet may take."""

DRAIN_SECONDS = 0.05
"""How long the last bytes of an answer may take before its connection is given up."""


class _Stale(Exception):
    """The server closed the connection and had not answered with a single byte."""


class _Connection:
    """A stream and the state of HTTP on it."""

    def __init__(self, server: Server, stream: ByteStream) -> None:
        self.server = server
        self.stream = stream
        self.state = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_BYTES)

    @property
    def is_reusable(self) -> bool:
        """Whether another request may follow."""
        return self.state.our_state is h11.DONE and self.state.their_state is h11.DONE

    async def receive(self, timeout_seconds: float) -> bytes:
        """The next bytes; empty at the end."""
        try:
            with anyio.fail_after(timeout_seconds):
                return await self.stream.receive(READ_BYTES)
        except anyio.EndOfStream:
            return b""
        except TimeoutError as error:
            raise unreachable(
                f"{self.server.name} sent nothing for {timeout_seconds:g} seconds.",
                kind="timeout",
            ) from error
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError) as error:
            raise broken_off(self.server, error) from error

    async def close(self) -> None:
        """Closes at once; safe to call while being cancelled."""
        with anyio.CancelScope(shield=True):
            await self.stream.aclose()


class Response:
    """An answer on its way in."""

    def __init__(self, connection: _Connection, head: h11.Response, idle_timeout: float) -> None:
        """The head has arrived; the body is read from the connection."""
        self._connection = connection
        self._idle_timeout = idle_timeout
        self._status = head.status_code
        self._headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers
        }

    @property
    def status(self) -> int:
        """The status code."""
        return self._status

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, names in lower case."""
        return self._headers

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The body as it arrives, one chunk for each read of the socket."""
        state = self._connection.state
        while True:
            pieces: list[bytes] = []
            broken: h11.RemoteProtocolError | None = None
            event: object = None
            try:
                while isinstance(event := state.next_event(), h11.Data):
                    pieces.append(event.data)
            except h11.RemoteProtocolError as error:
                broken = error
            if pieces:
                yield b"".join(pieces)
            if broken is not None:
                raise unreachable(
                    f"{self._connection.server.name} broke off its answer: {broken}."
                ) from broken
            if event is not h11.NEED_DATA:
                return
            state.receive_data(await self._connection.receive(self._idle_timeout))

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
        self._is_closed = False

    @asynccontextmanager
    async def send(self, request: HttpRequest) -> AsyncGenerator[Response]:
        """Sends, and waits for the head of the answer."""
        connection, head = await self._start(request)
        try:
            yield Response(connection, head, request.idle_timeout)
            if not connection.is_reusable:
                await _drain(connection)
        except BaseException:
            await connection.close()
            raise
        if connection.is_reusable:
            connection.state.start_next_cycle()
            await self._keep(connection)
        else:
            await connection.close()

    async def warm(self, url: str) -> None:
        """Connects ahead of the first request; failures wait for that request."""
        server = Server.of(split(url))
        if self._is_closed or self._idle.get(server) or server in self._warming:
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

    async def _start(self, request: HttpRequest) -> tuple[_Connection, h11.Response]:
        parts = split(request.url)
        server = Server.of(parts)
        if (warming := self._warming.get(server)) is not None:
            await warming.wait()
        idle = self._idle.get(server)
        if idle:
            connection = idle.pop()
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
                hint="Check that the base URL leads to a model server.",
            ) from stale

    async def _connect(self, server: Server, timeout_seconds: float) -> _Connection:
        context = await self._tls() if server.scheme == "https" else None
        try:
            with anyio.fail_after(timeout_seconds):
                if context is None:
                    stream: ByteStream = await anyio.connect_tcp(server.host, server.port)
                else:
                    stream = await anyio.connect_tcp(
                        server.host,
                        server.port,
                        ssl_context=context,
                        tls_standard_compatible=False,
                    )
        except TimeoutError as error:
            raise unreachable(
                f"{server.name} did not accept a connection within {timeout_seconds:g} seconds.",
                hint="Check the network connection and the base URL.",
                kind="timeout",
            ) from error
        except (OSError, anyio.BrokenResourceError, anyio.EndOfStream) as error:
            raise refused(server, error) from error
        return _Connection(server, stream)

    async def _tls(self) -> "SSLContext":
        if self._context is None:
            self._context = await to_thread.run_sync(trusting, self._trust)
        return self._context

    async def _ask(
        self, connection: _Connection, request: HttpRequest, parts: SplitResult
    ) -> h11.Response:
        try:
            await _write(connection, request, parts)
            return await _head(connection, request.idle_timeout)
        except BaseException:
            await connection.close()
            raise

    async def _keep(self, connection: _Connection) -> None:
        idle = self._idle.setdefault(connection.server, [])
        if self._is_closed or len(idle) >= IDLE_CONNECTIONS:
            await connection.close()
        else:
            idle.append(connection)


async def _write(connection: _Connection, request: HttpRequest, parts: SplitResult) -> None:
    """Sends the request, or as much of it as the server wants before it answers."""
    state = connection.state
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {
        "host": connection.server.name.partition("://")[2],
        "user-agent": f"ouroboros/{ouroboros.__version__}",
        "accept": "*/*",
        "accept-encoding": "identity",
        "content-length": str(len(request.body)),
        **request.headers,
    }
    head = h11.Request(method=request.method, target=target, headers=list(headers.items()))
    out = state.send(head)
    if request.body:
        out += state.send(h11.Data(data=request.body))
    out += state.send(h11.EndOfMessage())
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


async def _head(connection: _Connection, idle_timeout: float) -> h11.Response:
    """Waits for the head of the answer, which may also come before all was sent."""
    state = connection.state
    heard = False
    while True:
        try:
            event = state.next_event()
        except h11.RemoteProtocolError as error:
            raise unreachable(
                f"{connection.server.name} does not answer in HTTP: {error}.",
                hint="Check that the base URL leads to a model server.",
                retryable=False,
            ) from error
        if isinstance(event, h11.Response):
            return event
        if event is h11.NEED_DATA:
            try:
                content = await connection.receive(idle_timeout)
            except ModelFailed as error:
                if heard or error.failure.kind == "timeout" or not error.failure.retryable:
                    raise
                raise _Stale from error
            if not content and not heard:
                raise _Stale
            heard = True
            state.receive_data(content)


async def _drain(connection: _Connection) -> None:
    """Takes in the end of an answer whose content is already complete."""
    state = connection.state
    with anyio.move_on_after(DRAIN_SECONDS):
        try:
            while state.their_state is h11.SEND_BODY:
                if state.next_event() is h11.NEED_DATA:
                    state.receive_data(await connection.receive(DRAIN_SECONDS))
        except (h11.RemoteProtocolError, ModelFailed):
            return
