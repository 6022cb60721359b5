"""The reviewer that answers in the place of the person."""

from typing import ClassVar, Literal

from ouroboros.core.events.envelope import Event


class GuardianReviewed(Event, frozen=True, kw_only=True):
    """A question was put to the reviewer.

    Attributes:
        outcome: ``failed`` and ``timed_out`` count as a no, and not for the breaker.
        rationale: The reviewer's words, or why there are none.
    """

    type: ClassVar[str] = "guardian.reviewed"
    request_id: str
    call_id: str
    outcome: Literal["allow", "deny", "timed_out", "failed"]
    risk_level: Literal["low", "medium", "high", "critical"] = "high"
    user_authorization: Literal["unknown", "low", "medium", "high"] = "unknown"
    rationale: str = ""
    model: str = ""
    seconds: float = 0.0


class GuardianStopped(Event, frozen=True, kw_only=True):
    """The reviewer refused too often in one turn: from here on a person is needed."""

    type: ClassVar[str] = "guardian.stopped"
    in_a_row: int
    of_recent: int
