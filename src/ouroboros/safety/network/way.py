"""How the gate reaches a place: straight, or through the proxy that the person's network wants.

Source: https://www.rfc-editor.org/rfc/rfc9110#name-connect
"""

import base64
import ipaddress
import ssl
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

import anyio
import anyio.to_thread
from anyio.abc import ByteReceiveStream, ByteStream
from msgspec import Struct

from ouroboros.core.errors import OuroborosError

HEAD_BYTES = 65_536
PIECE_BYTES = 65_536
HEAD_SECONDS = 30.0
CONNECT_SECONDS = 30.0

UNREACHED = (
    OSError,
    TimeoutError,
    ValueError,
    OuroborosError,
    anyio.EndOfStream,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
)
"""What making a way to a place may end in."""

type ProxyFor = Callable[[str], str]
"""From an address such as ``https://shop.example:443`` to that of its proxy; empty: reached straight."""


class Upstream(Struct, frozen=True, kw_only=True):
    """A proxy of the person's: ``login`` is what its ``Proxy-Authorization`` says, or empty."""

    host: str
    port: int
    is_secure: bool = False
    login: bytes = b""

    @property
    def asks(self) -> bytes:
        """The field that says who we are, with its end of line; empty where nobody asked for it."""
        return b"proxy-authorization: Basic " + self.login + b"\r\n" if self.login else b""


def straight(origin: str) -> str:
    """Nothing goes through a proxy."""
    del origin
    return ""


def upstream(proxy_for: ProxyFor, origin: str, name: str) -> Upstream | None:
    """The proxy for a place; None where it is reached straight, as this machine always is.

    Raises:
        ValueError: It is a kind of proxy that cannot be used.
    """
    found = "" if _is_here(name) else proxy_for(origin)
    if not found:
        return None
    parts = urlsplit(found)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("only http and https proxies can be used")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return Upstream(
        host=parts.hostname,
        port=parts.port or (443 if parts.scheme == "https" else 80),
        is_secure=parts.scheme == "https",
        login=base64.b64encode(f"{user}:{password}".encode()) if user or password else b"",
    )


async def reach(proxy: Upstream | None, name: str, port: int) -> ByteStream:
    """A connection to the place, or to its proxy; raises ``OSError`` or ``ValueError``."""
    if proxy is None:
        return await anyio.connect_tcp(_machine(name), port)
    if not proxy.is_secure:
        return await anyio.connect_tcp(proxy.host, proxy.port)
    trust = await anyio.to_thread.run_sync(ssl.create_default_context)
    return await anyio.connect_tcp(
        proxy.host, proxy.port, ssl_context=trust, tls_standard_compatible=False
    )


async def tunnel(stream: ByteStream, proxy: Upstream, place: bytes) -> bytes:
    """Has a proxy lead on to ``place``, such as ``b"shop.example:443"``; gives what was sent early.

    Raises:
        ConnectionError: It does not lead there, or wants to know who asks.
    """
    await stream.send(b"CONNECT %s HTTP/1.1\r\nhost: %s\r\n%s\r\n" % (place, place, proxy.asks))
    head, rest = await read_head(stream)
    words = head.split(b"\r\n", 1)[0].split(b" ", 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].startswith(b"2"):
        raise ConnectionError("the proxy does not lead there")
    return rest


async def read_head(stream: ByteReceiveStream) -> tuple[bytes, bytes]:
    """All up to the first empty line, and what came after it; an endless one ends the stream."""
    data = b""
    while b"\r\n\r\n" not in data:
        if len(data) > HEAD_BYTES:
            raise anyio.EndOfStream
        data += await stream.receive(PIECE_BYTES)
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def _plain(name: str) -> str:
    return name.strip("[]").rstrip(".").lower()


def _machine(name: str) -> str:
    """Names below ``localhost`` are this machine to a browser, whatever a name server says (RFC 6761)."""
    plain = _plain(name)
    return "127.0.0.1" if plain == "localhost" or plain.endswith(".localhost") else plain


def _is_here(name: str) -> bool:
    try:
        address = ipaddress.ip_address(_machine(name))
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
