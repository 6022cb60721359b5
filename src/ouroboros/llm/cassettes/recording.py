"""A transport that remembers what goes through it, for a cassette."""

import re
from base64 import b64decode, b64encode
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.llm.auth import proofs
from ouroboros.llm.cassettes.cassette import Cassette, Exchange, address
from ouroboros.llm.cassettes.tap import Setup
from ouroboros.llm.transport import HttpRequest, HttpResponse, Transport, first_bytes
from ouroboros.llm.transport.inflate import plain
from ouroboros.safety.leaks import Leaks
from ouroboros.safety.secrets.key_shapes import contains_key, without_keys

_KEPT = frozenset({
    "accept",
    "anthropic-beta",
    "anthropic-version",
    "content-type",
    "openai-beta",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "x-amzn-errortype",
    "x-amzn-requestid",
    "x-request-id",
    "x-should-retry",
})
"""Headers that say something of an exchange and can hold no secret."""
_PIECE = re.compile(
    rb'"(?:text|content|delta|arguments|partial_json|thinking|reasoning\w*|input)"'
    rb'\s*:\s*"((?:[^"\\]|\\.)*)"'
)
_PACKED = re.compile(rb'"bytes"\s*:\s*"([A-Za-z0-9+/=]*)"')


class Recording:
    """A cassette while it is recorded."""

    def __init__(self, leaks: Leaks) -> None:
        """``leaks`` knows the secrets of this session."""
        self.setup = Setup()
        self._leaks = leaks
        self._takes: list[_Take] = []

    def transport(self, network: Transport) -> "Recorder":
        """A transport whose every exchange is recorded."""
        return Recorder(network, self._takes)

    def encode(self) -> bytes:
        """The cassette so far, without secrets; slow for a long session."""
        for take in self._takes:
            for secret in proofs(take.request.headers):
                self._leaks.learn("key", secret)
        exchanges = [self._exchange(take) for take in self._takes]
        setup = replace(self.setup, base_url=address(self.setup.base_url, self._leaks))
        cassette = Cassette(setup=setup, exchanges=exchanges)
        return msgspec.json.format(msgspec.json.encode(cassette), indent=1) + b"\n"

    def _exchange(self, take: "_Take") -> Exchange:
        request = take.request
        exchange = Exchange(
            method=request.method,
            url=address(request.url, self._leaks),
            request=self._clean(request.body.decode("utf-8", "replace")),
            headers=self._kept(request.headers),
            status=take.status,
            answer_headers=self._kept(take.headers),
            failure=take.failure and self._cleaned(take.failure),
        )
        text = _text(take.answer)
        pieces = _pieces(take.answer if text is None else self._clean(text).encode())
        exchange.withheld = self._leaks.contains(pieces) or contains_key(pieces)
        if text is None:
            exchange.encoding = "base64"
            held = take.answer.decode("latin-1")
            exchange.withheld |= self._leaks.contains(bytes(take.answer)) or contains_key(held)
        if not exchange.withheld:
            exchange.answer = self._clean(text) if text else b64encode(take.answer).decode()
        return exchange

    def _cleaned(self, failure: Failure) -> Failure:
        return replace(failure, message=self._clean(failure.message))

    def _kept(self, headers: Mapping[str, str]) -> dict[str, str]:
        return {
            name: self._clean(value) for name, value in headers.items() if name.lower() in _KEPT
        }

    def _clean(self, text: str) -> str:
        return without_keys(self._leaks.redacted(text))


class _Take(Struct, kw_only=True, eq=False):
    """An exchange while it happens."""

    request: HttpRequest
    status: int = 0
    headers: Mapping[str, str] = {}
    answer: bytearray = field(default_factory=bytearray)
    failure: Failure | None = None


class Recorder:
    """A transport that remembers what went through another one."""

    def __init__(self, network: Transport, takes: list[_Take]) -> None:
        """Adds to ``takes``."""
        self._network = network
        self._takes = takes

    @asynccontextmanager
    async def send(self, request: HttpRequest) -> AsyncGenerator[HttpResponse]:
        """Sends, and remembers."""
        take = _Take(request=request)
        self._takes.append(take)
        try:
            async with self._network.send(request) as response:
                take.status, take.headers = response.status, response.headers
                # What is compressed could neither be searched for secrets nor played.
                yield _Overheard(plain(response), take)
        except ModelFailed as failed:
            if not take.status:
                take.failure = failed.failure
            raise

    async def warm(self, url: str) -> None:
        """Connects ahead of the first request."""
        await self._network.warm(url)

    async def close(self) -> None:
        """Closes the connections."""
        await self._network.close()


class _Overheard:
    """An answer that is remembered while it is read."""

    def __init__(self, response: HttpResponse, take: _Take) -> None:
        self._response = response
        self._take = take

    @property
    def status(self) -> int:
        """The status code."""
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, names in lower case."""
        return self._response.headers

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The body as it arrives."""
        chunks = self._response.chunks()
        try:
            async for chunk in chunks:
                self._take.answer += chunk
                yield chunk
        except ModelFailed as failed:
            self._take.failure = failed.failure
            raise
        finally:
            await chunks.aclose()

    async def read(self, limit: int = 1_048_576) -> bytes:
        """The rest of the body, or its first ``limit`` bytes."""
        return await first_bytes(self.chunks(), limit)


def _pieces(answer: bytes | bytearray) -> str:
    """What the pieces of an answer say together, whichever wire format it is in."""
    frames = [answer, *map(_unpacked, _PACKED.findall(answer))]
    said = (piece for frame in frames for piece in _PIECE.findall(frame))
    return b"".join(said).decode("utf-8", "replace")


def _unpacked(packed: bytes) -> bytes:
    try:
        return b64decode(packed)
    except ValueError:
        return b""


def _text(body: bytearray) -> str | None:
    """The body as text; None where it is none, as the frames of an event stream."""
    if 0 in body:
        return None
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None
