"""Wishes a face may have; each has one handler, in the session."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ouroboros.core.limits import GOAL_CHARACTERS
from ouroboros.core.parts import Media

type Mode = Literal["plan", "ask", "auto-edit", "full-auto"]
type Personality = Literal["none", "friendly", "pragmatic"]
type Scope = Literal["once", "session", "local", "project", "user", "policy"]
type GoalStatus = Literal[
    "active", "paused", "blocked", "usage_limited", "budget_limited", "complete"
]
type ReviewTarget = Literal["uncommitted", "base", "commit", "custom"]
type Foreign = Literal["ask", "keep", "overwrite"]
type Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


class Submit(Struct, frozen=True, kw_only=True, tag="submit"):
    """Start a turn with these words."""

    text: str
    media: tuple[Media, ...] = ()


class Steer(Struct, frozen=True, kw_only=True, tag="steer"):
    """Say this to the model at its next pass, without stopping it."""

    text: str


class Queue(Struct, frozen=True, kw_only=True, tag="queue"):
    """Say this once the run has ended; at once where nothing runs and nothing is to be said before."""

    text: str


class Requeue(Struct, frozen=True, kw_only=True, tag="requeue"):
    """Have other words said in the place of some that wait; ``id`` is that of their event."""

    id: str
    text: str


class Dequeue(Struct, frozen=True, kw_only=True, tag="dequeue"):
    """Do not say words that wait; all of them where no ``id`` is given."""

    id: str = ""


class Interrupt(Struct, frozen=True, kw_only=True, tag="interrupt"):
    """Stop the running turn, or one ``child`` of it only; the history stays valid."""

    reason: str = "user"
    child: str = ""


class Approve(Struct, frozen=True, kw_only=True, tag="approve"):
    """Say yes to one request.

    Attributes:
        scope: For how long: ``session`` until it ends, ``local``, ``project`` and ``user`` by a line
            in that settings file, ``policy`` by a line in the person's policy file.
        rules: What is remembered, in the place of what the question offered.
        input: What to do in the place of what was asked; empty for exactly that.
    """

    request_id: str
    scope: Scope = "once"
    rules: tuple[str, ...] = ()
    input: str = ""


class Deny(Struct, frozen=True, kw_only=True, tag="deny"):
    """Say no to one request; ``message`` is what the model reads."""

    request_id: str
    message: str = ""


class Answer(Struct, frozen=True, kw_only=True, tag="answer"):
    """Answer what the model asked: words by question; without any, nothing is answered."""

    request_id: str
    answers: dict[str, tuple[str, ...]] = {}


class SetMode(Struct, frozen=True, kw_only=True, tag="set_mode"):
    """Change how much is asked."""

    mode: Mode


class SetPersonality(Struct, frozen=True, kw_only=True, tag="set_personality"):
    """Change the manner in which the model speaks."""

    personality: Personality


class SetTitle(Struct, frozen=True, kw_only=True, tag="set_title"):
    """Call the session by another title."""

    title: str


class AcceptPlan(Struct, frozen=True, kw_only=True, tag="accept_plan"):
    """Let the proposed plan be carried out; ``text`` is the plan, where it was changed.

    Attributes:
        mode: None is the mode that there was before ``plan``.
    """

    mode: Mode | None = None
    text: str = ""


class RefusePlan(Struct, frozen=True, kw_only=True, tag="refuse_plan"):
    """Do not carry the proposed plan out; with words, the model goes on planning by them."""

    text: str = ""


class Review(Struct, frozen=True, kw_only=True, tag="review"):
    """Have a change reviewed by a session apart from this one, which may only read.

    Attributes:
        words: The branch or whatever a change is compared with (``base``), the commit, or what to
            look at (``custom``).
        focus: What to look at in particular.
        output_schema: JSON Schema that the review is to be given by besides; empty for none.
    """

    target: ReviewTarget = "uncommitted"
    words: str = ""
    focus: str = ""
    output_schema: str = ""


class SetModel(Struct, frozen=True, kw_only=True, tag="set_model"):
    """Change the model for the turns to come, or how it is asked; None leaves a thing as it is.

    An empty ``service_tier`` leaves the tier to the vendor again.
    """

    model: str | None = None
    effort: Effort | None = None
    service_tier: str | None = None


class Resize(Struct, frozen=True, kw_only=True, tag="resize"):
    """The person's terminal has this size: those of commands get it, now and from now on."""

    columns: Annotated[int, Meta(ge=1, le=10_000)]
    rows: Annotated[int, Meta(ge=1, le=10_000)]


class Compact(Struct, frozen=True, kw_only=True, tag="compact"):
    """Summarise the history now."""

    focus: str = ""


class Branch(Struct, frozen=True, kw_only=True, tag="branch"):
    """Go on from this message, with all up to it; from the very beginning where it is empty."""

    message_id: str


class Rewind(Struct, frozen=True, kw_only=True, tag="rewind"):
    """Go back to before the given words of the person's."""

    message_id: str


class Rollback(Struct, frozen=True, kw_only=True, tag="rollback"):
    """Leave the latest turns of the person's."""

    turns: int = 1


class Fork(Struct, frozen=True, kw_only=True, tag="fork"):
    """Start another session from a message of this one, by default from where it stands."""

    message_id: str = ""


class Restore(Struct, frozen=True, kw_only=True, tag="restore"):
    """Bring the files back to what they were before the given words of the person's.

    Attributes:
        checkpoint: The beginning of a checkpoint's name, in the place of words.
        foreign: What becomes of files that somebody else has changed since: without a decision
            (``ask``) nothing is done where there are any.
        paths: Only these files, relative to the folder; all where there are none.
    """

    message_id: str = ""
    checkpoint: str = ""
    foreign: Foreign = "ask"
    paths: tuple[str, ...] = ()


class Piece(Struct, frozen=True, kw_only=True):
    """A part of a text: ``new`` stands from line ``start`` on (the first is 1), ``old`` did before."""

    start: Annotated[int, Meta(ge=1)]
    new: str
    old: str


class TakeBack(Struct, frozen=True, kw_only=True, tag="take_back"):
    """Have parts of one file, relative to the folder, as they were; nothing is done unless all fit."""

    path: str
    pieces: tuple[Piece, ...]


class Undo(Struct, frozen=True, kw_only=True, tag="undo"):
    """Take the latest turns back, with what they did to files; ``foreign`` as for ``Restore``."""

    turns: Annotated[int, Meta(ge=1)] = 1
    foreign: Foreign = "ask"


class Redo(Struct, frozen=True, kw_only=True, tag="redo"):
    """Have again what was taken back last; ``foreign`` as for ``Restore``."""

    foreign: Foreign = "ask"


class SetGoal(Struct, frozen=True, kw_only=True, tag="set_goal"):
    """Set what the session works towards, or change it; what is not given stays as it is.

    Attributes:
        objective: A new goal in the place of the one before, if that is not only to be reworded
            (``edit``).
        status: ``paused`` leaves it for later, ``active`` goes on with it.
        token_budget: What it may use; 0 for no bound.
        clear: Forget it.
    """

    objective: Annotated[str, Meta(max_length=GOAL_CHARACTERS)] = ""
    edit: bool = False
    status: Literal["", "active", "paused"] = ""
    token_budget: Annotated[int, Meta(ge=0)] | None = None
    clear: bool = False


type Command = (
    Submit
    | Steer
    | Queue
    | Requeue
    | Dequeue
    | Interrupt
    | Approve
    | Deny
    | Answer
    | SetMode
    | SetPersonality
    | SetTitle
    | AcceptPlan
    | RefusePlan
    | Review
    | SetModel
    | Resize
    | Compact
    | Branch
    | Rewind
    | Rollback
    | Fork
    | Restore
    | TakeBack
    | Undo
    | Redo
    | SetGoal
)
