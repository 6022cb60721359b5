"""What a session works towards: set, changed, gone on with, and ended by a limit.

What a goal has used is in none of them: it is counted from the replies themselves, each once.
"""

from typing import ClassVar, Literal

from ouroboros.core.commands import GoalStatus
from ouroboros.core.events.envelope import Event, Source


class GoalCreated(Event, frozen=True, kw_only=True):
    """A goal was set, or (with a ``parent``) a part of one.

    Attributes:
        token_budget: What it may use; None for no bound.
        by: Who set it.
    """

    type: ClassVar[str] = "goal.created"
    goal_id: str
    objective: str
    token_budget: int | None = None
    parent: str = ""
    by: Source = "user"


class GoalUpdated(Event, frozen=True, kw_only=True):
    """A goal was changed; None means unchanged.

    Attributes:
        token_budget: 0 takes the bound away.
        reason: Why it is blocked.
        cleared: It is forgotten, with all its parts.
        by: Who changed it.
    """

    type: ClassVar[str] = "goal.updated"
    goal_id: str
    objective: str | None = None
    status: GoalStatus | None = None
    token_budget: int | None = None
    reason: str = ""
    cleared: bool = False
    by: Source = "user"


class GoalContinued(Event, frozen=True, kw_only=True):
    """A turn began by itself because the goal was not reached; it is the ``number``-th of this goal."""

    type: ClassVar[str] = "goal.continued"
    goal_id: str
    number: int


class GoalLimited(Event, frozen=True, kw_only=True):
    """A goal ended at a limit: its own budget, or what the provider lets one use.

    Attributes:
        tokens_used: Of this goal until then: input that came from no cache, and output.
        seconds_used: Whole seconds that turns worked for it.
    """

    type: ClassVar[str] = "goal.limited"
    goal_id: str
    status: Literal["budget_limited", "usage_limited"]
    tokens_used: int
    seconds_used: int
