"""A review of a change: what was looked at, and what was found."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from ouroboros.core.commands import ReviewTarget
from ouroboros.core.events.envelope import Event
from ouroboros.core.parts import Message

type Priority = Annotated[int, Meta(ge=0, le=3)]
type Confidence = Annotated[float, Meta(ge=0, le=1)]


class LineRange(Struct, frozen=True, kw_only=True):
    """Lines of a file, both ends included, from 1."""

    start: Annotated[int, Meta(ge=0)]
    end: Annotated[int, Meta(ge=0)]


class CodeLocation(Struct, frozen=True, kw_only=True):
    """Where in the code."""

    absolute_file_path: str
    line_range: LineRange


class Finding(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One problem.

    Attributes:
        title: At most 80 characters, with [P0] to [P3] before the words.
        priority: 0 stops everything, 3 would be nice to have; None where the reviewer gave none.
        remark: What is wrong with the place it names, by our own look at the change.
    """

    title: str
    body: str
    confidence_score: Confidence
    code_location: CodeLocation
    priority: Priority | None = None
    remark: str = ""


class ReviewOutput(Struct, frozen=True, kw_only=True):
    """What a reviewer says of a change.

    Attributes:
        overall_correctness: ``patch is correct`` or ``patch is incorrect``; empty where it gave no
            verdict, as in a reply that was no review.
        notes: What a reader has to know of how it was reviewed.
    """

    findings: tuple[Finding, ...] = ()
    overall_correctness: Literal["patch is correct", "patch is incorrect", ""] = ""
    overall_explanation: str = ""
    overall_confidence_score: Confidence = 0.0
    notes: tuple[str, ...] = ()


class ReviewEntered(Event, frozen=True, kw_only=True):
    """A review began; ``subject`` says of what, in words."""

    type: ClassVar[str] = "review.entered"
    target: ReviewTarget
    subject: str


class ReviewProgressed(Event, frozen=True, kw_only=True):
    """A part of a change that is too large for one reading is looked at."""

    type: ClassVar[str] = "review.progress"
    durable: ClassVar[bool] = False
    part: int
    parts: int
    files: tuple[str, ...] = ()


class ReviewExited(Event, frozen=True, kw_only=True):
    """A review ended.

    Attributes:
        messages: What the conversation knows of it from here on.
        shaped: The review as JSON by the schema that was asked for; empty for none.
    """

    type: ClassVar[str] = "review.exited"
    outcome: Literal["completed", "interrupted", "failed"]
    review: ReviewOutput = ReviewOutput()
    messages: tuple[Message, ...] = ()
    problem: str = ""
    shaped: str = ""
