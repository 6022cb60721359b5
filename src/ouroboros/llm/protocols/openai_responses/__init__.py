"""Responses, as OpenAI and a few others speak them."""

from ouroboros.core.parts import Origin
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Framing, sse
from ouroboros.llm.protocols.openai_responses.body import build
from ouroboros.llm.protocols.openai_responses.stream import ResponsesDecoder
from ouroboros.llm.protocols.protocol import BodyCache
from ouroboros.llm.request import Request


class OpenAIResponses:
    """The ``openai-responses`` wire format."""

    name = "openai-responses"

    def path(self, request: Request) -> str:
        """Where a request goes."""
        return "/responses"

    def build_body(
        self, request: Request, dialect: Dialect, origin: Origin, cache: BodyCache | None = None
    ) -> bytes:
        """The request as bytes."""
        return build(request, dialect, origin, cache or BodyCache())

    def framing(self, kind: str) -> Framing | None:
        """Events, unless the reply is whole."""
        return sse.framing(kind)

    def start(self, dialect: Dialect) -> ResponsesDecoder:
        """A decoder for one reply."""
        return ResponsesDecoder(dialect)
