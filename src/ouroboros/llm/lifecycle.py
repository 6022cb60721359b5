"""A reply while it is built: blocks open, grow and close, and it ends exactly once."""

from collections.abc import Callable

from msgspec import Struct, field

from ouroboros.core.errors import Failure
from ouroboros.core.parts import Meta, Part, Reasoning, Text, ToolCall, Usage
from ouroboros.llm.fields import Fields, is_object
from ouroboros.llm.stream import (
    BlockEnded,
    BlockGrew,
    BlockKind,
    BlockStarted,
    CallReady,
    Failed,
    Finished,
    StopReason,
    StreamEvent,
)

MOST_PARTS = 2_000
MOST_TEXT = 32 * 1_048_576
"""Characters of words, thoughts and arguments together; no model writes a tenth of it."""


class Trace(Struct, kw_only=True):
    """What the vendor said in its own words, for debugging; never interpreted.

    ``stop_number`` is a reason that came as a number; ``minted`` are ids of calls that came without
    one, ``pieced`` those of calls whose arguments came value by value.
    """

    stop_reason: str | None = None
    stop_number: int | None = None
    usage: Fields | None = None
    error: object = None
    minted: set[str] = field(default_factory=set[str])
    pieced: set[str] = field(default_factory=set[str])


class Block(Struct, kw_only=True, eq=False):
    """A stretch of words, thoughts or call arguments of the reply being built."""

    part: int
    kind: BlockKind
    name: str = ""
    id: str = ""
    pieces: list[str] = field(default_factory=list[str])
    meta: Meta = field(default_factory=dict[str, object])
    is_open: bool = True
    is_ready: bool = False
    whole: Part | None = None

    @property
    def text(self) -> str:
        """All that has come so far."""
        return "".join(self.pieces)

    @property
    def call(self) -> ToolCall:
        """The block as a call; no arguments at all mean an empty object."""
        arguments = self.text
        return ToolCall(
            id=self.id,
            name=self.name,
            arguments=arguments if arguments.strip() else "{}",
            meta=self.meta,
        )


class Place(Struct, kw_only=True, eq=False):
    """Where a part stands that is told to nobody; None until it has come whole."""

    part: Part | None = None


class Reply:
    """Collects what a model says and notes the events that tell of it.

    A call is ready when its block has closed on whole arguments. One whose arguments are no JSON
    object, or nothing at all, waits for the end: a reply that was cut off loses it, any other hands
    it on as it is, for the model to be told.
    """

    def __init__(self) -> None:
        """An empty reply, not ended."""
        self.trace = Trace()
        self.response_id = ""
        self.model = ""
        self.is_over = False
        self._slots: list[Block | Place] = []
        self._events: list[StreamEvent] = []
        self._damaged = 0
        self._length = 0
        self._counted: tuple[Fields, Callable[[Fields], Usage]] | None = None

    @property
    def is_counted(self) -> bool:
        """Whether anybody has said how many tokens there were."""
        return self._counted is not None

    @property
    def usage(self) -> Usage | None:
        """How many tokens there were, None as long as nobody has said."""
        if self._counted is None:
            return None
        counts, read = self._counted
        return read(counts)

    def count(self, counts: Fields, read: Callable[[Fields], Usage]) -> None:
        """Keeps the vendor's counts; some send them with every event, so they are read later."""
        self.trace.usage = counts
        self._counted = counts, read

    def count_beside(self, counts: Fields, read: Callable[[Fields], Usage]) -> None:
        """Keeps counts that somebody else than the vendor gave."""
        self._counted = counts, read

    def take(self) -> list[StreamEvent]:
        """The events since the last time; callers hand them on at once."""
        events = self._events
        self._events = []
        return events

    def open(self, kind: BlockKind, *, name: str = "", call_id: str = "") -> Block:
        """Starts a block after all others."""
        block = Block(part=len(self._slots), kind=kind, name=name, id=call_id)
        if not self._has_room():
            block.is_open = False
            return block
        self._slots.append(block)
        self._events.append(BlockStarted(part=block.part, kind=kind, name=name))
        return block

    def grow(self, block: Block, text: str) -> None:
        """Adds text to an open block."""
        if text and block.is_open:
            self._length += len(text)
            if self._length > MOST_TEXT:
                self._fail_endless(f"{MOST_TEXT} characters")
                return
            block.pieces.append(text)
            self._events.append(BlockGrew(part=block.part, kind=block.kind, text=text))

    def close(self, block: Block) -> None:
        """Ends a block; doing it again changes nothing."""
        if not block.is_open:
            return
        block.is_open = False
        self._events.append(BlockEnded(part=block.part, kind=block.kind))
        if block.kind == "call" and block.name and is_object(block.text):
            self._release(block)

    def close_all(self) -> None:
        """Ends every block that is still open, in order."""
        for slot in self._slots:
            if isinstance(slot, Block):
                self.close(slot)

    def abandon(self, block: Block) -> None:
        """Ends a block that will never be completed; a call among such is not made."""
        if block.is_open:
            block.is_open = False
            block.name = "" if block.kind == "call" else block.name
            self._events.append(BlockEnded(part=block.part, kind=block.kind))

    def place(self, part: Part | None = None) -> Place:
        """Keeps a part that is told to nobody, or its place until it has come."""
        place = Place(part=part)
        if self._has_room():
            self._slots.append(place)
        return place

    def place_first(self, part: Part) -> None:
        """Keeps a part ahead of all others."""
        self._slots.insert(0, Place(part=part))

    def note_damage(self) -> None:
        """Remembers an event that could not be read, so that the reply cannot pass for whole."""
        self._damaged += 1

    def end(self, stop_reason: StopReason) -> None:
        """Finishes the reply; one with unreadable events fails instead."""
        if self.is_over:
            return
        if self._damaged:
            self.fail(
                Failure(
                    kind="transport",
                    message=f"{self._damaged} event(s) of the model's reply could not be read.",
                    retryable=True,
                )
            )
            return
        self.close_all()
        calls = [block for block in self.blocks("call") if block.name]
        if stop_reason not in {"length", "overflow", "content_filter", "refusal"}:
            for block in calls:
                self._release(block)
        has_calls = any(block.is_ready for block in calls)
        if stop_reason == "tool_calls" and not has_calls:
            stop_reason = "unknown"
        elif has_calls and stop_reason in {"end", "unknown"}:
            stop_reason = "tool_calls"
        self.is_over = True
        self._events.append(
            Finished(
                parts=self.parts(),
                stop_reason=stop_reason,
                raw_stop_reason=self.trace.stop_reason,
                usage=self.usage,
                response_id=self.response_id,
                model=self.model,
            )
        )

    def fail(self, failure: Failure) -> None:
        """Breaks the reply off; calls that were not complete are not made."""
        if self.is_over:
            return
        for slot in self._slots:
            if isinstance(slot, Block):
                self.abandon(slot)
        self.is_over = True
        self._events.append(Failed(failure=failure, parts=self.parts(), usage=self.usage))

    def fail_cut(self) -> None:
        """Breaks the reply off because the stream ended before its last event."""
        self.fail(
            Failure(
                kind="transport",
                message="The model's stream ended before the reply was complete.",
                retryable=True,
            )
        )

    def fail_foreign(self) -> None:
        """Breaks the reply off because what came is no reply in this wire format."""
        self.fail(
            Failure(
                kind="transport",
                message="The provider's answer is not a reply in the expected format.",
                retryable=True,
            )
        )

    def parts(self) -> tuple[Part, ...]:
        """All that came, in order; blocks that hold nothing are left out."""
        return tuple(
            part
            for slot in self._slots
            if (part := _part_of(slot) if isinstance(slot, Block) else slot.part) is not None
        )

    def blocks(self, kind: BlockKind) -> list[Block]:
        """The blocks of one kind, in order."""
        return [slot for slot in self._slots if isinstance(slot, Block) and slot.kind == kind]

    def _has_room(self) -> bool:
        """Whether there may be another part; a reply without an end fails here."""
        if len(self._slots) >= MOST_PARTS:
            self._fail_endless(f"{MOST_PARTS} parts")
        return not self.is_over

    def _fail_endless(self, limit: str) -> None:
        self.fail(
            Failure(
                kind="invalid_request",
                message=f"The model's reply has more than {limit} and was given up.",
            )
        )

    def _release(self, block: Block) -> None:
        if not block.is_ready:
            block.is_ready = True
            self._events.append(CallReady(call=block.call, parts=self.parts()))


def _part_of(block: Block) -> Part | None:
    """The block as a part; one that has ended is made once, for each call shows all before it."""
    if block.whole is None:
        part = _made(block)
        if block.is_open:
            return part
        block.whole = part
    return block.whole


def _made(block: Block) -> Part | None:
    if block.kind == "call":
        return block.call if block.is_ready else None
    text = block.text
    if not text and not block.meta:
        return None
    if block.kind == "text":
        return Text(text=text, meta=block.meta)
    return Reasoning(text=text, meta=block.meta)
