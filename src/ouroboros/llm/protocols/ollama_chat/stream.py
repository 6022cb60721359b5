"""Objects of Ollama's chat to events; the one that says it is done ends the reply."""

from collections.abc import Sequence

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
from ouroboros.llm.stream import BlockKind, StopReason, StreamEvent
from ouroboros.llm.think_tags import ThinkTags

_STOPS: dict[str, StopReason] = {"stop": "end", "length": "length"}

_COUNTS = (
    "prompt_eval_count",
    "eval_count",
    "total_duration",
    "load_duration",
    "prompt_eval_duration",
    "eval_duration",
)


class OllamaDecoder:
    """One reply; calls come whole, each within one object."""

    def __init__(self, dialect: Dialect) -> None:
        """``dialect`` tells whether thoughts come between tags."""
        self.reply = Reply()
        self._speech: Block | None = None
        self._stamp = ""
        self._tags = ThinkTags() if dialect.think_tags else None

    def step(self, frame: Frame) -> Sequence[StreamEvent]:
        """The events of one frame."""
        if self.reply.is_over:
            return ()
        chunk = parse(frame.data)
        if chunk is None:
            self.reply.note_damage()
        else:
            self._read(chunk, frame.data)
        return self.reply.take()

    def finish(self) -> Sequence[StreamEvent]:
        """The bytes have ended; before the last object the reply was cut off."""
        if not self.reply.is_over:
            self._release_held()
            self.reply.fail_cut()
        return self.reply.take()

    def read(self, body: bytes) -> Sequence[StreamEvent]:
        """The events of a whole reply."""
        chunk = parse(body)
        if chunk is None or not chunk.keys() & {"message", "error"}:
            self.reply.fail_foreign()
            return self.reply.take()
        self._read(chunk, body.decode("utf-8", "replace"))
        self._end(chunk)
        return self.reply.take()

    def _read(self, chunk: Fields, data: str) -> None:
        if chunk.get("error"):
            self._fail(chunk)
            return
        if not self._stamp:
            # The time of the first object tells replies apart, for want of anything better.
            self._stamp = "".join(filter(str.isalnum, string(chunk, "created_at")))
            self.reply.model = string(chunk, "model")
        message = child(chunk, "message")
        self._say("reasoning", string(message, "thinking"))
        self._speak(string(message, "content"))
        if message.get("tool_calls"):
            self._read_calls(message, data)
        if chunk.get("done") is True:
            self._end(chunk)

    def _speak(self, text: str) -> None:
        if self._tags is None:
            self._say("text", text)
            return
        for kind, piece in self._tags.feed(text):
            self._say(kind, piece)

    def _say(self, kind: BlockKind, text: str) -> None:
        if not text:
            return
        block = self._speech
        if block is None or block.kind != kind:
            if block is not None:
                self.reply.close(block)
            block = self._speech = self.reply.open(kind)
        self.reply.grow(block, text)

    def _release_held(self) -> None:
        for kind, piece in self._tags.end() if self._tags else ():
            self._say(kind, piece)

    def _close_speech(self) -> None:
        self._release_held()
        if self._speech is not None:
            self.reply.close(self._speech)
            self._speech = None

    def _read_calls(self, message: Fields, data: str) -> None:
        self._close_speech()
        texts = raw_members(raw_member(data, "message", message), "tool_calls")
        for place, call in enumerate(children(message, "tool_calls")):
            function = child(call, "function")
            block = self.reply.open("call", name=string(function, "name"))
            if server_id := string(call, "id"):
                block.id = block.meta["id"] = server_id
            else:
                block.id = f"call_{self._stamp}_{block.part}"
                self.reply.trace.minted.add(block.id)
            text = texts[place] if place < len(texts) else text_of(call)
            self.reply.grow(block, _arguments(text, function))
            self.reply.close(block)

    def _end(self, chunk: Fields) -> None:
        counts = {name: chunk[name] for name in _COUNTS if name in chunk}
        if counts:
            self.reply.count(counts, usage.from_ollama)
        reason = string(chunk, "done_reason")
        self.reply.trace.stop_reason = reason or None
        self._close_speech()
        self.reply.end(_STOPS.get(reason, "unknown"))

    def _fail(self, chunk: Fields) -> None:
        from ouroboros.llm.failures import classify

        self.reply.trace.error = chunk.get("error")
        self._release_held()
        self.reply.fail(classify(200, {}, chunk, now=0.0))


def _arguments(text: str, function: Fields) -> str:
    """The arguments as they came; some models give a text, some nothing."""
    given = function.get("arguments")
    if given is None or isinstance(given, str):
        return given or ""
    return raw_member(raw_member(text, "function", function), "arguments", given)
