"""HTTP through httpx2: for proxies, which the quick transport does not speak.

The library reads many files when it is first imported, so that is done in a thread.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

import ouroboros
from ouroboros.core.errors import Misuse, ModelFailed
from ouroboros.llm.transport.http import HttpRequest, first_bytes, split, unreachable
from ouroboros.llm.transport.reach import SYSTEM, Server, Tls, broken_off, refused, trusting

if TYPE_CHECKING:
    import httpx2

PROXY_ASKS = 407
"""The status of a proxy that wants to know who asks."""


class Response:
    """An answer on its way in."""

    def __init__(self, response: "httpx2.Response", server: Server, proxy: Server) -> None:
        """The head has arrived."""
        self._proxy = proxy
        self._response = response
        self._server = server
        self._headers = {name.lower(): value for name, value in response.headers.items()}

    @property
    def status(self) -> int:
        """The status code."""
        return self._response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, names in lower case."""
        return self._headers

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The body as it arrives."""
        import httpx2

        stream = aiter(self._response.aiter_raw())
        while True:
            try:
                chunk = await anext(stream, None)
            except (httpx2.TransportError, OSError) as error:  # TLS errors come as they are
                raise _failed(self._server, self._proxy, error) from error
            if chunk is None:
                return
            yield chunk

    async def read(self, limit: int = 1_048_576) -> bytes:
        """The rest of the body, or its first ``limit`` bytes."""
        return await first_bytes(self.chunks(), limit)


class Proxied:
    """A transport that sends everything through one proxy."""

    def __init__(self, proxy: str, *, tls: Tls = SYSTEM) -> None:
        """``proxy`` is an http or https address, with user and password if it wants them."""
        self._proxy = proxy
        self._server = _server(proxy)
        self._trust = tls
        self._client: httpx2.AsyncClient | None = None
        self._making = anyio.Lock()

    @asynccontextmanager
    async def send(self, request: HttpRequest) -> AsyncGenerator[Response]:
        """Sends, and waits for the head of the answer."""
        server = Server.of(split(request.url))
        client = await self._connected()
        import httpx2

        timeout = httpx2.Timeout(
            request.idle_timeout, connect=request.connect_timeout, pool=request.connect_timeout
        )
        headers = {
            "user-agent": f"ouroboros/{ouroboros.__version__}",
            "accept": "*/*",
            "accept-encoding": "identity",
            **request.headers,
        }
        sent = client.build_request(
            request.method, request.url, headers=headers, content=request.body, timeout=timeout
        )
        try:
            response = await client.send(sent, stream=True)
        except (httpx2.TransportError, OSError) as error:
            raise _failed(server, self._server, error) from error
        try:
            if response.status_code == PROXY_ASKS:
                raise _asked_who(self._server)
            yield Response(response, server, self._server)
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()

    async def warm(self, url: str) -> None:
        """Prepares the client; the proxy is first reached by a request."""
        split(url)
        with suppress(Misuse):
            await self._connected()

    async def close(self) -> None:
        """Closes every connection."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _connected(self) -> "httpx2.AsyncClient":
        async with self._making:
            if self._client is None:
                self._client = await to_thread.run_sync(self._made)
            return self._client

    def _made(self) -> "httpx2.AsyncClient":
        """Reads files: the system's certificates, and the library."""
        import httpx2

        # A proxy is a stranger to the client certificate that the server asks for.
        is_secure = self._server.scheme == "https"
        context = trusting(Tls(ca_file=self._trust.ca_file)) if is_secure else None
        return httpx2.AsyncClient(
            proxy=httpx2.Proxy(self._proxy, ssl_context=context),
            verify=trusting(self._trust),
            trust_env=False,
            follow_redirects=False,
        )


def _failed(server: Server, proxy: Server, error: "httpx2.TransportError | OSError") -> ModelFailed:
    import httpx2

    match error:
        case httpx2.ProxyError() if str(error).startswith(str(PROXY_ASKS)):
            return _asked_who(proxy)
        case httpx2.ProxyError():
            return unreachable(
                f"The proxy did not lead to {server.name}: {error}.",
                hint="Check HTTPS_PROXY, or name the host in NO_PROXY.",
            )
        case httpx2.ConnectTimeout():
            return unreachable(
                f"The proxy on the way to {server.name} did not accept a connection in time.",
                hint="Check HTTPS_PROXY and the network connection.",
                kind="timeout",
            )
        case httpx2.TimeoutException():
            return unreachable(f"{server.name} sent nothing for too long.", kind="timeout")
        case httpx2.ConnectError():
            return _unconnected(server, proxy, error)
        case _:
            return broken_off(server, error)


def _asked_who(proxy: Server) -> ModelFailed:
    return unreachable(
        f"The proxy {proxy.name} wants a user and a password, or others than it was given.",
        hint="Set HTTPS_PROXY to http://USER:PASSWORD@HOST:PORT, with % codes for special characters.",
        retryable=False,
    )


def _unconnected(server: Server, proxy: Server, error: "httpx2.ConnectError") -> ModelFailed:
    found = refused(server, error)
    if not found.failure.retryable and proxy.scheme == "https":  # it may be the proxy's fault
        said = f"On the way to {server.name} through {proxy.name}: {found.message}"
        return unreachable(said, hint=found.hint, retryable=False)
    if not found.failure.retryable:
        return found
    return unreachable(
        f"On the way to {server.name}: {refused(proxy, error).message}",
        hint="Is the proxy running? Check HTTPS_PROXY, or name the host in NO_PROXY.",
    )


def _server(proxy: str) -> Server:
    try:
        return Server.of(split(proxy))
    except Misuse:  # whose text holds the whole address, with its password
        scheme = proxy.partition("://")[0]
        raise Misuse(
            f"A proxy of the kind {scheme!r} cannot be used.",
            hint="HTTPS_PROXY takes an address such as http://proxy.example:3128.",
        ) from None
