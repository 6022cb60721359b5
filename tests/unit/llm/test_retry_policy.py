"""When a failed request is sent again, and after how long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.errors import Failure, FailureKind
from ouroboros.llm.retry import HARD_CAP, Policy
from tests.cases import every


def failure(kind: FailureKind = "server", **more: float | bool) -> Failure:
    retryable = bool(more.get("retryable", True))
    asked = more.get("retry_after_seconds")
    return Failure(
        kind=kind,
        message="no",
        retryable=retryable,
        retry_after_seconds=None if asked is None else float(asked),
    )


@pytest.mark.proves("codex-4.3")
def test_delays_double_from_200_ms() -> None:
    delays = [Policy().delay("stream", attempt, failure(), lambda: 0.5) for attempt in range(1, 6)]
    assert delays == pytest.approx([0.2, 0.4, 0.8, 1.6, 3.2])


@pytest.mark.proves("codex-4.3")
@given(attempt=st.integers(1, 5), chance=st.floats(0, 1, exclude_max=True))
def test_jitter_stays_within_a_tenth(attempt: int, chance: float) -> None:
    delay = Policy().delay("stream", attempt, failure(), lambda: chance)
    middle = 0.2 * 2 ** (attempt - 1)
    assert delay is not None
    assert middle * 0.9 <= delay <= middle * 1.1


@pytest.mark.proves("A14")
@given(
    attempt=st.integers(1, 500),
    wanted=st.integers(-5, 500),
    chance=st.floats(0, 1, exclude_max=True),
)
def test_no_setting_retries_more_than_the_hard_cap(
    attempt: int, wanted: int, chance: float
) -> None:
    policy = Policy(stream_retries=wanted, request_retries=wanted)
    delay = policy.delay("request", attempt, failure(), lambda: chance)
    assert (delay is not None) == (attempt <= min(wanted, HARD_CAP))
    assert delay is None or 0 < delay <= 33.0


@every(("phase", "last"), [("request", 4), ("stream", 5)])
def test_gives_up_after_the_retries_of_the_phase(phase: str, last: int) -> None:
    named = "request" if phase == "request" else "stream"
    assert Policy().delay(named, last, failure(), lambda: 0.0) is not None
    assert Policy().delay(named, last + 1, failure(), lambda: 0.0) is None


@given(chance=st.floats(0, 1, exclude_max=True), asked=st.floats(0, 120))
def test_a_wait_asked_for_is_kept_exactly(chance: float, asked: float) -> None:
    assert Policy().delay("request", 1, failure(retry_after_seconds=asked), lambda: chance) == asked


def test_a_wait_above_two_minutes_is_not_waited_for() -> None:
    assert Policy().delay("request", 1, failure(retry_after_seconds=120.5), lambda: 0.5) is None


def test_what_is_not_retryable_is_not_sent_again() -> None:
    refused = failure("auth", retryable=False, retry_after_seconds=1)
    assert Policy().delay("request", 1, refused, lambda: 0.5) is None
