"""Runs that start runs, and what wakes them."""

from typing import ClassVar, Literal

from ouroboros.core.events.envelope import Event
from ouroboros.core.parts import Usage


class SubagentStarted(Event, frozen=True, kw_only=True):
    """A child run began.

    Attributes:
        kind: ``run`` takes iterations of its own; ``leaf`` is one plain model call that is shown
            data, ``pack`` one for several items.
        tokens: Size of the data it was given, by estimate.
        parent: The child that started it; empty for the run itself.
    """

    type: ClassVar[str] = "subagent.started"
    child: str
    task: str
    kind: Literal["run", "leaf", "pack"] = "run"
    tokens: int = 0
    parent: str = ""


class SubagentReplied(Event, frozen=True, kw_only=True):
    """A model answered for a child: what it used counts as the parent's."""

    type: ClassVar[str] = "subagent.replied"
    child: str
    model: str = ""
    usage: Usage | None = None
    cost: float | None = None


class SubagentCompleted(Event, frozen=True, kw_only=True):
    """A child run ended."""

    type: ClassVar[str] = "subagent.completed"
    child: str
    reason: str
    final: str = ""


class SubagentMessage(Event, frozen=True, kw_only=True):
    """A child or a peer sent words."""

    type: ClassVar[str] = "subagent.message"
    child: str
    text: str


class ScheduleAdded(Event, frozen=True, kw_only=True):
    """A task will run later."""

    type: ClassVar[str] = "schedule.added"
    schedule: str
    when: str
    task: str


class ScheduleFired(Event, frozen=True, kw_only=True):
    """A scheduled task was started."""

    type: ClassVar[str] = "schedule.fired"
    schedule: str


class ScheduleRemoved(Event, frozen=True, kw_only=True):
    """A scheduled task is gone."""

    type: ClassVar[str] = "schedule.removed"
    schedule: str
