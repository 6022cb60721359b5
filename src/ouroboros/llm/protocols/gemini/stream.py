"""Responses of Gemini to events; each chunk is a whole response, and its words are what is new."""

from collections.abc import Sequence

from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.core.parts import Foreign, Reasoning, Text
from ouroboros.llm import usage
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.fields import (
    Fields,
    child,
    children,
    parse,
    raw_member,
    raw_members,
    string,
    text_of,
)
from ouroboros.llm.framing import Frame
from ouroboros.llm.lifecycle import Block, Reply
from ouroboros.llm.protocols.gemini import signed
from ouroboros.llm.protocols.gemini.pieces import Pieces
from ouroboros.llm.stream import BlockKind, StopReason, StreamEvent

_STOPS: dict[str, StopReason] = {
    "STOP": "end",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "LANGUAGE": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "MODEL_ARMOR": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "IMAGE_PROHIBITED_CONTENT": "content_filter",
    "IMAGE_RECITATION": "content_filter",
    # As numbers, where a client of Google's asked for them.
    "1": "end",
    "2": "length",
    "3": "content_filter",
    "4": "content_filter",
}

_BROKEN_CALLS = frozenset({
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MISSING_THOUGHT_SIGNATURE",
    "MALFORMED_RESPONSE",
})

_COUNTS = ("promptTokenCount", "totalTokenCount")


class GeminiDecoder:
    """One reply; nothing marks its end but the end of the bytes.

    A reason to stop may come with every chunk, and counts after it.
    """

    def __init__(self, dialect: Dialect) -> None:
        """The format has no dialects on the way back."""
        self.reply = Reply()
        self._speech: Block | None = None
        self._call: Block | None = None
        self._pieces: Pieces | None = None
        self._is_heard = False
        self._note = ""

    def step(self, frame: Frame) -> Sequence[StreamEvent]:
        """The events of one frame."""
        if self.reply.is_over or frame.data[:1] != "{":
            return ()
        chunk = parse(frame.data)
        if chunk is None:
            self.reply.note_damage()
        else:
            self._read(chunk, frame.data)
        return self.reply.take()

    def finish(self) -> Sequence[StreamEvent]:
        """The bytes have ended; without a stop reason the reply was cut off."""
        if self.reply.trace.stop_reason is None:
            self.reply.fail_cut()
        else:
            self._end()
        return self.reply.take()

    def read(self, body: bytes) -> Sequence[StreamEvent]:
        """The events of a whole response, or of a list of its chunks."""
        from ouroboros.llm.framing.json_array import Objects

        objects, events = Objects(), list[StreamEvent]()
        try:
            frames = [*objects.feed(body), *objects.end()]
        except ModelFailed as error:
            self.reply.fail(error.failure)
            return self.reply.take()
        for frame in frames:
            events += self.step(frame)
        if self._is_heard:
            self._end()
        else:
            self.reply.fail_foreign()
        return [*events, *self.reply.take()]

    def _read(self, chunk: Fields, data: str) -> None:
        self._count(child(chunk, "usageMetadata"))
        if not self.reply.response_id:
            self.reply.response_id = string(chunk, "responseId")
            self.reply.model = string(chunk, "modelVersion")
        for place, candidate in enumerate(children(chunk, "candidates")):
            if candidate.get("index") in (0, None):
                self._is_heard = True
                self._read_candidate(candidate, data, place)
        if chunk.get("error"):
            self._fail(chunk)
        elif reason := child(chunk, "promptFeedback").get("blockReason"):
            self._refuse(str(reason), string(child(chunk, "promptFeedback"), "blockReasonMessage"))

    def _count(self, counts: Fields) -> None:
        if any(name in counts for name in _COUNTS):
            self.reply.count(counts, usage.from_gemini)

    def _read_candidate(self, candidate: Fields, data: str, place: int) -> None:
        for index, part in enumerate(children(child(candidate, "content"), "parts")):
            signature = string(part, "thoughtSignature")
            text = part.get("text")
            if isinstance(text, str):
                self._say("reasoning" if part.get("thought") is True else "text", text, signature)
            elif "functionCall" in part:
                self._read_call(part, _raw_part(data, place, index, part), signature)
            else:
                self._carry(part, _raw_part(data, place, index, part))
        reason = candidate.get("finishReason")
        if isinstance(reason, str | int) and reason and reason is not True:
            self.reply.trace.stop_reason = str(reason)
            self.reply.trace.stop_number = reason if isinstance(reason, int) else None
            self._note = string(candidate, "finishMessage")

    def _say(self, kind: BlockKind, text: str, signature: str) -> None:
        if not text and not signature:
            return
        block = self._speech
        if block is None or block.kind != kind:
            self._close_speech()
            if not text:
                # A signature on nothing: kept in its place, and told to nobody.
                meta = signed.alone(signature)
                is_text = kind == "text"
                self.reply.place(Text(text="", meta=meta) if is_text else Reasoning(meta=meta))
                return
            block = self._speech = self.reply.open(kind)
        signed.note(block, text, signature)
        self.reply.grow(block, text)

    def _close_speech(self) -> None:
        if self._speech is not None:
            self.reply.close(self._speech)
            self._speech = None

    def _carry(self, part: Fields, text: str) -> None:
        kind = next((key for key in part if not key.startswith("thought")), "")
        if kind:
            self._close_speech()
            self.reply.place(Foreign(kind=kind, content=text))

    def _read_call(self, part: Fields, text: str, signature: str) -> None:
        call = child(part, "functionCall")
        if name := string(call, "name"):
            self._close_call()
            self._close_speech()
            self._open_call(call, name, signature)
        if self._call is None:
            return
        args, pieces = child(call, "args"), children(call, "partialArgs")
        goes_on = call.get("willContinue") is True
        if args and self._pieces is None and not pieces and not goes_on:
            self.reply.grow(self._call, _arguments(text, call))
        elif (args or pieces) and self._pieces is None:
            self._pieces = Pieces(args)
        if self._pieces is not None:
            for piece in pieces:
                self._pieces.add(piece)
        if not goes_on:
            self._close_call()

    def _close_call(self) -> None:
        block, pieces = self._call, self._pieces
        self._call = self._pieces = None
        if block is None:
            return
        if pieces is not None:
            self.reply.trace.pieced.add(block.id)
            self.reply.grow(block, text_of(pieces.value))
        self.reply.close(block)

    def _open_call(self, call: Fields, name: str, signature: str) -> None:
        block = self._call = self.reply.open("call", name=name)
        if server_id := string(call, "id"):
            block.id = block.meta["id"] = server_id
        else:
            block.id = f"call_{self.reply.response_id}_{block.part}"
            self.reply.trace.minted.add(block.id)
        if signature:
            block.meta["thoughtSignature"] = signature

    def _refuse(self, reason: str, message: str) -> None:
        self.reply.fail(
            Failure(
                kind="content_policy",
                message=message or f"The provider refused the request: {reason}.",
                code=reason,
            )
        )

    def _fail(self, chunk: Fields) -> None:
        from ouroboros.llm.failures import classify

        self.reply.trace.error = chunk.get("error")
        self.reply.fail(classify(200, {}, chunk, now=0.0))

    def _end(self) -> None:
        reason = self.reply.trace.stop_reason or ""
        stop = _STOPS.get(reason, "unknown")
        self._close_speech()
        if self._call is not None and stop != "end":
            self.reply.abandon(self._call)
            self._call = None
        self._close_call()
        if reason in _BROKEN_CALLS and not self.reply.blocks("call"):
            self.reply.fail(
                Failure(
                    kind="invalid_tool_output",
                    message=self._note or f"The model's reply broke off: {reason}.",
                    retryable=True,
                    code=str(reason),
                )
            )
            return
        self.reply.end(stop)


def _raw_part(data: str, place: int, index: int, part: Fields) -> str:
    """The JSON text of a part as it came, or anew where it cannot be sliced."""
    candidates = raw_members(data, "candidates")
    if place < len(candidates):
        content = raw_member(candidates[place], "content", None)
        parts = raw_members(content, "parts")
        if index < len(parts):
            return _compact(parts[index], part)
    return text_of(part)


def _compact(text: str, value: object) -> str:
    """``text``, or ``value`` anew if it was printed over several lines."""
    return text_of(value) if "\n" in text else text


def _arguments(text: str, call: Fields) -> str:
    return raw_member(raw_member(text, "functionCall", call), "args", child(call, "args"))
