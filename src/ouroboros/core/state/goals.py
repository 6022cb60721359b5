"""What a session works towards, and what each goal has used.

What was used is a fold over the replies themselves: a reply and its usage are one event, so that
nothing is counted twice and nothing is lost, wherever a program ends. A reply counts for the goal
that was active when its turn began.
"""

from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from ouroboros.core.commands import GoalStatus
from ouroboros.core.events.call import ToolResulted
from ouroboros.core.events.code import EnvironmentUpdated
from ouroboros.core.events.envelope import Envelope, Event
from ouroboros.core.events.goal import GoalContinued, GoalCreated, GoalLimited, GoalUpdated
from ouroboros.core.events.run import ErrorRaised, SessionReady, TaskCancelled, TaskCompleted
from ouroboros.core.events.turn import TurnStarted

TOOLS = frozenset({"get_goal", "create_goal", "update_goal"})
_IDLE = TOOLS | {"repl", "done"}
"""Calls that alone do nothing for a goal; of a block of code counts what it called and kept."""


class Goal(Struct, frozen=True, kw_only=True):
    """A goal, or a part of one; goes back with the conversation.

    Attributes:
        parent: The goal that it is a part of; empty for the session's own.
        token_budget: What it may use; None for no bound.
        created: Seconds since the epoch, as ``updated``.
    """

    id: str
    objective: str
    status: GoalStatus = "active"
    parent: str = ""
    token_budget: int | None = None
    created: float = 0.0
    updated: float = 0.0
    reason: str = ""


class Used(Struct, kw_only=True):
    """What a goal has used; never taken back.

    Attributes:
        tokens: Input that came from no cache, and output.
        seconds: Time in turns that worked for it.
        continued: Turns that began by themselves.
        idle: The latest of those, in a row, in which no call did anything.
        circles: The latest runs, in a row, that were ended because calls came again and again.
        is_told: The model was told that the budget is used up.
    """

    tokens: int = 0
    seconds: float = 0.0
    continued: int = 0
    idle: int = 0
    circles: int = 0
    is_told: bool = False


class Goals(Struct, kw_only=True):
    """The goals of a session that has or had one.

    Attributes:
        all: Of the current branch, parts after what they are parts of.
        used: By goal, of every branch.
        at_work: The goal that the running turn works for; empty outside of turns.
        seen: Tokens of the session that are shared out by now.
        last: Time of the latest event.
        is_continued: The run began by itself.
        has_acted: A call did something in it.
        failed: The kind of the error that it met last.
    """

    all: tuple[Goal, ...] = ()
    used: dict[str, Used] = field(default_factory=dict[str, Used])
    at_work: str = ""
    seen: int = 0
    last: float = 0.0
    is_continued: bool = False
    has_acted: bool = False
    failed: str = ""

    @property
    def root(self) -> Goal | None:
        """The session's goal."""
        return next((goal for goal in self.all if not goal.parent), None)

    @property
    def active(self) -> Goal | None:
        """The same while it is to be worked for."""
        root = self.root
        return root if root is not None and root.status == "active" else None

    def use(self, goal: Goal) -> Used:
        """What it has used."""
        return self.used.get(goal.id) or Used()

    def left(self, goal: Goal) -> int | None:
        """Tokens that are left of its budget; None without one."""
        if goal.token_budget is None:
            return None
        return max(0, goal.token_budget - self.use(goal).tokens)

    def parts(self) -> Iterator[tuple[str, Goal]]:
        """The parts of the goal with their numbers, such as ``2.1``, in order of the tree."""
        if self.root is not None:
            yield from self._below(self.root.id, "")

    def _below(self, parent: str, prefix: str) -> Iterator[tuple[str, Goal]]:
        children = (goal for goal in self.all if goal.parent == parent)
        for number, goal in enumerate(children, 1):
            yield f"{prefix}{number}", goal
            yield from self._below(goal.id, f"{prefix}{number}.")

    def follow(self, envelope: Envelope, tokens: int) -> None:
        """Takes in an event; ``tokens`` are those that the whole session has used by now."""
        event = envelope.data
        used = self.used.get(self.at_work)
        if used is not None and not isinstance(event, SessionReady):
            used.tokens += max(0, tokens - self.seen)
            used.seconds += max(0.0, envelope.ts - self.last)
        self.seen, self.last = tokens, envelope.ts
        match event:
            case TurnStarted():
                self._begin_turn()
            case TaskCompleted(reason=reason) | TaskCancelled(reason=reason):
                self._end_run(reason)
            case SessionReady():
                self.at_work = ""
            case ErrorRaised(kind=kind):
                self.failed = kind
            case ToolResulted(status="done", name=name) if name not in _IDLE:
                self.has_acted = True
            case EnvironmentUpdated(child=""):
                self.has_acted = True
            case _:
                self._change(event, envelope.ts)

    def pause(self) -> None:
        """Where the conversation goes on in another session nothing goes on by itself."""
        self.used, self.at_work, self.seen = {goal.id: Used() for goal in self.all}, "", 0
        self.all = tuple(
            replace(goal, status="paused") if goal == self.active else goal for goal in self.all
        )

    def go_back(self, all: tuple[Goal, ...]) -> None:
        """The goals as they were at a message; what was used is used."""
        self.all, self.at_work = all, ""

    def _begin_turn(self) -> None:
        root = self.root
        goes_on = root is not None and (
            root.status == "active" or (root.status == "budget_limited" and root.id == self.at_work)
        )
        self.at_work = root.id if root is not None and goes_on else ""
        self.failed = ""

    def _end_run(self, reason: str) -> None:
        used = self.used.get(self.at_work)
        if used is not None:
            used.circles = used.circles + 1 if reason.endswith(":repeated_call") else 0
        if used is not None and self.is_continued:
            used.idle = 0 if self.has_acted else used.idle + 1
        self.at_work = ""
        self.is_continued = self.has_acted = False

    def _change(self, event: Event, now: float) -> None:
        match event:
            case GoalCreated(goal_id=id):
                created = Goal(
                    id=id,
                    objective=event.objective,
                    parent=event.parent,
                    token_budget=event.token_budget,
                    created=now,
                    updated=now,
                )
                self.all = (*self.all, created) if event.parent else (created,)
                self.used[id] = Used()
            case GoalUpdated(cleared=True):
                self.all = ()
            case GoalUpdated(goal_id=id):
                self.all = tuple(_changed(g, event, now) if g.id == id else g for g in self.all)
                if event.token_budget is not None and id in self.used:
                    self.used[id].is_told = False
                if event.status == "active" and id in self.used:
                    self.used[id].idle = self.used[id].circles = 0
            case GoalLimited(goal_id=id, status=status):
                self.all = tuple(
                    replace(g, status=status, updated=now) if g.id == id else g for g in self.all
                )
                if status == "budget_limited" and id in self.used:
                    self.used[id].is_told = True
            case GoalContinued(goal_id=id) if id in self.used:
                self.used[id].continued += 1
                self.is_continued = True
            case _:
                pass


def _changed(goal: Goal, event: GoalUpdated, now: float) -> Goal:
    budget = goal.token_budget if event.token_budget is None else event.token_budget or None
    return replace(
        goal,
        objective=event.objective or goal.objective,
        status=event.status or goal.status,
        token_budget=budget,
        reason=event.reason if event.status else goal.reason,
        updated=now,
    )
