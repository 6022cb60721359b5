"""Bytes to a provider and back: the seam between clients and HTTP libraries."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Protocol
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from ouroboros.core.errors import Failure, FailureKind, Misuse, ModelFailed


class HttpRequest(Struct, frozen=True, kw_only=True):
    """One request; ``idle_timeout`` bounds each wait for bytes, nothing bounds their sum."""

    url: str
    method: str = "POST"
    headers: Mapping[str, str] = {}
    body: bytes = b""
    connect_timeout: float = 5.0
    idle_timeout: float = 120.0

    def __repr__(self) -> str:
        """Without headers and body, which hold secrets."""
        return f"HttpRequest({self.method} {self.url})"

    def __rich_repr__(self) -> list[tuple[str, object]]:
        """As in ``repr``."""
        return [("method", self.method), ("url", self.url)]


class Silent(Exception):
    """Nothing came for as long as was allowed."""


class HttpResponse(Protocol):
    """An answer whose head has arrived; header names are in lower case."""

    @property
    def status(self) -> int:
        """The status code."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, names in lower case."""
        ...

    def chunks(self) -> AsyncGenerator[bytes]:
        """The body as it arrives, one chunk for each read of the socket; close it when done."""
        ...

    async def read(self, limit: int = 1_048_576) -> bytes:
        """The rest of the body, or its first ``limit`` bytes."""
        ...


class Transport(Protocol):
    """Sends requests.

    Contract: any failure to reach, to be answered or to read on is ``ModelFailed`` of kind
    ``transport`` or ``timeout``. Leaving the context frees the connection; if the body was not
    read to its end, or the caller was cancelled, the connection is closed.
    """

    def send(self, request: HttpRequest) -> AbstractAsyncContextManager[HttpResponse]:
        """Sends, and waits for the head of the answer."""
        ...

    async def warm(self, url: str) -> None:
        """Connects ahead of the first request; failures wait for that request."""
        ...

    async def close(self) -> None:
        """Closes every connection."""
        ...


class Proxies(Struct, frozen=True, kw_only=True):
    """Where requests go through: ``HTTP_PROXY``, ``HTTPS_PROXY``, ``ALL_PROXY``, ``NO_PROXY``."""

    http: str = ""
    https: str = ""
    all: str = ""
    bypass: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Proxies":
        """Reads the usual variables; lower case wins, as in curl."""

        def value(name: str) -> str:
            return environment.get(name.lower()) or environment.get(name, "")

        return cls(
            http=value("HTTP_PROXY"),
            https=value("HTTPS_PROXY"),
            all=value("ALL_PROXY"),
            bypass=value("NO_PROXY"),
        )

    def proxy_for(self, url: str) -> str:
        """The proxy for an address, or an empty string."""
        parts = split(url)
        chosen = (self.https if parts.scheme == "https" else self.http) or self.all
        if not chosen or is_bypassed(parts.hostname or "", port_of(parts), self.bypass):
            return ""
        return chosen if "://" in chosen else f"http://{chosen}"


def is_bypassed(host: str, port: int, bypass: str) -> bool:
    """Whether ``NO_PROXY`` names the host: exactly, as a domain of it, or as ``*``."""
    host = host.lower().rstrip(".")
    for entry in bypass.replace(",", " ").split():
        name = entry.lower()
        if name == "*":
            return True
        before, colon, after = name.rpartition(":")
        if colon and after.isdigit() and "]" not in after and before.count(":") == 0:
            if int(after) != port:
                continue
            name = before
        name = name.strip("[]").removeprefix("*").lstrip(".")
        if name and (host == name or host.endswith(f".{name}") or _in_network(host, name)):
            return True
    return False


async def first_bytes(chunks: AsyncGenerator[bytes], limit: int) -> bytes:
    """The body, or its first ``limit`` bytes."""
    body = bytearray()
    async with aclosing(chunks):
        async for chunk in chunks:
            body += chunk
            if len(body) >= limit:
                break
    return bytes(body[:limit])


def split(url: str) -> SplitResult:
    """Takes an http or https address apart; anything else is ``Misuse``."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        usable = usable and url.isascii() and url.isprintable() and " " not in url
    except ValueError:
        usable, parts = False, SplitResult("", "", "", "", "")
    if not usable:
        raise Misuse(
            f"The address {_without_login(url)!r} is not an http or https address.",
            hint="Give a base URL such as http://127.0.0.1:8080/v1.",
        )
    return parts


def _without_login(url: str) -> str:
    """The address without user and password, for messages."""
    login, at, rest = url.rpartition("@")
    scheme, mark, _ = login.rpartition("://")
    return f"{scheme}{mark}…{at}{rest}" if at else url


def port_of(parts: SplitResult) -> int:
    """The port, given or usual."""
    return parts.port or (443 if parts.scheme == "https" else 80)


def unreachable(
    message: str, *, hint: str = "", kind: FailureKind = "transport", retryable: bool = True
) -> ModelFailed:
    """The failure of a transport, ready to be raised."""
    return ModelFailed(Failure(kind=kind, message=message, retryable=retryable), hint=hint)


def _in_network(host: str, network: str) -> bool:
    if "/" not in network:
        return False
    import ipaddress  # rare, and costs start-up time

    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
