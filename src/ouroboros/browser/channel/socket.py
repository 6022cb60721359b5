"""Messages over a websocket: to the person's own browser, or to one on another machine."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.wire import MESSAGE_BYTES

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

HANDSHAKE_SECONDS = 45.0
"""A person may have to agree in their browser first."""

ALIVE_SECONDS = 20.0
"""How often a quiet browser is asked whether it is there, and how long it may take to say so."""


class Socket:
    """The channel over one websocket; made by ``socket`` only."""

    def __init__(self, connection: "ClientConnection") -> None:
        """``connection`` must be open."""
        self._connection = connection

    async def send(self, message: bytes) -> None:
        """Sends one message; raises ``ConnectionError`` when nobody listens."""
        from websockets.exceptions import ConnectionClosed

        try:
            await self._connection.send(message, text=True)
        except ConnectionClosed as closed:
            raise ConnectionError("the browser's socket was closed") from closed

    async def receive(self) -> bytes:
        """The next message; raises ``ConnectionError`` after the last."""
        from websockets.exceptions import ConnectionClosed

        try:
            return await self._connection.recv(decode=False)
        except ConnectionClosed as closed:
            reason = closed.rcvd.reason if closed.rcvd is not None else ""
            raise ConnectionError(f"the browser's socket was closed {reason}".strip()) from closed


@asynccontextmanager
async def socket(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    handshake_seconds: float = HANDSHAKE_SECONDS,
) -> AsyncGenerator[Socket]:
    """Opens a websocket to a browser; at the end of the block it is closed, the browser lives on.

    Args:
        url: ``ws://`` or ``wss://``; its path and query are never told, they may be a credential.
        headers: Sent with the handshake, such as a token.
        handshake_seconds: How long the browser, and the person at it, may take to agree.

    Raises:
        BrowserFailed: It cannot be reached, or refused.
    """
    from websockets.asyncio.client import connect
    from websockets.exceptions import InvalidHandshake, InvalidURI

    place = shown(url)
    try:
        connection = await connect(
            url,
            additional_headers=dict(headers or {}),
            compression=None,
            max_size=MESSAGE_BYTES,
            open_timeout=handshake_seconds,
            ping_interval=ALIVE_SECONDS,
            ping_timeout=ALIVE_SECONDS,
            proxy=None,
            user_agent_header=None,
        )
    except TimeoutError as late:
        raise BrowserFailed(
            f"{place} did not agree within {handshake_seconds:g} s",
            hint="the browser may be asking for permission: look at its window",
        ) from late
    except (OSError, InvalidHandshake, InvalidURI, ValueError) as failed:
        why = str(failed).replace(url, place)
        raise BrowserFailed(f"no browser answers at {place}: {why}") from failed
    async with connection:
        yield Socket(connection)


def shown(url: str) -> str:
    """An address as it may be told: without its credentials, path and query."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname
    try:
        port = parts.port
    except ValueError:
        port = None
    return f"{parts.scheme}://{host or '?'}{f':{port}' if port else ''}"
