"""The echo provider: answers with the last words of the user, offline."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager

from ouroboros.core.errors import Failure
from ouroboros.core.parts import Origin
from ouroboros.llm.request import Request
from ouroboros.llm.script import deltas, latest_text, parts, usage_of
from ouroboros.llm.stream import Finished, StreamEvent
from ouroboros.llm.turns import Played, Turn


class EchoRoute:
    """Needs no key and no network."""

    @property
    def origin(self) -> Origin:
        """Who writes the replies."""
        return Origin(provider="echo", protocol="script", model="echo")

    @asynccontextmanager
    async def attempt(
        self, request: Request
    ) -> AsyncGenerator[AsyncIterator[Sequence[StreamEvent]]]:
        """Says what the last plain message of the user said."""
        said = [
            message
            for message in request.messages
            if message.role == "user" and message.kind == "plain" and message.text
        ]
        turn = Turn(text=latest_text(said[-1:]))
        replies = self._replies(Played(turn, str(len(request.messages))), request)
        try:
            yield replies
        finally:
            await replies.aclose()

    async def warm(self) -> None:
        """Has nothing to open."""

    def explain(self, failure: Failure) -> str:
        """Echo does not fail."""
        return ""

    async def close(self) -> None:
        """Has nothing to close."""

    async def _replies(
        self, played: Played, request: Request
    ) -> AsyncGenerator[Sequence[StreamEvent]]:
        yield tuple(deltas(played))
        yield (
            Finished(
                parts=parts(played),
                stop_reason="end",
                raw_stop_reason="end",
                usage=usage_of(played.turn, request),
                model="echo",
            ),
        )
