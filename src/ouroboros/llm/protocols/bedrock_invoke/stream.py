"""A maker's own events, handed through by Bedrock in pieces of base64."""

from collections.abc import Callable, Mapping, Sequence

from ouroboros.core.errors import Failure
from ouroboros.llm import usage
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.fields import Fields, child, children, parse, string
from ouroboros.llm.framing import Frame
from ouroboros.llm.framing.event_stream import FAILURES, error_of, failure_of
from ouroboros.llm.lifecycle import Block, Reply
from ouroboros.llm.protocols.anthropic_messages.stream import MessagesDecoder
from ouroboros.llm.protocols.bedrock_converse.stream import ConverseDecoder
from ouroboros.llm.protocols.protocol import Decoder
from ouroboros.llm.stream import StopReason, StreamEvent

_METRICS = "amazon-bedrock-invocationMetrics"
_GUARDRAIL = "amazon-bedrock-guardrailAction"
_NOVA = ("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop",
         "metadata")  # fmt: skip
_STOPS: dict[str, StopReason] = {
    "stop": "end",
    "finish": "end",
    "stop_criteria_met": "end",
    "length": "length",
    "content_filtered": "content_filter",
}


class InvokeDecoder:
    """One reply, read by the decoder of the format that its first event is in."""

    def __init__(self, dialect: Dialect) -> None:
        """Waits for the first event."""
        self._dialect = dialect
        self._first = Reply()
        self._damaged = 0
        self._inner: Decoder | None = None

    @property
    def reply(self) -> Reply:
        """What has been understood so far."""
        return self._inner.reply if self._inner else self._first

    def step(self, frame: Frame) -> Sequence[StreamEvent]:
        """The events of one frame."""
        if self.reply.is_over:
            return ()
        outer = parse(frame.data)
        if frame.event in FAILURES:
            self.reply.trace.error = error = error_of(frame)
            self.reply.fail(failure_of(frame, error))
        elif frame.event not in {"", "chunk"}:  # a kind of event that is not known yet
            return ()
        elif outer is None or (text := _unpacked(string(outer, "bytes"))) is None:
            self._note_damage()
        else:
            return self._step_inner(text)
        return self.reply.take()

    def finish(self) -> Sequence[StreamEvent]:
        """The bytes have ended."""
        if self._inner is not None:
            return self._inner.finish()
        self.reply.fail_cut()
        return self.reply.take()

    def read(self, body: bytes) -> Sequence[StreamEvent]:
        """The events of a whole reply of Anthropic's models; the others are only streamed."""
        answer = parse(body) or {}
        if answer.keys() & {"output", "outputs", "outputText", "results", "generation"}:
            self.reply.fail(_UNREAD)
        elif "content" not in answer and answer.keys() & {"message", "Message"}:
            self._fail(answer)
        else:
            self._inner = MessagesDecoder(self._dialect)
            return self._inner.read(body)
        return self.reply.take()

    def _step_inner(self, text: str) -> Sequence[StreamEvent]:
        event = parse(text)
        if event is not None and self._inner is None:
            self._inner = _decoder_for(event, self._dialect)
            for _ in range(self._damaged if self._inner else 0):
                self.reply.note_damage()
        if event is None or self._inner is None:
            self._note_damage()
            return self.reply.take()
        reply = self._inner.reply
        if not reply.is_counted and (metrics := child(event, _METRICS)):
            reply.count_beside(metrics, usage.from_bedrock_metrics)
        return self._inner.step(Frame("", text))

    def _note_damage(self) -> None:
        self._damaged += 1
        self.reply.note_damage()

    def _fail(self, answer: Fields) -> None:
        from ouroboros.llm.failures import classify

        self.reply.trace.error = answer
        self.reply.fail(classify(200, {}, answer, now=0.0))


class NovaDecoder:
    """Nova's events: those of Converse, each the one member of an object."""

    def __init__(self, dialect: Dialect) -> None:
        """As Converse's decoder."""
        self._inner = ConverseDecoder(dialect, joins_text=True)
        self.reply = self._inner.reply

    def step(self, frame: Frame) -> Sequence[StreamEvent]:
        """The events of one frame."""
        event = {} if self.reply.is_over else parse(frame.data) or {}
        for kind in _NOVA:
            if kind in event:
                self._inner.read_event(kind, child(event, kind))
        return self.reply.take()

    def finish(self) -> Sequence[StreamEvent]:
        """The bytes have ended."""
        return self._inner.finish()

    def read(self, body: bytes) -> Sequence[StreamEvent]:
        """The events of a whole reply."""
        return self._inner.read(body)


class TextDecoder:
    """Titan, Llama and Mistral: pieces of one text, and a reason when it ends."""

    def __init__(self, read_piece: Callable[[Fields], tuple[str, str]]) -> None:
        """``read_piece`` gives the text of an event and the reason in it, both may be empty."""
        self.reply = Reply()
        self._read_piece = read_piece
        self._text: Block | None = None
        self._is_blocked = False

    def step(self, frame: Frame) -> Sequence[StreamEvent]:
        """The events of one frame."""
        if self.reply.is_over:
            return ()
        event = parse(frame.data)
        if event is None:
            self.reply.note_damage()
            return self.reply.take()
        text, reason = self._read_piece(event)
        if text:
            self._text = self._text or self.reply.open("text")
            self.reply.grow(self._text, text)
        self._is_blocked = self._is_blocked or event.get(_GUARDRAIL) == "INTERVENED"
        self.reply.trace.stop_reason = reason or self.reply.trace.stop_reason
        return self.reply.take()

    def finish(self) -> Sequence[StreamEvent]:
        """The bytes have ended; without a reason to stop the reply was cut off."""
        reason = self.reply.trace.stop_reason
        if self._is_blocked:
            self.reply.end("content_filter")
        elif reason is None:
            self.reply.fail_cut()
        else:
            self.reply.end(_STOPS.get(str(reason).lower(), "unknown"))
        return self.reply.take()

    def read(self, body: bytes) -> Sequence[StreamEvent]:
        """A whole reply is one event."""
        return [*self.step(Frame("", body.decode("utf-8", "replace"))), *self.finish()]


def _titan(event: Fields) -> tuple[str, str]:
    return string(event, "outputText"), string(event, "completionReason")


def _llama(event: Fields) -> tuple[str, str]:
    return string(event, "generation"), string(event, "stop_reason")


def _mistral(event: Fields) -> tuple[str, str]:
    outputs = children(event, "outputs")
    text = "".join(string(output, "text") for output in outputs)
    return text, next((string(output, "stop_reason") for output in outputs), "")


_TEXTS: dict[str, Callable[[Fields], tuple[str, str]]] = {
    "outputText": _titan,
    "generation": _llama,
    "outputs": _mistral,
}


def _decoder_for(event: Mapping[str, object], dialect: Dialect) -> Decoder | None:
    """Who reads a reply that begins so; None for an event of no known format."""
    if isinstance(event.get("type"), str):
        return MessagesDecoder(dialect)
    if event.keys() & set(_NOVA):
        return NovaDecoder(dialect)
    for key, read_piece in _TEXTS.items():
        if key in event:
            return TextDecoder(read_piece)
    if "choices" in event:
        from ouroboros.llm.protocols.openai_chat.stream import ChatDecoder

        return ChatDecoder(dialect)
    return None


def _unpacked(text: str) -> str | None:
    import base64
    import binascii

    try:
        return base64.b64decode(text, validate=True).decode("utf-8", "replace") or None
    except (binascii.Error, ValueError):
        return None


_UNREAD = Failure(
    kind="invalid_request",
    message="Bedrock's InvokeModel gives whole replies that are read for Anthropic's models only. "
    "Stream them, or use bedrock-converse.",
)
