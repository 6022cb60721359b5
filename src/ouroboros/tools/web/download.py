"""One page from the web: each hop judged, connected to at the address that was judged, and bounded.

No cookies, no logins, nothing but GET; a page that wants more is for the browser.
"""

import zlib
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from anyio.abc import ByteStream
from msgspec import Struct

import ouroboros
from ouroboros.core.errors import Misuse, ToolFailed
from ouroboros.llm.transport.answer import Answer, Head, Malformed
from ouroboros.llm.transport.reach import SYSTEM, Tls, trusting
from ouroboros.safety.network.dial import Refused, dial, look_of
from ouroboros.safety.network.hosts import HostRules
from ouroboros.safety.network.urls import MOST_HOPS, judge_by, next_address
from ouroboros.safety.network.way import ProxyFor, Upstream, reach, straight, tunnel, upstream
from ouroboros.safety.origins import Address, address
from ouroboros.tools.routing import NO_OTHER_PLACE

if TYPE_CHECKING:
    from ssl import SSLContext

HOP_SECONDS = 30.0
READ_BYTES = 65_536
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CODINGS = frozenset({"gzip", "x-gzip", "deflate"})
_ANY_HEADER = 47


class Page(Struct, frozen=True, kw_only=True):
    """What a server gave.

    Attributes:
        url: Where it came from in the end.
        headers: Names in lower case.
        body: Unpacked, at most as much as was wanted.
        is_cut: There was more.
        hops: Where it was led on to, the last one being ``url``.
        address: What was connected to last; empty behind another proxy.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    is_cut: bool = False
    hops: tuple[str, ...] = ()
    address: str = ""


class Reach(Struct, frozen=True, kw_only=True):
    """What of the network may be reached, and how.

    Attributes:
        rules: Hosts that the person listed.
        tls: Whom to trust.
        proxy_for: The person's own proxy for an origin, or nothing.
    """

    rules: HostRules = HostRules()
    tls: Tls = SYSTEM
    proxy_for: ProxyFor = straight


type AdmitHop = Callable[[str], Awaitable[None]]
"""Asks about a place that the page leads on to; raises ``Denied``."""


async def download(url: str, *, reached: Reach, admit: AdmitHop, max_bytes: int) -> Page:
    """Gets a page, following where it leads.

    Args:
        url: An http or https address, which was asked about.
        reached: What may be reached.
        admit: Asked before each hop that leads to another origin.
        max_bytes: Of the body, unpacked; the rest is left.

    Raises:
        Denied: A hop is not to be reached, or somebody said no to it.
        ToolFailed: It cannot be reached, or does not answer as the web does.
    """
    hops: list[str] = []
    here = url
    while True:
        check(here, reached.rules)
        page = await _hop(here, reached, max_bytes)
        there = page.headers.get("location", "")
        if page.status not in _REDIRECTS or not there:
            return Page(
                url=here,
                status=page.status,
                headers=page.headers,
                body=page.body,
                is_cut=page.is_cut,
                hops=tuple(hops),
                address=page.address,
            )
        if len(hops) == MOST_HOPS:
            raise ToolFailed(f"{url} leads on more than {MOST_HOPS} times; it goes in circles")
        there = next_address(here, there)
        check(there, reached.rules)
        if _origin(there) != _origin(here):
            await admit(there)
        hops.append(there)
        here = there


def check(url: str, rules: HostRules) -> Address:
    """The address taken apart.

    Raises:
        Refused: It is not to be opened.
        ToolFailed: It is none of the web.
    """
    judged = judge_by(rules, url)
    if judged.decision == "deny":
        raise Refused(
            f"{url[:300]} was not fetched: {judged.reason}. The person can list a host in [web] allow;"
            f"{NO_OTHER_PLACE}"
        )
    read = address(url)
    if read is None or read.scheme not in {"http", "https"}:
        raise ToolFailed(f"{url[:300]} is no address of the web; give one with https://")
    return read


async def _hop(url: str, reached: Reach, max_bytes: int) -> Page:
    to = check(url, reached.rules)
    try:
        with anyio.fail_after(HOP_SECONDS):
            stream, where, proxy = await _connected(to, reached)
            async with stream:
                await stream.send(_request(to, proxy))
                return await _answer(stream, url, where, max_bytes)
    except TimeoutError as error:
        raise ToolFailed(f"{to.origin} did not answer within {HOP_SECONDS:g} seconds") from error
    except Malformed as error:
        raise ToolFailed(f"{to.origin} does not answer as the web does: {error}") from error
    except (anyio.BrokenResourceError, anyio.EndOfStream) as error:
        raise ToolFailed(f"{to.origin} broke off the connection") from error
    except OSError as error:
        raise ToolFailed(f"{to.origin} cannot be reached: {_why(error)}") from error
    except Misuse as error:
        raise ToolFailed(error.message) from error


async def _connected(to: Address, reached: Reach) -> tuple[ByteStream, str, Upstream | None]:
    """A connection, where it leads, and the proxy that a plain request is to be said to."""
    context = (
        await anyio.to_thread.run_sync(trusting, reached.tls) if to.scheme == "https" else None
    )
    try:
        proxy = upstream(reached.proxy_for, to.origin, to.host)
    except ValueError as error:
        raise ToolFailed(f"{to.origin} cannot be reached through the proxy: {error}") from error
    if proxy is None:
        found = await dial(to.host, to.port, look_of(reached.rules, to.host, to.port))
        return await _secured(found.stream, to, context), found.address, None
    stream = await reach(proxy, to.host, to.port)
    if context is None:
        return stream, "", proxy
    host = f"[{to.host}]" if ":" in to.host else to.host
    try:
        await tunnel(stream, proxy, f"{host}:{to.port}".encode())
    except BaseException:
        await anyio.aclose_forcefully(stream)
        raise
    return await _secured(stream, to, context), "", None


async def _secured(stream: ByteStream, to: Address, context: "SSLContext | None") -> ByteStream:
    if context is None:
        return stream
    from anyio.streams.tls import TLSStream

    try:
        return await TLSStream.wrap(
            stream, hostname=to.host, ssl_context=context, standard_compatible=False
        )
    except BaseException:
        await anyio.aclose_forcefully(stream)
        raise


def _request(to: Address, proxy: Upstream | None) -> bytes:
    place = to.origin.partition("://")[2]
    path = _asked(to.path)
    target = f"{to.scheme}://{place}{path}" if proxy is not None else path
    asks = proxy.asks.decode("latin-1") if proxy is not None else ""
    return (
        f"GET {target} HTTP/1.1\r\nhost: {place}\r\n"
        f"user-agent: ouroboros/{ouroboros.__version__}\r\n"
        "accept: text/html, text/markdown;q=0.9, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5\r\n"
        f"accept-language: en, *;q=0.5\r\naccept-encoding: gzip, deflate\r\n{asks}connection: close\r\n\r\n"
    ).encode("latin-1")


def _asked(path: str) -> str:
    """The path as a request says it: letters of other scripts and signs as escapes."""
    from urllib.parse import quote

    path = quote(path, safe="/%:?=&;,+@!$'()*~#[]|-._")
    return path if path.startswith("/") else f"/{path}"


async def _answer(stream: ByteStream, url: str, where: str, max_bytes: int) -> Page:
    answer = Answer()
    head: Head | None = None
    while head is None:
        head = answer.begin(await _more(stream))
    body = _Body(head.headers.get("content-encoding", ""), max_bytes)
    body.add(answer.take())
    while not answer.is_complete and not body.is_full:
        body.add(answer.take(await _more(stream)))
    body.finish()
    return Page(
        url=url,
        status=head.status,
        headers=head.headers,
        body=bytes(body.content),
        is_cut=body.is_full,
        address=where,
    )


async def _more(stream: ByteStream) -> bytes:
    try:
        return await stream.receive(READ_BYTES)
    except anyio.EndOfStream:
        return b""


class _Body:
    """A body as it arrives: unpacked, and no more of it than is wanted."""

    def __init__(self, coding: str, limit: int) -> None:
        """``coding`` is what the server calls its packing."""
        coding = coding.strip().lower()
        if coding not in {"", "identity", *_CODINGS}:
            raise ToolFailed(f"the answer is packed as {coding[:40]!r}, which was not asked for")
        self.content = bytearray()
        self.is_full = False
        self._limit = limit
        self._packed = coding in _CODINGS
        self._may_be_bare = coding == "deflate"
        self._unpacker = zlib.decompressobj(_ANY_HEADER)

    def add(self, piece: bytes) -> None:
        """Takes in what came next."""
        room = self._limit - len(self.content) + 1
        if not piece or self.is_full:
            return
        if self._packed:
            try:
                piece = self._unpack(piece, room)
            except zlib.error as error:
                raise ToolFailed("the packed answer arrived damaged") from error
        self.content += piece[:room]
        if len(self.content) > self._limit:
            del self.content[self._limit :]
            self.is_full = True

    def finish(self) -> None:
        """Nothing more comes."""
        if self._packed and self.content and not self.is_full and not self._unpacker.eof:
            raise ToolFailed("the packed answer broke off")

    def _unpack(self, piece: bytes, room: int) -> bytes:
        if self._may_be_bare and piece[0] & 0x0F != 8:
            self._unpacker = zlib.decompressobj(-zlib.MAX_WBITS)  # some leave the header out
        self._may_be_bare = False
        return self._unpacker.decompress(piece, room)


def _origin(url: str) -> str:
    read = address(url)
    return read.origin if read is not None else url


def _why(error: OSError) -> str:
    import socket
    import ssl

    if isinstance(error, socket.gaierror):
        return "its name was not found"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    return error.strerror or str(error) or type(error).__name__
