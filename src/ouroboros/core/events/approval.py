"""Questions to the person and their answers."""

from typing import ClassVar, Literal

from ouroboros.core.events.envelope import Event


class PermissionRequested(Event, frozen=True, kw_only=True):
    """A call waits for a yes or a no; ``action`` is readable, ``input`` is exact."""

    type: ClassVar[str] = "permission.requested"
    source: ClassVar[Literal["user", "agent", "system"]] = "agent"
    request_id: str
    call_id: str
    tool: str
    action: str
    input: str
    reason: str = ""
    grant: str = ""


class PermissionAnswered(Event, frozen=True, kw_only=True):
    """The question was answered once, by a person, a rule or a missing person."""

    type: ClassVar[str] = "permission.answered"
    source: ClassVar[Literal["user", "agent", "system"]] = "user"
    request_id: str
    call_id: str
    allowed: bool
    decider: Literal["person", "nobody", "hook", "guardian", "cancelled"]
    scope: Literal["once", "session"] = "once"
    message: str = ""
    seconds: float = 0.0


class PermissionBlocked(Event, frozen=True, kw_only=True):
    """A rule or a limit stopped an action without asking."""

    type: ClassVar[str] = "permission.blocked"
    call_id: str
    tool: str
    rule: str
    reason: str
