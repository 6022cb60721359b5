"""The life of a tool call."""

from typing import ClassVar, Literal

from msgspec import Struct

from ouroboros.core.events.envelope import Event, Source
from ouroboros.core.parts import Media, Text

type CallStatus = Literal["done", "failed", "denied", "cancelled", "unknown-after-crash"]


class ToolStarted(Event, frozen=True, kw_only=True):
    """A call was taken up: shown before any question and before any effect.

    ``within`` is the call whose code made this one, empty for a model's own.
    """

    type: ClassVar[str] = "tool.started"
    source: ClassVar[Source] = "agent"
    call_id: str
    name: str
    arguments: str
    title: str = ""
    within: str = ""


class ToolAttempted(Event, frozen=True, kw_only=True):
    """A call passed validation, hooks and rules and is about to act, in this cage.

    Attributes:
        decision: Such as ``allow``, ``asked:allowed`` or ``hook:allowed``.
        rule: The rule, mode or policy that decided, and the ``layer`` it stands in.
        seconds: From the call's beginning until it was let through.
        command: The text that runs in the place of the written one; empty when as written.
        unasked: It changes or runs something, and nobody was asked.
    """

    type: ClassVar[str] = "tool.attempted"
    call_id: str
    steps: tuple[str, ...]
    decision: str
    rule: str = ""
    sandbox: str = "none"
    attempt: int = 1
    layer: str = ""
    seconds: float = 0.0
    command: str = ""
    unasked: bool = False


class ToolProgress(Event, frozen=True, kw_only=True):
    """A piece of a running tool's output."""

    type: ClassVar[str] = "tool.progress"
    durable: ClassVar[bool] = False
    source: ClassVar[Source] = "agent"
    call_id: str
    part: int
    text: str
    stream: str = "stdout"


class ToolResulted(Event, frozen=True, kw_only=True):
    """A call ended, in one of five ways; ``parts`` is what the model reads.

    Attributes:
        seconds: What it took, without the time in which somebody was asked.
        original_bytes: Size of the whole output; larger than what is shown when it was cut.
        blob: Name of the blob that holds the whole output, empty when nothing was cut.
        detail: What a face may show beyond the model's text, such as a diff.
        answer: The whole final value where the parts show only what kind of thing it is.
        sources: Where text in it came from that nobody vouches for, such as ``file /w/a.md``.
        within: The call whose code made this one. Then the parts hold no more than why it failed,
            ``original_bytes`` is the size of the value that code was given, and one that only
            looked has no other event: ``title`` and ``steps`` are here.
    """

    type: ClassVar[str] = "tool.result"
    source: ClassVar[Source] = "agent"
    call_id: str
    name: str
    status: CallStatus
    parts: tuple[Text | Media, ...] = ()
    seconds: float = 0.0
    original_bytes: int = 0
    truncated: bool = False
    blob: str = ""
    detail: str = ""
    final: bool = False
    answer: str | None = None
    within: str = ""
    title: str = ""
    steps: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class PlanStep(Struct, frozen=True, kw_only=True):
    """One step of the visible plan."""

    step: str
    status: Literal["pending", "in_progress", "completed"]


class PlanUpdated(Event, frozen=True, kw_only=True):
    """The agent changed its visible step list."""

    type: ClassVar[str] = "plan.updated"
    source: ClassVar[Source] = "agent"
    steps: tuple[PlanStep, ...]
    explanation: str = ""
