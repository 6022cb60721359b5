"""What is remembered and what is aimed at."""

from typing import ClassVar, Literal

from ouroboros.core.events.envelope import Event


class MemoryStored(Event, frozen=True, kw_only=True):
    """A fact was kept."""

    type: ClassVar[str] = "memory.stored"
    key: str
    content: str


class MemoryForgotten(Event, frozen=True, kw_only=True):
    """A fact was dropped."""

    type: ClassVar[str] = "memory.forgotten"
    key: str


class GoalCreated(Event, frozen=True, kw_only=True):
    """A goal was set."""

    type: ClassVar[str] = "goal.created"
    goal: str
    text: str
    token_budget: int | None = None


class GoalUpdated(Event, frozen=True, kw_only=True):
    """A goal changed its state."""

    type: ClassVar[str] = "goal.updated"
    goal: str
    status: Literal["active", "complete", "blocked", "budget_limited", "usage_limited"]


class GoalContinued(Event, frozen=True, kw_only=True):
    """A turn ended with the goal open, so another begins."""

    type: ClassVar[str] = "goal.continued"
    goal: str


class GoalLimited(Event, frozen=True, kw_only=True):
    """A budget of the goal is used up."""

    type: ClassVar[str] = "goal.limited"
    goal: str
    limit: str
