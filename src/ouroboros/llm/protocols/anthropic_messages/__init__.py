"""Messages, as Anthropic speaks them."""

from ouroboros.core.parts import Origin
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Framing, sse
from ouroboros.llm.protocols.anthropic_messages.body import build
from ouroboros.llm.protocols.anthropic_messages.stream import MessagesDecoder
from ouroboros.llm.protocols.protocol import BodyCache
from ouroboros.llm.request import Request


class AnthropicMessages:
    """The ``anthropic-messages`` wire format."""

    name = "anthropic-messages"

    def path(self, request: Request) -> str:
        """Where a request goes."""
        return "/v1/messages"

    def build_body(
        self, request: Request, dialect: Dialect, origin: Origin, cache: BodyCache | None = None
    ) -> bytes:
        """The request as bytes."""
        return build(request, dialect, origin, cache or BodyCache())

    def framing(self, kind: str) -> Framing | None:
        """Events, unless the reply is whole."""
        return sse.framing(kind)

    def start(self, dialect: Dialect) -> MessagesDecoder:
        """A decoder for one reply."""
        return MessagesDecoder(dialect)
