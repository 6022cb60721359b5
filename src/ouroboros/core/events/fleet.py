"""Runs that start runs, and what wakes them."""

from typing import ClassVar

from ouroboros.core.events.envelope import Event


class SubagentStarted(Event, frozen=True, kw_only=True):
    """A child run began."""

    type: ClassVar[str] = "subagent.started"
    child: str
    task: str


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
