"""Converse events to ours; blocks are told apart by their index, and text starts with a delta."""

from collections.abc import Sequence
from typing import cast

import msgspec

from ouroboros.core.errors import Failure, FailureKind
from ouroboros.core.parts import Foreign
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
from ouroboros.llm.framing.event_stream import FAILURES, error_of, failure_of
from ouroboros.llm.lifecycle import Block, Place, Reply
from ouroboros.llm.stream import BlockKind, StopReason, StreamEvent

_STOPS: dict[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "guardrail_intervened": "content_filter",
    "content_filtered": "content_filter",
    "model_context_window_exceeded": "overflow",
}

_MALFORMED: dict[str, FailureKind] = {
    "malformed_tool_use": "invalid_tool_output",
    "malformed_model_output": "server",
}

_SERVER_TOOL = "server_tool_use"


class _Carried:
    """A block we do not read: what it began with, and what deltas add to it."""

    def __init__(self, place: Place, kind: str, block: Fields) -> None:
        self.place = place
        self.kind = kind
        self.block = block
        self.arguments: list[str] = []
        self.content: list[object] = []

    def part(self) -> Foreign:
        """The block as a whole reply would have it."""
        block: dict[str, object] = dict(self.block)
        if self.kind == "toolUse":
            arguments = "".join(self.arguments)
            is_whole = parse(arguments) is not None
            block["input"] = msgspec.Raw(arguments.encode("utf-8", "ignore")) if is_whole else {}
        elif self.content:
            block["content"] = self.content
        return Foreign(kind=self.kind, content=text_of({self.kind: block}))


class ConverseDecoder:
    """One reply; its counts come after its stop reason, so the end waits for them."""

    def __init__(self, dialect: Dialect, *, joins_text: bool = False) -> None:
        """``joins_text`` is for Nova's own stream, where each piece of a text is a block."""
        self.reply = Reply()
        self._joins_text = joins_text
        self._open: dict[int, Block | _Carried] = {}
        self._text: Block | None = None

    def step(self, frame: Frame) -> Sequence[StreamEvent]:
        """The events of one frame."""
        if self.reply.is_over:
            return ()
        if frame.event in FAILURES:
            self.reply.trace.error = error = error_of(frame)
            self.reply.fail(failure_of(frame, error))
        elif (event := parse(frame.data)) is None:
            self.reply.note_damage()
        else:
            self.read_event(frame.event, event)
        return self.reply.take()

    def read_event(self, kind: str, event: Fields) -> None:
        """Takes in one event of this kind."""
        match kind:
            case "contentBlockDelta":
                self._read_delta(_index(event), child(event, "delta"))
            case "contentBlockStart":
                self._start(_index(event), child(event, "start"))
            case "contentBlockStop":
                self._stop(_index(event))
            case "messageStop":
                self.reply.trace.stop_reason = string(event, "stopReason") or None
            case "metadata":
                self._count(child(event, "usage"))
                if self.reply.trace.stop_reason is not None:
                    self._end()
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
        """The events of a whole reply."""
        answer = parse(body)
        if answer is None or not answer.keys() & {"output", "message", "Message", "error"}:
            self.reply.fail_foreign()
            return self.reply.take()
        if "output" not in answer:
            self._fail(answer)
            return self.reply.take()
        for index, text in enumerate(_block_texts(answer, body)):
            self._read_block(index, parse(text) or {}, text)
        self._count(child(answer, "usage"))
        self.reply.trace.stop_reason = string(answer, "stopReason") or None
        self._end()
        return self.reply.take()

    def _start(self, index: int, start: Fields) -> None:
        self._stop(index)
        for kind, value in start.items():
            block = cast("Fields", value) if isinstance(value, dict) else {}
            if kind == "toolUse" and block.get("type") != _SERVER_TOOL:
                self._text = None
                name, call_id = string(block, "name"), string(block, "toolUseId")
                self._open[index] = self.reply.open("call", name=name, call_id=call_id)
            else:
                self._open[index] = _Carried(self.reply.place(), kind, block)
            return

    def _read_delta(self, index: int, delta: Fields) -> None:
        opened = self._open.get(index)
        if isinstance(opened, _Carried):
            _extend(opened, delta)
            return
        if text := string(delta, "text"):
            block = opened or self._open_text(index)
            self.reply.grow(block, text)
        elif "toolUse" in delta and opened is not None:
            self.reply.grow(opened, string(child(delta, "toolUse"), "input"))
        elif "reasoningContent" in delta:
            self._think(index, child(delta, "reasoningContent"))
        elif isinstance(citation := delta.get("citation"), dict):
            block = opened or self._open_text(index)
            known = block.meta.setdefault("citations", [])
            cast("list[object]", known).append(cast("object", citation))

    def _think(self, index: int, thought: Fields) -> None:
        opened = self._open.get(index)
        block = opened if isinstance(opened, Block) else self._open_new(index, "reasoning")
        self.reply.grow(block, string(thought, "text"))
        for field, name in (("signature", "signature"), ("redactedContent", "redacted")):
            if piece := string(thought, field):
                known = block.meta.get(name)
                block.meta[name] = f"{known}{piece}" if isinstance(known, str) else piece

    def _open_text(self, index: int) -> Block:
        if self._text is not None and self._joins_text:
            self._open[index] = self._text
            return self._text
        self._text = self._open_new(index, "text")
        return self._text

    def _open_new(self, index: int, kind: BlockKind) -> Block:
        self._text = None
        block = self.reply.open(kind)
        self._open[index] = block
        return block

    def _stop(self, index: int) -> None:
        block = self._open.pop(index, None)
        if isinstance(block, _Carried):
            block.place.part = block.part()
        elif block is not None and not (self._joins_text and block is self._text):
            self.reply.close(block)

    def _read_block(self, index: int, block: Fields, text: str) -> None:
        """A block of a whole reply; a ``type`` beside its one member says nothing more."""
        kind = next((key for key in block if key != "type"), "")
        inner = child(block, kind)
        match kind:
            case "text":
                self._read_delta(index, block)
            case "toolUse" if inner.get("type") != _SERVER_TOOL:
                self._start(index, {"toolUse": inner})
                whole = raw_member(text, "toolUse", inner)
                arguments = raw_member(whole, "input", inner.get("input", {}))
                self._read_delta(index, {"toolUse": {"input": arguments}})
            case "reasoningContent":
                thought = child(inner, "reasoningText") or inner
                self._think(index, thought)
            case _:
                self.reply.place(Foreign(kind=kind, content=text))
        self._stop(index)

    def _count(self, counts: Fields) -> None:
        if counts:
            self.reply.count(counts, usage.from_bedrock_converse)

    def _end(self) -> None:
        for index in list(self._open):
            self._stop(index)
        reason = str(self.reply.trace.stop_reason or "")
        if reason in _MALFORMED:
            self.reply.fail(_malformed(reason))
        else:
            self.reply.end(_STOPS.get(reason, "unknown"))

    def _fail(self, answer: Fields) -> None:
        from ouroboros.llm.failures import classify

        self.reply.trace.error = answer
        self.reply.fail(classify(200, {}, answer, now=0.0))


def _block_texts(answer: Fields, body: bytes) -> list[str]:
    """The blocks of a whole reply, each as it came."""
    output = child(answer, "output")
    message = child(output, "message")
    text = raw_member(body.decode("utf-8", "replace"), "output", output)
    texts = raw_members(raw_member(text, "message", message), "content")
    return texts or [text_of(block) for block in children(message, "content")]


def _index(event: Fields) -> int:
    return integer(event, "contentBlockIndex") or 0


def _extend(block: _Carried, delta: Fields) -> None:
    if "toolUse" in delta:
        block.arguments.append(string(child(delta, "toolUse"), "input"))
        return
    value = delta.get(block.kind)
    if isinstance(value, list):
        block.content += cast("list[object]", value)


def _malformed(reason: str) -> Failure:
    return Failure(
        kind=_MALFORMED[reason],
        message=f"The model wrote something that Bedrock could not read ({reason}).",
        retryable=True,
        code=reason,
    )
