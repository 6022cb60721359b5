"""Chat completions, as OpenAI made them and many vendors speak them."""

from ouroboros.core.parts import Origin
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Framing, sse
from ouroboros.llm.protocols.openai_chat.body import build
from ouroboros.llm.protocols.openai_chat.stream import ChatDecoder
from ouroboros.llm.protocols.protocol import BodyCache
from ouroboros.llm.request import Request


class OpenAIChat:
    """The ``openai-chat`` wire format."""

    name = "openai-chat"

    def path(self, request: Request) -> str:
        """Where a request goes."""
        return "/chat/completions"

    def build_body(
        self, request: Request, dialect: Dialect, origin: Origin, cache: BodyCache | None = None
    ) -> bytes:
        """The request as bytes."""
        return build(request, dialect, origin, cache or BodyCache())

    def framing(self, kind: str) -> Framing | None:
        """Events, unless the reply is whole."""
        return sse.framing(kind)

    def start(self, dialect: Dialect) -> ChatDecoder:
        """A decoder for one reply."""
        return ChatDecoder(dialect)
