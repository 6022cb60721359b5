"""A session as a value that a page can begin with."""

from typing import Literal

from msgspec import Struct
from msgspec.structs import asdict

from ouroboros.app.hub import Room
from ouroboros.core.commands import Mode
from ouroboros.core.context import Meter
from ouroboros.core.events import PermissionRequested, PlanStep
from ouroboros.core.state import Spent


class Asked(Struct, frozen=True, kw_only=True):
    """A question that waits for words; the event ``user.asked`` holds it."""

    request_id: str
    call_id: str


class ChildAtWork(Struct, frozen=True, kw_only=True):
    """A run that the run started."""

    id: str
    task: str
    kind: str
    iterations: int


class Listed(Struct, frozen=True, kw_only=True):
    """An open session, in a list.

    Attributes:
        asks: How many questions wait for the person.
        seq: Number of its last event.
        read_only: Another process has it open; nothing can be said here.
    """

    id: str
    title: str
    cwd: str
    model: str
    mode: Mode
    mind: Literal["tools", "rlm"]
    status: str
    running: bool
    asks: int
    seq: int
    cost: float | None
    watched: int
    read_only: bool = False


class Problem(Struct, frozen=True, kw_only=True):
    """What went wrong, and what to do."""

    error: str
    hint: str = ""


class Snapshot(Listed, frozen=True, kw_only=True):
    """An open session, whole.

    Attributes:
        queued: Words that are said once the run has ended, by id.
        proposed: The plan that waits for a yes.
        branch: The message that it goes on from.
        problem: Why the last run could not begin or be kept.
        warnings: What the person should know of how it was opened.
    """

    turn: int
    approvals: tuple[PermissionRequested, ...]
    questions: tuple[Asked, ...]
    plan: tuple[PlanStep, ...]
    proposed: str
    queued: dict[str, str]
    spent: Spent
    children: tuple[ChildAtWork, ...]
    meter: Meter
    branch: str
    problem: Problem | None
    warnings: tuple[str, ...]


def listed(room: Room) -> Listed:
    """What a list shows of it."""
    state = room.state
    return Listed(
        id=room.id,
        title=_title(room),
        cwd=state.cwd,
        model=state.fallback or state.model,
        mode=state.mode,
        mind=state.mind,
        status=state.status,
        running=room.running,
        asks=len(state.approvals) + len(state.asked),
        seq=state.seq,
        cost=state.spent.cost,
        watched=room.watched,
        read_only=room.is_read_only,
    )


def snapshot(room: Room) -> Snapshot:
    """All that a page begins with; what comes after ``seq`` is events."""
    state = room.state
    wrong = room.problem
    return Snapshot(
        **asdict(listed(room)),
        turn=state.turn,
        approvals=tuple(state.approvals.values()),
        questions=tuple(
            Asked(request_id=id, call_id=call_id) for id, call_id in state.asked.items()
        ),
        plan=state.plan,
        proposed=state.proposed,
        queued=dict(state.later),
        spent=state.spent,
        children=tuple(
            ChildAtWork(id=id, task=child.task, kind=child.kind, iterations=child.iterations)
            for id, child in state.children.items()
        ),
        meter=room.session.meter(),
        branch=state.tree.head,
        problem=None if wrong is None else Problem(error=wrong.message, hint=wrong.hint),
        warnings=room.session.warnings,
    )


def _title(room: Room) -> str:
    state = room.state
    said = (each for each in state.history if each.role == "user" and each.kind == "plain")
    first = next(said, None)
    return state.title or (" ".join(first.text.split())[:80] if first else "")
