"""Converse, as AWS Bedrock speaks it for every model it hosts."""

from ouroboros.core.parts import Origin
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Framing, event_stream
from ouroboros.llm.protocols.bedrock_converse.body import build
from ouroboros.llm.protocols.bedrock_converse.stream import ConverseDecoder
from ouroboros.llm.protocols.encoding import model_path
from ouroboros.llm.protocols.protocol import BodyCache
from ouroboros.llm.request import Request


class BedrockConverse:
    """The ``bedrock-converse`` wire format."""

    name = "bedrock-converse"

    def path(self, request: Request) -> str:
        """Where a request goes."""
        verb = "converse-stream" if request.stream else "converse"
        return model_path(request.model, verb)

    def build_body(
        self, request: Request, dialect: Dialect, origin: Origin, cache: BodyCache | None = None
    ) -> bytes:
        """The request as bytes."""
        return build(request, dialect, origin, cache or BodyCache())

    def framing(self, kind: str) -> Framing | None:
        """Messages of an event stream, unless the reply is whole."""
        return event_stream.framing(kind)

    def start(self, dialect: Dialect) -> ConverseDecoder:
        """A decoder for one reply."""
        return ConverseDecoder(dialect)
