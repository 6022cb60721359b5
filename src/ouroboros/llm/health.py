"""Which models answer: a fold over how each was last heard of, and when."""

import math
from collections.abc import Mapping

from msgspec import Struct

from ouroboros.core.errors import Failure, FailureKind

FIRST_REST_SECONDS = 60.0
LONGEST_REST_SECONDS = 900.0

ELSEWHERE: frozenset[FailureKind] = frozenset({
    "auth",
    "permission",
    "quota",
    "rate_limit",
    "overloaded",
    "timeout",
    "server",
    "transport",
    "model_not_found",
})
"""Failures that another vendor may not have; the others are about what was asked."""

_LASTING: frozenset[FailureKind] = frozenset({"auth", "permission", "quota", "model_not_found"})


class Rest(Struct, frozen=True, kw_only=True):
    """Why a model is left alone, and until when on a clock that only grows; maybe for good.

    ``failures`` counts those in a row; a rest that is over leaves them counted until an answer.
    """

    until: float
    failures: int
    failure: Failure


type Health = Mapping[str, Rest]
"""By name; a model that is not in it has not failed since it last answered."""


def after_failure(health: Health, name: str, failure: Failure, now: float) -> Health:
    """The model failed: it rests as long as it asked to, else longer each time in a row."""
    known = health.get(name)
    failures = known.failures + 1 if known else 1
    rest = Rest(until=now + _seconds(failure, failures), failures=failures, failure=failure)
    return {**health, name: rest}


def after_answer(health: Health, name: str) -> Health:
    """The model answered: what was before is forgotten."""
    return {known: rest for known, rest in health.items() if known != name}


def is_well(health: Health, name: str, now: float) -> bool:
    """Whether the model may be asked."""
    return now >= wakes(health, name)


def wakes(health: Health, name: str) -> float:
    """When the model may be asked again; long ago if it may be now."""
    known = health.get(name)
    return known.until if known else -math.inf


def _seconds(failure: Failure, failures: int) -> float:
    if failure.retry_after_seconds is not None:
        return failure.retry_after_seconds
    if failure.kind in _LASTING or failure.kind not in ELSEWHERE:
        return math.inf
    # The exponent is bounded, so that a model that fails for days makes no huge number.
    doubled: float = FIRST_REST_SECONDS * 2 ** min(failures - 1, 10)
    return min(doubled, LONGEST_REST_SECONDS)
