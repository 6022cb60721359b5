"""Facts in the past tense, one small file per family.

An event is frozen, complete and JSON round-trip equal; it holds no callback, lock or handle, and
nobody answers it. On the wire it travels in an ``Envelope``. Names follow one schema; older
designs' names are aliases (``ouroboros.core.events.aliases``).
"""

from ouroboros.core.events.approval import (
    PermissionAnswered,
    PermissionBlocked,
    PermissionRemembered,
    PermissionRequested,
    PermissionsGranted,
)
from ouroboros.core.events.call import (
    CallStatus,
    PlanStep,
    PlanUpdated,
    ToolAttempted,
    ToolProgress,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.events.envelope import Envelope, Event, Source
from ouroboros.core.events.run import (
    ErrorRaised,
    SessionReady,
    SettingsChanged,
    TaskCancelled,
    TaskCompleted,
)
from ouroboros.core.events.turn import (
    AgentMessage,
    CacheHit,
    ContextCompacted,
    ModelDelta,
    ModelRetried,
    ModelSwitched,
    TurnStarted,
    UserMessage,
)

__all__ = [
    "AgentMessage",
    "CacheHit",
    "CallStatus",
    "ContextCompacted",
    "Envelope",
    "ErrorRaised",
    "Event",
    "ModelDelta",
    "ModelRetried",
    "ModelSwitched",
    "PermissionAnswered",
    "PermissionBlocked",
    "PermissionRemembered",
    "PermissionRequested",
    "PermissionsGranted",
    "PlanStep",
    "PlanUpdated",
    "SessionReady",
    "SettingsChanged",
    "Source",
    "TaskCancelled",
    "TaskCompleted",
    "ToolAttempted",
    "ToolProgress",
    "ToolResulted",
    "ToolStarted",
    "TurnStarted",
    "UserMessage",
]
