"""Contents, as Gemini speaks them at Google AI Studio and at Vertex."""

from urllib.parse import quote

from ouroboros.core.parts import Origin
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Framing, sse
from ouroboros.llm.protocols.gemini.body import build
from ouroboros.llm.protocols.gemini.stream import GeminiDecoder
from ouroboros.llm.protocols.protocol import BodyCache
from ouroboros.llm.request import Request


class Gemini:
    """The ``gemini`` wire format."""

    name = "gemini"

    def path(self, request: Request) -> str:
        """Where a request goes; the model and the way of answering are part of it."""
        model = request.model.removeprefix("models/")
        folder, _, name = model.rpartition("/")
        # A tuned model has a folder of its own.
        place = f"tunedModels/{quote(name, safe='')}" if folder == "tunedModels" else ""
        verb = "streamGenerateContent?alt=sse" if request.stream else "generateContent"
        return f"/{place or 'models/' + quote(model, safe='')}:{verb}"

    def build_body(
        self, request: Request, dialect: Dialect, origin: Origin, cache: BodyCache | None = None
    ) -> bytes:
        """The request as bytes."""
        return build(request, dialect, origin, cache or BodyCache())

    def framing(self, kind: str) -> Framing:
        """Events; or the elements of an array, for a server that does not know ``alt=sse``."""
        if kind == "text/event-stream":
            return sse.Decoder()
        from ouroboros.llm.protocols.gemini.unlabelled import Unlabelled

        return Unlabelled()

    def start(self, dialect: Dialect) -> GeminiDecoder:
        """A decoder for one reply."""
        return GeminiDecoder(dialect)
