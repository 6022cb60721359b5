"""Every way to fail, as one tree; the type decides what happens next.

::

    OuroborosError                 told to the person: what, on which thing, what to do
    ├── Misuse                     wrong words on the command line or in a file (exit 2)
    │   ├── ConfigBroken           a configuration file that cannot be read
    │   ├── ModelUnknown           no such provider or model
    │   └── KeyMissing             no credential for the chosen provider
    ├── ModelFailed                a provider said no; ``failure.kind`` decides retry
    ├── ToolFailed                 told to the model as a result; the run goes on
    │   └── Denied                 the rules or the person said no
    ├── StoreFailed                the session cannot be kept
    │   ├── StoreFull              no room on the disk
    │   ├── StoreNewer             written by a later version
    │   ├── SessionBusy            another process owns the session
    │   └── SessionUnknown         no such session
    └── Interrupted                the person stopped the run (exit 130)
"""

from typing import Literal, cast

from msgspec import Struct

type FailureKind = Literal[
    "auth",
    "permission",
    "quota",
    "rate_limit",
    "overloaded",
    "timeout",
    "server",
    "transport",
    "context_overflow",
    "content_policy",
    "model_not_found",
    "invalid_request",
    "stale_reasoning",
    "invalid_tool_output",
    "cancelled",
    "unknown",
]


class Failure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A provider's refusal as a value: what kind, may it be retried, after how long."""

    kind: FailureKind
    message: str
    retryable: bool = False
    retry_after_seconds: float | None = None
    status: int | None = None
    code: str = ""
    request_id: str = ""


class OuroborosError(Exception):
    """Something the person should read: what happened, on which thing, and what to do."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        """``hint`` is shown on a line of its own."""
        super().__init__(message)
        self.message = message
        self.hint = hint


class Misuse(OuroborosError):
    """Wrong words on the command line or in a file."""

    exit_code = 2


class ConfigBroken(Misuse):
    """A configuration file that cannot be understood."""


class ModelUnknown(Misuse):
    """No such provider or model."""


class KeyMissing(Misuse):
    """The chosen provider needs a credential and none is set."""


class ModelFailed(OuroborosError):
    """A provider refused or broke off; ``failure`` says how."""

    def __init__(self, failure: Failure, *, hint: str = "", counted: bool = False) -> None:
        """Takes its message from ``failure``; ``counted`` when words or a call had been shown."""
        super().__init__(failure.message, hint=hint)
        self.failure = failure
        self.counted = counted


class ToolFailed(OuroborosError):
    """A tool could not do it; the model reads the message as a failed result."""


class Denied(ToolFailed):
    """The rules or the person said no."""


class StoreFailed(OuroborosError):
    """The session cannot be kept."""


class StoreFull(StoreFailed):
    """No room on the disk."""


class StoreNewer(StoreFailed):
    """The database was written by a later version."""


class SessionBusy(StoreFailed):
    """Another process owns the session."""


class SessionUnknown(StoreFailed):
    """There is no such session."""

    exit_code = 2


class Interrupted(OuroborosError):
    """The person stopped the run."""

    exit_code = 130


def unwrapped(error: Exception) -> Exception:
    """The one error inside the groups that task groups wrap around it; a group of several stays."""
    inner = error
    while isinstance(inner, ExceptionGroup):
        found = cast("tuple[Exception, ...]", getattr(inner, "exceptions", ()))
        if len(found) != 1:
            break
        inner = found[0]
    return cast("Exception", inner)
