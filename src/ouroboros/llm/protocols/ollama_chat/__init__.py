"""Chat, as Ollama speaks it natively; only here can a client say how long the context is."""

from ouroboros.core.parts import Origin
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Framing
from ouroboros.llm.protocols.ollama_chat.body import build
from ouroboros.llm.protocols.ollama_chat.stream import OllamaDecoder
from ouroboros.llm.protocols.protocol import BodyCache
from ouroboros.llm.request import Request


class OllamaChat:
    """The ``ollama-chat`` wire format."""

    name = "ollama-chat"

    def path(self, request: Request) -> str:
        """Where a request goes."""
        return "/api/chat"

    def build_body(
        self, request: Request, dialect: Dialect, origin: Origin, cache: BodyCache | None = None
    ) -> bytes:
        """The request as bytes."""
        return build(request, dialect, origin, cache or BodyCache())

    def framing(self, kind: str) -> Framing:
        """A line for each object; or objects alone, for a reply that came whole all the same."""
        if kind == "application/json":
            from ouroboros.llm.framing.json_array import Objects

            return Objects()
        from ouroboros.llm.framing.json_lines import Lines

        return Lines()

    def start(self, dialect: Dialect) -> OllamaDecoder:
        """A decoder for one reply."""
        return OllamaDecoder(dialect)
