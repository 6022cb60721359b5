"""InvokeModelWithResponseStream: AWS Bedrock hands a maker's own format through."""

from ouroboros.core.parts import Origin
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Framing, event_stream
from ouroboros.llm.protocols.bedrock_invoke.body import build
from ouroboros.llm.protocols.bedrock_invoke.stream import InvokeDecoder
from ouroboros.llm.protocols.encoding import model_path
from ouroboros.llm.protocols.protocol import BodyCache
from ouroboros.llm.request import Request


class BedrockInvoke:
    """The ``bedrock-invoke-stream`` wire format."""

    name = "bedrock-invoke-stream"

    def path(self, request: Request) -> str:
        """Where a request goes."""
        verb = "invoke-with-response-stream" if request.stream else "invoke"
        return model_path(request.model, verb)

    def build_body(
        self, request: Request, dialect: Dialect, origin: Origin, cache: BodyCache | None = None
    ) -> bytes:
        """The request as bytes, in the format of the model's maker."""
        return build(request, dialect, origin, cache or BodyCache())

    def framing(self, kind: str) -> Framing | None:
        """Messages of an event stream, unless the reply is whole."""
        return event_stream.framing(kind)

    def start(self, dialect: Dialect) -> InvokeDecoder:
        """A decoder for one reply; its first event tells whose it is."""
        return InvokeDecoder(dialect)
