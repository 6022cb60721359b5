"""When a failed request is sent again, and after how long."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from ouroboros.core.errors import Failure, FailureKind

HARD_CAP = 100
"""No setting makes more retries than this."""

RETRYABLE: frozenset[FailureKind] = frozenset({
    "rate_limit",
    "overloaded",
    "timeout",
    "server",
    "transport",
    "invalid_tool_output",
})
"""Kinds that may pass by themselves; a failure still says for itself."""

type Phase = Literal["request", "stream"]


class Policy(Struct, frozen=True, kw_only=True):
    """How often, and how patiently.

    Attributes:
        request_retries: For a request that brought no stream.
        stream_retries: For a stream that broke before anything of it counted.
        longest_wait_seconds: A vendor that asks for more is not waited for.
    """

    request_retries: int = 4
    stream_retries: int = 5
    base_seconds: float = 0.2
    factor: float = 2.0
    longest_backoff_seconds: float = 30.0
    longest_wait_seconds: float = 120.0

    def retries(self, phase: Phase) -> int:
        """The retries of this phase, within the hard cap."""
        wanted = self.request_retries if phase == "request" else self.stream_retries
        return max(0, min(wanted, HARD_CAP))

    def delay(
        self, phase: Phase, attempt: int, failure: Failure, random: Callable[[], float]
    ) -> float | None:
        """Seconds to wait before retry number ``attempt`` (from 1), or None to give up.

        A wait the vendor asks for is kept exactly; ``random`` gives numbers in [0, 1).
        """
        if not failure.retryable or attempt > self.retries(phase):
            return None
        asked = failure.retry_after_seconds
        if asked is not None:
            return asked if asked <= self.longest_wait_seconds else None
        exponent = min(attempt - 1, HARD_CAP)
        backoff = min(self.base_seconds * self.factor**exponent, self.longest_backoff_seconds)
        return backoff * (0.9 + 0.2 * random())
