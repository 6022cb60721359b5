"""A route over HTTP: wire format, address, key and framing, put together from parts."""

from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

import anyio
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.core.clock import Clock
from ouroboros.core.errors import Failure, ModelFailed, OuroborosError
from ouroboros.core.parts import Origin
from ouroboros.llm.auth import Authorizer, KeyHeader, proofs
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.failures import classify
from ouroboros.llm.framing import Framing
from ouroboros.llm.lowering import Lifting, Lowered, Lowering
from ouroboros.llm.protocols import BodyCache, Decoder, Protocol
from ouroboros.llm.request import Request
from ouroboros.llm.stream import Failed, StreamEvent
from ouroboros.llm.transport import HttpRequest, HttpResponse, Transport
from ouroboros.llm.transport.inflate import plain

if TYPE_CHECKING:
    from ouroboros.llm.catalog import Known

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
        auth: What proves who asks.
        explain: What the person can do about a failure.
        learn: Is told every secret before it is sent, to keep it out of what is written down.
    """

    origin: Origin
    base_url: str
    dialect: Dialect
    url: Callable[[str], str]
    headers: Mapping[str, str] = {}
    auth: Authorizer = KeyHeader()
    connect_timeout: float = 5.0
    idle_timeout: float = 120.0
    explain: Callable[[Failure], str] = lambda failure: ""
    learn: Callable[[str], None] = lambda secret: None


class HttpRoute:
    """Makes single attempts at one provider."""

    def __init__(
        self,
        endpoint: Endpoint,
        protocol: Protocol,
        transport: Transport,
        *,
        clock: Clock,
        framing: Callable[[], Framing] | None = None,
    ) -> None:
        """Owns the transport: closing the route closes it; ``framing`` replaces the format's."""
        self._endpoint = endpoint
        self._protocol = protocol
        self._transport = transport
        self._clock = clock
        self._framing = framing
        self._conversations: dict[str, _Conversation] = {}

    @property
    def origin(self) -> Origin:
        """Who writes the replies."""
        return self._endpoint.origin

    @asynccontextmanager
    async def attempt(
        self, request: Request
    ) -> AsyncGenerator[AsyncIterator[Sequence[StreamEvent]]]:
        """One attempt, in batches of what one read of the socket brought."""
        if not self._endpoint.dialect.streams:
            request = replace(request, stream=False)
        lowered = self._conversation(request).lowering.lower(request)
        sent = self._prepared(lowered.request)
        refusal: Failure | None = None
        for is_last in (False, True):
            proven = await self._endpoint.auth.authorize(sent)
            for secret in proofs(proven.headers):
                self._endpoint.learn(secret)
            async with self._transport.send(proven) as answer:
                response = plain(answer)
                kind = _kind(response)
                refusal = await self._refused(response, kind)
                if refusal is None:
                    async with self._batches(lowered, response, kind) as batches:
                        yield batches
            # Out here, so that the connection stays open for the next attempt.
            if refusal is None:
                return
            if is_last or refusal.kind != "auth":
                raise ModelFailed(refusal)
            if not await self._endpoint.auth.renew(proven):
                raise ModelFailed(refusal)

    async def warm(self) -> None:
        """Connects, and gets the proof, while the request is still being prepared."""

        async def quietly(warm: Callable[..., Awaitable[None]], *about: str) -> None:
            with suppress(OuroborosError):
                await warm(*about)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(quietly, self._transport.warm, self._endpoint.base_url)
            tasks.start_soon(quietly, self._endpoint.auth.warm)

    async def listed(self, path: str) -> "dict[str, Known]":
        """The models of this server by name, with what its list says; raises ``ModelFailed``."""
        from ouroboros.llm.catalog import discovery  # only sessions with a strange model need it

        endpoint = self._endpoint
        source = discovery.Source(
            protocol=endpoint.origin.protocol,
            base_url=endpoint.base_url,
            path=path,
            headers=endpoint.headers,
            connect_timeout=endpoint.connect_timeout,
        )
        return await discovery.discover(source, endpoint.auth, self._transport, self._clock)

    def explain(self, failure: Failure) -> str:
        """What the person can do about it."""
        return self._endpoint.explain(failure)

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()

    def _prepared(self, request: Request) -> HttpRequest:
        """The request as it is sent, but for the proof of who asks."""
        endpoint, cache = self._endpoint, self._conversation(request).bodies
        body = self._protocol.build_body(request, endpoint.dialect, endpoint.origin, cache)
        return HttpRequest(
            url=endpoint.url(self._protocol.path(request)),
            headers={
                "content-type": "application/json",
                "accept": "text/event-stream" if request.stream else "application/json",
                **endpoint.headers,
            },
            body=body,
            connect_timeout=endpoint.connect_timeout,
            idle_timeout=endpoint.idle_timeout,
        )

    @asynccontextmanager
    async def _batches(
        self, lowered: Lowered, response: HttpResponse, kind: str
    ) -> AsyncGenerator[AsyncIterator[Sequence[StreamEvent]]]:
        decoder = self._protocol.start(self._endpoint.dialect)
        framing = self._framing() if self._framing else self._protocol.framing(kind)
        chunks = response.chunks()
        if framing is None or not lowered.request.stream:
            batches = self._whole(chunks, decoder)
        else:
            batches = self._streamed(chunks, decoder, framing)
        liftings = lowered.liftings()
        told = _lifted(batches, liftings) if liftings else batches
        try:
            yield told
        finally:
            await told.aclose()
            await batches.aclose()
            await chunks.aclose()

    async def _streamed(
        self, chunks: AsyncIterator[bytes], decoder: Decoder, framing: Framing
    ) -> AsyncGenerator[Sequence[StreamEvent]]:
        size = 0
        try:
            async for chunk in chunks:
                size += len(chunk)
                if size > REPLY_BYTES:
                    raise ModelFailed(_too_long(self._endpoint.base_url))
                events: list[StreamEvent] = []
                for frame in framing.feed(chunk):
                    events += decoder.step(frame)
                if events:
                    yield self._safe(events) if isinstance(events[-1], Failed) else events
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

    async def _refused(self, response: HttpResponse, kind: str) -> Failure | None:
        """Why the answer is none of a model; None when it may be one."""
        if 200 <= response.status < 300:
            return _not_a_model(self._endpoint.base_url) if kind == "text/html" else None
        if 300 <= response.status < 400:
            return self._redacted(_moved(self._endpoint.base_url, response))
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
            who=self._endpoint.base_url or "The provider",
        )
        return self._redacted(failure)

    def _safe(self, events: Sequence[StreamEvent]) -> Sequence[StreamEvent]:
        """The events; a failure at their end no longer shows the key."""
        if not events or not isinstance(last := events[-1], Failed):
            return events
        return (*events[:-1], replace(last, failure=self._redacted(last.failure)))

    def _redacted(self, failure: Failure) -> Failure:
        redact = self._endpoint.auth.redact
        return replace(
            failure,
            message=redact(failure.message),
            code=redact(failure.code),
            request_id=redact(failure.request_id),
        )

    def _conversation(self, request: Request) -> "_Conversation":
        found = self._conversations.pop(request.cache_key, None)
        if found is None:
            endpoint = self._endpoint
            lowering = Lowering(endpoint.dialect, endpoint.origin)
            found = _Conversation(lowering=lowering, bodies=BodyCache())
        self._conversations[request.cache_key] = found
        if len(self._conversations) > CONVERSATIONS:
            del self._conversations[next(iter(self._conversations))]
        return found


class _Conversation(NamedTuple):
    """What is remembered of one, so that a request costs no more than what is new in it."""

    lowering: Lowering
    bodies: BodyCache


async def _lifted(
    batches: AsyncIterator[Sequence[StreamEvent]], liftings: Sequence[Lifting]
) -> AsyncGenerator[Sequence[StreamEvent]]:
    async for batch in batches:
        events = batch
        for lifting in liftings:
            events = lifting.lift(events)
        if events:
            yield events


def _kind(response: HttpResponse) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


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
