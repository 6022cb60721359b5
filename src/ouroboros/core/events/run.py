"""The life of a session and of a run in it."""

from typing import ClassVar, Literal

from msgspec import Struct, field

from ouroboros.core.commands import Effort, Mode, Personality
from ouroboros.core.events.envelope import Event, Source

type RunReason = str
"""``completed``, ``cancelled``, ``failed`` or ``limit_reached:NAME``."""


class Browsing(Struct, frozen=True, kw_only=True):
    """Which browser a session has: how it is driven, whose profile it uses, and whether it is seen."""

    mode: str
    profile: str = ""
    headless: bool = True


class SessionReady(Event, frozen=True, kw_only=True):
    """A session was opened for the first time, or again (``resumed``); ``mind`` drives it.

    ``effort`` and ``service_tier`` are what the person chose for it; None means nothing. Without
    ``browser`` it has none. One ``apart`` serves another session and stays off the list.
    """

    type: ClassVar[str] = "session.ready"
    cwd: str
    model: str
    mode: Mode
    version: str
    prompts: dict[str, str] = field(default_factory=dict[str, str])
    resumed: bool = False
    title: str = ""
    mind: Literal["tools", "rlm"] = "tools"
    effort: Effort | None = None
    service_tier: str | None = None
    browser: Browsing | None = None
    apart: bool = False


class SettingsChanged(Event, frozen=True, kw_only=True):
    """Mode, model, how it is asked, folder or title changed; None means unchanged.

    An empty ``service_tier`` leaves the tier to the vendor again.
    """

    type: ClassVar[str] = "session.changed"
    source: ClassVar[Source] = "user"
    mode: Mode | None = None
    model: str | None = None
    effort: Effort | None = None
    service_tier: str | None = None
    personality: Personality | None = None
    cwd: str | None = None
    title: str | None = None


class ErrorRaised(Event, frozen=True, kw_only=True):
    """Something failed; ``fault`` says in which layer."""

    type: ClassVar[str] = "error"
    fault: Literal["runtime", "provider", "stream"]
    kind: str
    message: str
    hint: str = ""
    status: int | None = None


class TaskCompleted(Event, frozen=True, kw_only=True):
    """A run ended: ``completed``, ``failed`` or ``limit_reached:NAME``."""

    type: ClassVar[str] = "task.completed"
    reason: RunReason
    final: str = ""


class TaskCancelled(Event, frozen=True, kw_only=True):
    """A run was stopped by a person or a signal."""

    type: ClassVar[str] = "task.cancelled"
    reason: str = "user"
