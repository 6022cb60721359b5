"""Asks a model and hears it out: one route, tried again as the policy allows."""

import sys
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Sequence,
)
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import msgspec
from msgspec import Struct

from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.core.parts import Origin
from ouroboros.llm.request import Request
from ouroboros.llm.retry import Phase, Policy
from ouroboros.llm.stream import (
    BlockGrew,
    CallReady,
    Failed,
    Finished,
    Retrying,
    StreamEvent,
)


class Route(Protocol):
    """One way to one provider: makes single attempts and never retries."""

    @property
    def origin(self) -> Origin:
        """Who writes the replies."""
        ...

    def attempt(
        self, request: Request
    ) -> AbstractAsyncContextManager[AsyncIterator[Sequence[StreamEvent]]]:
        """One attempt, in batches as they arrive.

        Raises ``ModelFailed`` when refused before the stream; a stream ends with one ``Finished``
        or ``Failed``. May be cancelled at any await and then leaves nothing open.
        """
        ...

    async def warm(self) -> None:
        """Opens ahead of time what the first attempt needs; what fails now fails then."""
        ...

    def explain(self, failure: Failure) -> str:
        """What the person can do about it; may be empty."""
        ...

    async def close(self) -> None:
        """Lets go of connections."""
        ...


class Client:
    """Streams replies of one provider."""

    def __init__(
        self,
        route: Route,
        *,
        policy: Policy,
        sleep: Callable[[float], Awaitable[None]],
        random: Callable[[], float],
    ) -> None:
        """``sleep`` is ``anyio.sleep`` and ``random`` is ``random.random`` outside of tests."""
        self._route = route
        self._policy = policy
        self._sleep = sleep
        self._random = random
        self._stale: set[str] = set()

    @property
    def origin(self) -> Origin:
        """Who writes the replies; goes with each reply into the history."""
        return self._route.origin

    @property
    def route(self) -> Route:
        """The way to the model; for what only some ways can do."""
        return self._route

    async def warm(self) -> None:
        """Opens the connection while the caller still prepares the request."""
        await self._route.warm()

    async def close(self) -> None:
        """Lets go of connections."""
        await self._route.close()

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncGenerator[AsyncIterator[StreamEvent]]:
        """The events of one reply, ending with ``Finished``, or raising ``ModelFailed``.

        ``Retrying`` voids every block seen before it. A reply that broke off after it had begun
        to count shows ``Failed`` with what had arrived, then raises. Messages whose thoughts the
        vendor once refused go without them from then on, so that it need not refuse them again.
        """
        tries = _Tries(policy=self._policy, random=self._random)
        if self._stale:
            request = _without_reasoning(request, self._stale)
        reply = _Reply(self._route, request, tries=tries, sleep=self._sleep, stale=self._stale)
        try:
            yield reply
        finally:
            await reply.leave(sys.exc_info()[1])


class _Reply:
    """The events of one reply over all its attempts.

    A class and not a generator: an attempt must be left before its ending is shown, so that the
    connection is free for the request that the ending sets off.
    """

    def __init__(
        self,
        route: Route,
        request: Request,
        *,
        tries: "_Tries",
        sleep: Callable[[float], Awaitable[None]],
        stale: set[str],
    ) -> None:
        self._route = route
        self._request = request
        self._stale = stale
        self._tries = tries
        self._sleep = sleep
        self._attempt: AbstractAsyncContextManager[AsyncIterator[Sequence[StreamEvent]]] | None = (
            None
        )
        self._batches: AsyncIterator[Sequence[StreamEvent]] | None = None
        self._batch: Iterator[StreamEvent] = iter(())
        self._began = False
        self._counted = False
        self._wait = 0.0
        self._error: ModelFailed | None = None
        self._over = False

    def __aiter__(self) -> AsyncIterator[StreamEvent]:
        return self

    async def __anext__(self) -> StreamEvent:
        while not self._over:
            for event in self._batch:
                if isinstance(event, _ENDINGS):
                    return await self._settle(event)
                if not self._counted:
                    self._counted = _counts(event)
                return event
            try:
                if self._batches is None:
                    self._batches = await self._begin()
                self._batch = iter(await anext(self._batches))
            except ModelFailed as error:
                return await self._settle(error)
            except StopAsyncIteration:
                return await self._settle(_UNFINISHED)
            self._began = True
        if self._error is not None:
            raise self._error
        raise StopAsyncIteration

    async def leave(self, error: BaseException | None = None) -> None:
        """Ends the running attempt, if there is one."""
        attempt, self._attempt, self._batches = self._attempt, None, None
        self._batch = iter(())
        if attempt is not None:
            await attempt.__aexit__(type(error) if error else None, error, None)

    async def _begin(self) -> AsyncIterator[Sequence[StreamEvent]]:
        if self._wait:
            await self._sleep(self._wait)
        attempt = self._route.attempt(self._request)
        batches = await attempt.__aenter__()
        self._attempt = attempt
        self._began = False
        return batches

    async def _settle(self, ending: Finished | Failed | ModelFailed) -> StreamEvent:
        """Leaves the attempt; answers with its ending or a retry, or raises."""
        began, counted = self._began, self._counted
        self._began = False
        await self.leave(ending if isinstance(ending, ModelFailed) else None)
        if isinstance(ending, Finished):
            self._over = True
            return ending
        retrying = None if counted else self._tries.next(self._request, ending.failure, began=began)
        if retrying is not None:
            if ending.failure.kind == "stale_reasoning":
                self._stale |= {message.id for message in self._request.messages if message.origin}
                self._request = _without_reasoning(self._request, self._stale)
            self._wait = retrying.delay_seconds
            return retrying
        self._over = True
        if isinstance(ending, ModelFailed):
            self._error = self._explained(ending)
            raise self._error
        self._error = self._explained(ModelFailed(ending.failure))
        return ending

    def _explained(self, error: ModelFailed) -> ModelFailed:
        hint = error.hint or self._hint(error.failure)
        return ModelFailed(error.failure, hint=hint, counted=self._counted)

    def _hint(self, failure: Failure) -> str:
        asked = failure.retry_after_seconds
        if asked is not None and asked > self._tries.policy.longest_wait_seconds:
            return (
                f"{self._route.origin.provider} asks to wait {asked:.0f} seconds. "
                "Try again after that, or use another model."
            )
        return self._route.explain(failure)


class _Tries(Struct, kw_only=True):
    """Counts the retries of one reply."""

    policy: Policy
    random: Callable[[], float]
    requests: int = 0
    streams: int = 0
    stripped: bool = False

    def next(self, request: Request, failure: Failure, *, began: bool) -> Retrying | None:
        """The retry to make now, or None."""
        if failure.kind == "stale_reasoning":
            return self._strip(request, failure)
        phase: Phase = "stream" if began else "request"
        if began:
            self.requests = 0
            self.streams += 1
        else:
            self.requests += 1
        attempt = self.streams if began else self.requests
        delay = self.policy.delay(phase, attempt, failure, self.random)
        if delay is None:
            return None
        return Retrying(
            attempt=attempt,
            maximum=self.policy.retries(phase),
            delay_seconds=delay,
            reason=failure.message,
        )

    def _strip(self, request: Request, failure: Failure) -> Retrying | None:
        if self.stripped or all(message.origin is None for message in request.messages):
            return None
        self.stripped = True
        return Retrying(attempt=1, maximum=1, delay_seconds=0.0, reason=failure.message)


_ENDINGS = (Finished, Failed)
_UNFINISHED = Failed(
    failure=Failure(
        kind="transport",
        message="The stream ended before the reply was complete.",
        retryable=True,
    )
)


def _counts(event: StreamEvent) -> bool:
    """Has the person read words, or may a tool have started: then nothing is sent again."""
    if isinstance(event, BlockGrew):
        return event.kind == "text" and bool(event.text)
    return isinstance(event, CallReady)


def _without_reasoning(request: Request, stale: Collection[str]) -> Request:
    """The request with no such message attributed: protocols then replay nothing opaque of it."""
    messages = tuple(
        msgspec.structs.replace(message, origin=None) if message.id in stale else message
        for message in request.messages
    )
    return msgspec.structs.replace(request, messages=messages)
