"""Programs of the person around a session: begun, and how they ended."""

from typing import ClassVar, Literal

from ouroboros.core.events.envelope import Event

type HookStatus = Literal["completed", "blocked", "stopped", "failed", "cancelled"]


class HookStarted(Event, frozen=True, kw_only=True):
    """A hook was started.

    Attributes:
        run_id: Joins it with its end.
        event: What it was set up for, such as ``PreToolUse``.
        origin: The settings file that it stands in, or what else it came from.
        kind: ``command``, ``prompt`` or ``agent``.
        message: What the person wants to be told meanwhile.
        call_id: The call that it is about; empty for none.
    """

    type: ClassVar[str] = "hook.started"
    run_id: str
    event: str
    origin: str
    kind: str = "command"
    message: str = ""
    call_id: str = ""


class HookFinished(Event, frozen=True, kw_only=True):
    """A hook ended.

    Attributes:
        status: ``blocked`` refused what it was asked about, ``stopped`` wants the turn to end, and
            ``failed`` counts as if it had said nothing.
        text: Its reason, or why it failed.
        message: What it wants the person to be told.
        seconds: How long it took.
    """

    type: ClassVar[str] = "hook.finished"
    run_id: str
    event: str
    origin: str
    kind: str = "command"
    status: HookStatus = "completed"
    text: str = ""
    message: str = ""
    call_id: str = ""
    seconds: float = 0.0
