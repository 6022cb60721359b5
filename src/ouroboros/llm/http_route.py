"""A route over HTTP: wire format, address, key and framing, put together from parts."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Protocol as Interface

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.core.clock import Clock
from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.core.parts import Origin
from ouroboros.llm import sse
from ouroboros.llm.auth import AuthStyle, Credential
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.failures import classify
from ouroboros.llm.protocols import BodyCache, Decoder, Protocol
from ouroboros.llm.request import Request
from ouroboros.llm.stream import Failed, StreamEvent
from ouroboros.llm.transport import HttpRequest, HttpResponse, Transport

CONVERSATIONS = 8
"""Conversations whose encoded messages are remembered at a time."""

ERROR_BYTES = 262_144
REPLY_BYTES = 256 * 1_048_576


class Endpoint(Struct, frozen=True, kw_only=True):
    """Where requests go and as whom.

    Attributes:
        base_url: Without the path of the wire format.
        url: From a wire format's path to the whole address.
        headers: Sent with each request, the key not among them.
        explain: What the person can do about a failure.
    """

    origin: Origin
    base_url: str
    dialect: Dialect
    url: Callable[[str], str]
    headers: Mapping[str, str] = {}
    auth: AuthStyle = "none"
    credential: Credential | None = None
    connect_timeout: float = 5.0
    idle_timeout: float = 120.0
    explain: Callable[[Failure], str] = lambda failure: ""


class Framing(Interface):
    """Cuts the bytes of a stream into frames."""

    def feed(self, chunk: bytes) -> list[sse.Frame]:
        """The frames that these bytes complete."""
        ...

    def end(self) -> list[sse.Frame]:
        """What was left open when the bytes ended."""
        ...


class HttpRoute:
    """Makes single attempts at one provider."""

    def __init__(
        self,
        endpoint: Endpoint,
        protocol: Protocol,
        transport: Transport,
        *,
        clock: Clock,
        framing: Callable[[], Framing] = sse.Decoder,
    ) -> None:
        """Owns the transport: closing the route closes it."""
        self._endpoint = endpoint
        self._protocol = protocol
        self._transport = transport
        self._clock = clock
        self._framing = framing
        self._caches: dict[str, BodyCache] = {}

    @property
    def origin(self) -> Origin:
        """Who writes the replies."""
        return self._endpoint.origin

    @asynccontextmanager
    async def attempt(
        self, request: Request
    ) -> AsyncGenerator[AsyncIterator[Sequence[StreamEvent]]]:
        """One attempt, in batches of what one read of the socket brought."""
        endpoint = self._endpoint
        key = endpoint.credential
        body = self._protocol.build_body(
            request, endpoint.dialect, endpoint.origin, self._cache(request)
        )
        sent = HttpRequest(
            url=endpoint.url(self._protocol.path(request)),
            headers={
                "content-type": "application/json",
                "accept": "text/event-stream" if request.stream else "application/json",
                **endpoint.headers,
                **(key.headers(endpoint.auth) if key is not None else {}),
            },
            body=body,
            connect_timeout=endpoint.connect_timeout,
            idle_timeout=endpoint.idle_timeout,
        )
        refusal: Failure | None = None
        async with self._transport.send(sent) as response:
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if not 200 <= response.status < 300 or kind == "text/html":
                refusal = await self._refusal(response, kind)
            else:
                decoder = self._protocol.start(endpoint.dialect)
                is_whole = kind == "application/json" or not request.stream
                chunks = response.chunks()
                batches = (self._whole if is_whole else self._streamed)(chunks, decoder)
                try:
                    yield batches
                finally:
                    await batches.aclose()
                    await chunks.aclose()
        # Raised out here, so that the connection stays open for the next attempt.
        if refusal is not None:
            raise ModelFailed(refusal)

    async def warm(self) -> None:
        """Connects while the request is still being prepared."""
        await self._transport.warm(self._endpoint.base_url)

    def explain(self, failure: Failure) -> str:
        """What the person can do about it."""
        return self._endpoint.explain(failure)

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()

    async def _streamed(
        self, chunks: AsyncIterator[bytes], decoder: Decoder
    ) -> AsyncGenerator[Sequence[StreamEvent]]:
        framing = self._framing()
        try:
            async for chunk in chunks:
                events: list[StreamEvent] = []
                for frame in framing.feed(chunk):
                    events += decoder.step(frame)
                if events:
                    yield self._safe(events)
        except ModelFailed as error:
            decoder.reply.fail(error.failure)
            yield self._safe(decoder.reply.take())
            return
        events = [event for frame in framing.end() for event in decoder.step(frame)]
        events += decoder.finish()
        yield self._safe(events)

    async def _whole(
        self, chunks: AsyncIterator[bytes], decoder: Decoder
    ) -> AsyncGenerator[Sequence[StreamEvent]]:
        body = bytearray()
        try:
            async for chunk in chunks:
                body += chunk
                if len(body) > REPLY_BYTES:
                    raise ModelFailed(_too_long(self._endpoint.base_url))
        except ModelFailed as error:
            decoder.reply.fail(error.failure)
            yield self._safe(decoder.reply.take())
            return
        yield self._safe(decoder.read(bytes(body)))

    async def _refusal(self, response: HttpResponse, kind: str) -> Failure:
        if 200 <= response.status < 300:
            return _not_a_model(self._endpoint.base_url)
        if 300 <= response.status < 400:
            return _moved(self._endpoint.base_url, response)
        try:
            body = await response.read(ERROR_BYTES)
        except ModelFailed:  # the status says more than the missing body would
            body = b""
        failure = classify(
            response.status,
            response.headers,
            body,
            now=self._clock.now(),
            vendor=self.origin.provider,
        )
        return self._redacted(failure)

    def _safe(self, events: Sequence[StreamEvent]) -> Sequence[StreamEvent]:
        """The events; a failure at their end no longer shows the key."""
        if not events or not isinstance(last := events[-1], Failed):
            return events
        return (*events[:-1], replace(last, failure=self._redacted(last.failure)))

    def _redacted(self, failure: Failure) -> Failure:
        credential = self._endpoint.credential
        if credential is None:
            return failure
        return replace(
            failure,
            message=credential.redact(failure.message),
            code=credential.redact(failure.code),
        )

    def _cache(self, request: Request) -> BodyCache:
        cache = self._caches.pop(request.cache_key, None) or BodyCache()
        self._caches[request.cache_key] = cache
        if len(self._caches) > CONVERSATIONS:
            del self._caches[next(iter(self._caches))]
        return cache


def _moved(base_url: str, response: HttpResponse) -> Failure:
    target = response.headers.get("location", "another address")
    return Failure(
        kind="invalid_request",
        message=f"{base_url} redirects to {target}, and a key is not sent after a redirect. "
        "Use that address as the base URL.",
        status=response.status,
    )


def _not_a_model(base_url: str) -> Failure:
    return Failure(
        kind="invalid_request",
        message=f"{base_url} answered with a web page, not as a model does.",
    )


def _too_long(base_url: str) -> Failure:
    return Failure(
        kind="invalid_request",
        message=f"{base_url} answered with more than {REPLY_BYTES} bytes.",
    )
