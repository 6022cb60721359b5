"""What is said within a turn."""

from typing import ClassVar, Literal

from msgspec import field

from ouroboros.core.events.envelope import Event, Source
from ouroboros.core.parts import Message, Usage

type DeltaPhase = Literal["start", "delta", "end"]
type Trigger = Literal["proactive", "reactive", "manual"]
type DeltaKind = Literal["text", "reasoning", "call"]


class TurnStarted(Event, frozen=True, kw_only=True):
    """A pass of the loop begins: one request to the model and what it asks for."""

    type: ClassVar[str] = "turn.started"
    turn: int


class UserMessage(Event, frozen=True, kw_only=True):
    """Words, context or a nudge entered the history.

    A ``steered`` message was said during a turn and is heard at the next one.
    ``told`` names what a context message told the model (block name to its text's digest), so
    that later turns only say what changed.
    """

    type: ClassVar[str] = "user.message"
    source: ClassVar[Source] = "user"
    message: Message
    steered: bool = False
    told: dict[str, str] = field(default_factory=dict[str, str])


class ModelDelta(Event, frozen=True, kw_only=True):
    """A piece of what the model is saying; every start gets its end, also on cancel.

    ``part`` numbers the block within the reply; ``name`` is the tool of a call block.
    """

    type: ClassVar[str] = "model.delta"
    durable: ClassVar[bool] = False
    source: ClassVar[Source] = "agent"
    phase: DeltaPhase = "delta"
    kind: DeltaKind = "text"
    part: int
    text: str = ""
    name: str = ""


class ModelRetried(Event, frozen=True, kw_only=True):
    """A request is sent again after a wait."""

    type: ClassVar[str] = "model.retried"
    durable: ClassVar[bool] = False
    attempt: int
    maximum: int
    delay_seconds: float
    reason: str


class ModelSwitched(Event, frozen=True, kw_only=True):
    """Another model is asked from here on, because the one before failed or the first has rested.

    ``kind`` and ``reason`` say how ``old`` failed; they are empty on the way back.
    """

    type: ClassVar[str] = "model.switched"
    old: str
    new: str
    kind: str = ""
    reason: str = ""


class AgentMessage(Event, frozen=True, kw_only=True):
    """The model finished a reply, or (``partial``) so much of it that a call may start.

    A later event with the same message id replaces the earlier one.
    """

    type: ClassVar[str] = "agent.message"
    source: ClassVar[Source] = "agent"
    message: Message
    stop_reason: str
    usage: Usage | None = None
    cost: float | None = None
    partial: bool = False


class CacheHit(Event, frozen=True, kw_only=True):
    """A reply came from the response cache."""

    type: ClassVar[str] = "cache.hit"
    key: str


class ContextCompacted(Event, frozen=True, kw_only=True):
    """The history was replaced by a shorter one; the log keeps everything.

    Attributes:
        old_tokens: What the next request would have held, with system prompt and tools.
        new_tokens: The same afterwards, as far as it can be estimated.
    """

    type: ClassVar[str] = "context.compacted"
    old_tokens: int
    new_tokens: int
    messages_summarized: int
    trigger: Trigger
    history: tuple[Message, ...]
    told: dict[str, str] = field(default_factory=dict[str, str])
    usage: Usage | None = None
    cost: float | None = None
