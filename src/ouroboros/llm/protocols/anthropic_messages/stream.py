"""Messages events to ours; blocks are told apart by their index and may interleave."""

from collections.abc import Sequence
from typing import cast

import msgspec

from ouroboros.core.parts import Foreign, Meta
from ouroboros.llm import usage
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.fields import (
    Fields,
    child,
    children,
    integer,
    parse,
    raw_member,
    raw_members,
    string,
    text_of,
)
from ouroboros.llm.framing import Frame
from ouroboros.llm.lifecycle import Block, Place, Reply
from ouroboros.llm.stream import BlockKind, StopReason, StreamEvent

_STOPS: dict[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "pause_turn": "pause",
    "refusal": "refusal",
    "model_context_window_exceeded": "overflow",
}

_CALL_FIELDS = frozenset({"type", "id", "name", "input"})


class _Carried:
    """A block we do not read: its first JSON text, and what deltas add to it."""

    def __init__(self, place: Place, block: Fields, text: str) -> None:
        self.place = place
        self.block = block
        self.text = text
        self.arguments: list[str] = []
        self.is_changed = False

    def part(self) -> Foreign:
        """The block as it has become; untouched ones keep their text to the byte."""
        kind = string(self.block, "type")
        if not self.is_changed:
            return Foreign(kind=kind, content=self.text)
        arguments = "".join(self.arguments)
        block: dict[str, object] = dict(self.block)
        if parse(arguments) is not None:
            block["input"] = msgspec.Raw(arguments.encode("utf-8", "ignore"))
        return Foreign(kind=kind, content=text_of(block))


class MessagesDecoder:
    """One message; several ``message_delta`` may come, so the end waits for ``message_stop``."""

    def __init__(self, dialect: Dialect) -> None:
        """The format has no dialects on the way back."""
        self.reply = Reply()
        self._open: dict[int, Block | _Carried] = {}

    def step(self, frame: Frame) -> Sequence[StreamEvent]:
        """The events of one frame."""
        if self.reply.is_over or frame.data[:1] != "{":
            return ()
        event = parse(frame.data)
        if event is None:
            self.reply.note_damage()
        else:
            self._read_event(event, frame.data)
        return self.reply.take()

    def _read_event(self, event: Fields, data: str) -> None:
        match event.get("type"):
            case "content_block_delta":
                self._read_delta(integer(event, "index") or 0, child(event, "delta"))
            case "content_block_start":
                block = child(event, "content_block")
                text = raw_member(data, "content_block", block)
                self._start(integer(event, "index") or 0, block, text)
            case "content_block_stop":
                self._stop(integer(event, "index") or 0)
            case "message_start":
                self._restart(child(event, "message"))
            case "message_delta":
                self._count(child(event, "usage"))
                if reason := string(child(event, "delta"), "stop_reason"):
                    self.reply.trace.stop_reason = reason
            case "message_stop":
                self._end()
            case "error":
                self._fail(event)
            case _:
                pass

    def finish(self) -> Sequence[StreamEvent]:
        """The bytes have ended; without a stop reason the reply was cut off."""
        if self.reply.trace.stop_reason is None:
            self.reply.fail_cut()
        else:
            self._end()
        return self.reply.take()

    def read(self, body: bytes) -> Sequence[StreamEvent]:
        """The events of a whole message."""
        message = parse(body)
        if message is None or not message.keys() & {"content", "error"}:
            self.reply.fail_foreign()
            return self.reply.take()
        if "error" in message:
            self._fail(message)
            return self.reply.take()
        self._restart(message)
        texts = raw_members(body, "content")
        for index, block in enumerate(children(message, "content")):
            self._start(index, block, texts[index] if index < len(texts) else text_of(block))
            self._stop(index)
        self.reply.trace.stop_reason = string(message, "stop_reason") or None
        self._end()
        return self.reply.take()

    def _restart(self, message: Fields) -> None:
        # A server may start over within a stream: what was complete stays, open blocks are void.
        for block in self._open.values():
            if isinstance(block, Block):
                self.reply.abandon(block)
        self._open.clear()
        self.reply.response_id = string(message, "id")
        self.reply.model = string(message, "model")
        self._count(child(message, "usage"))

    def _count(self, counts: Fields) -> None:
        if counts:
            known = self.reply.trace.usage or {}
            news = {key: value for key, value in counts.items() if value is not None}
            joined = {**dict.fromkeys(counts), **known, **news}
            self.reply.count(joined, usage.from_anthropic_messages)

    def _start(self, index: int, block: Fields, text: str) -> None:
        self._stop(index)
        match block.get("type"):
            case "text":
                opened = self.reply.open("text")
                if citations := block.get("citations"):
                    opened.meta["citations"] = citations
                self.reply.grow(opened, string(block, "text"))
            case "thinking":
                opened = self.reply.open("reasoning")
                if signature := string(block, "signature"):
                    opened.meta["signature"] = signature
                self.reply.grow(opened, string(block, "thinking"))
            case "redacted_thinking":
                opened = self.reply.open("reasoning")
                opened.meta["redacted"] = string(block, "data")
            case "tool_use":
                opened = self._start_call(block, text)
            case _:
                opened = _Carried(self.reply.place(), block, text)
        self._open[index] = opened

    def _start_call(self, block: Fields, text: str) -> Block:
        opened = self.reply.open("call", name=string(block, "name"), call_id=string(block, "id"))
        meta: Meta = {key: value for key, value in block.items() if key not in _CALL_FIELDS}
        opened.meta.update(meta)
        if child(block, "input"):
            self.reply.grow(opened, raw_member(text, "input", child(block, "input")))
        return opened

    def _read_delta(self, index: int, delta: Fields) -> None:
        block = self._open.get(index)
        if isinstance(block, _Carried):
            self._extend(block, delta)
            return
        match delta.get("type"):
            case "text_delta":
                self.reply.grow(block or self._open_lost(index, "text"), string(delta, "text"))
            case "thinking_delta":
                grown = block or self._open_lost(index, "reasoning")
                self.reply.grow(grown, string(delta, "thinking"))
            case "input_json_delta" if block is not None:
                self.reply.grow(block, string(delta, "partial_json"))
            case "signature_delta" if block is not None:
                known = block.meta.get("signature")
                piece = string(delta, "signature")
                block.meta["signature"] = known + piece if isinstance(known, str) else piece
            case "citations_delta" if block is not None:
                citations = block.meta.get("citations")
                if not isinstance(citations, list):
                    citations = block.meta["citations"] = []
                cast("list[object]", citations).append(delta.get("citation"))
            case _:
                pass

    def _open_lost(self, index: int, kind: BlockKind) -> Block:
        block = self.reply.open(kind)
        self._open[index] = block
        return block

    def _extend(self, block: _Carried, delta: Fields) -> None:
        block.is_changed = True
        if delta.get("type") == "input_json_delta":
            block.arguments.append(string(delta, "partial_json"))
            return
        for key, value in delta.items():
            known = block.block.get(key)
            if key == "type":
                continue
            is_more = isinstance(known, str) and isinstance(value, str)
            block.block[key] = f"{known}{value}" if is_more else value

    def _stop(self, index: int) -> None:
        block = self._open.pop(index, None)
        if isinstance(block, _Carried):
            block.place.part = block.part()
        elif block is not None:
            self.reply.close(block)

    def _end(self) -> None:
        for index in list(self._open):
            self._stop(index)
        self.reply.end(_STOPS.get(self.reply.trace.stop_reason or "", "unknown"))

    def _fail(self, event: Fields) -> None:
        from ouroboros.llm.failures import classify, error_of

        self.reply.trace.error = error_of(event)
        self.reply.fail(classify(200, {}, event, now=0.0))
