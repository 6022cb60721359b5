"""What comes back from a model, as it comes: blocks that start, grow and end, then one ending."""

from typing import Literal

from msgspec import Struct

from ouroboros.core.errors import Failure
from ouroboros.core.parts import Part, ToolCall, Usage

type BlockKind = Literal["text", "reasoning", "call"]
type StopReason = Literal[
    "end", "tool_calls", "length", "content_filter", "refusal", "pause", "overflow", "unknown"
]


class BlockStarted(Struct, frozen=True, kw_only=True, tag="block_started"):
    """A block opens; ``part`` numbers it within the reply, ``name`` is a call's tool if known."""

    part: int
    kind: BlockKind
    name: str = ""


class BlockGrew(Struct, frozen=True, kw_only=True, tag="block_grew"):
    """More text of an open block: words, thoughts, or a call's argument JSON."""

    part: int
    kind: BlockKind
    text: str


class BlockEnded(Struct, frozen=True, kw_only=True, tag="block_ended"):
    """A block is complete."""

    part: int
    kind: BlockKind


class CallReady(Struct, frozen=True, kw_only=True, tag="call_ready"):
    """A call is complete and may start while the rest still streams.

    ``parts`` is the reply so far, this call in it, with the opaque fields that are complete.
    """

    call: ToolCall
    parts: tuple[Part, ...]


class Finished(Struct, frozen=True, kw_only=True, tag="finished"):
    """The reply is complete: all parts in order, with every opaque field.

    ``raw_stop_reason`` is the vendor's word; ``usage`` is None when the vendor reported none.
    """

    parts: tuple[Part, ...]
    stop_reason: StopReason
    raw_stop_reason: str | None = None
    usage: Usage | None = None
    response_id: str = ""
    model: str = ""


class Failed(Struct, frozen=True, kw_only=True, tag="failed"):
    """The stream carried an error, or broke off; ``parts`` is what had arrived."""

    failure: Failure
    parts: tuple[Part, ...] = ()
    usage: Usage | None = None


class Retrying(Struct, frozen=True, kw_only=True, tag="retrying"):
    """The request will be sent again after ``delay_seconds``."""

    attempt: int
    maximum: int
    delay_seconds: float
    reason: str


class Recalled(Struct, frozen=True, kw_only=True, tag="recalled"):
    """What follows was said before and kept under ``key``; nobody is asked."""

    key: str


type StreamEvent = (
    BlockStarted | BlockGrew | BlockEnded | CallReady | Finished | Failed | Retrying | Recalled
)
