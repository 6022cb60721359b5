"""How a run ended, in the words of the protocol; pure."""

from typing import Literal

from ouroboros.core.events import ErrorRaised

type Stop = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]

_TOKENS = frozenset({"max_tokens", "max_output_tokens"})


def stop_of(reason: str, stop_reason: str) -> Stop | None:
    """Why a prompt ended; None where the run failed.

    Args:
        reason: As the session says it; empty where nothing ran.
        stop_reason: Why the model stopped speaking last.
    """
    name, _, limit = reason.partition(":")
    if name == "cancelled":
        return "cancelled"
    if name == "limit_reached":
        return "max_tokens" if limit in _TOKENS else "max_turn_requests"
    if reason and stop_reason in {"refusal", "content_filter"}:
        return "refusal"
    return None if name == "failed" else "end_turn"


def failure(error: ErrorRaised | None) -> str:
    """What to tell of a failed run."""
    if error is None:
        return "the run failed"
    return f"{error.message}; {error.hint}" if error.hint else error.message
