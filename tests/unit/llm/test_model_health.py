"""Who rests, how long, and who is asked instead, with a clock that moves when told to."""

import math

import pytest

from ouroboros.core.errors import Failure, FailureKind, ModelFailed
from ouroboros.llm.chain import best, following, may_follow, none_left
from ouroboros.llm.health import Health, after_answer, after_failure, is_well, wakes
from ouroboros.testing.clock import ManualClock
from tests.cases import every

NAMES = ("first", "second", "third")


def failure(kind: FailureKind = "overloaded", after: float | None = None) -> Failure:
    return Failure(kind=kind, message=f"It is {kind}.", retry_after_seconds=after)


@pytest.mark.proves("H23")
def test_each_failure_in_a_row_doubles_the_rest_up_to_a_quarter_of_an_hour() -> None:
    clock = ManualClock()
    health: Health = {}
    rests: list[float] = []
    for _ in range(7):
        health = after_failure(health, "first", failure(), clock.monotonic())
        rests.append(wakes(health, "first") - clock.monotonic())
        clock.advance(rests[-1] - 0.001)
        assert not is_well(health, "first", clock.monotonic())
        clock.advance(0.002)
        assert is_well(health, "first", clock.monotonic())
    assert rests == pytest.approx([60, 120, 240, 480, 900, 900, 900])


def test_an_answer_makes_the_next_rest_a_short_one_again() -> None:
    health = after_failure(after_failure({}, "first", failure(), 0), "first", failure(), 100)
    health = after_answer(health, "first")
    assert health == {}
    assert wakes(after_failure(health, "first", failure(), 500), "first") == 560


def test_an_answer_of_one_says_nothing_of_another() -> None:
    health = after_failure({}, "first", failure(), 0)
    assert after_answer(health, "second") == health


@pytest.mark.proves("H23")
@every("kind", ["auth", "permission", "quota", "model_not_found"])
def test_what_does_not_pass_by_itself_lasts(kind: FailureKind) -> None:
    assert wakes(after_failure({}, "first", failure(kind), 0), "first") == math.inf


@pytest.mark.proves("H23")
@every("kind", ["rate_limit", "overloaded", "quota"])
def test_a_wait_that_is_asked_for_is_kept(kind: FailureKind) -> None:
    assert wakes(after_failure({}, "first", failure(kind, after=7), 100), "first") == 107


def test_ten_thousand_failures_make_no_endless_number() -> None:
    health: Health = {}
    for _ in range(10_000):
        health = after_failure(health, "first", failure(), 0)
    assert wakes(health, "first") == 900


def test_the_first_that_is_well_is_asked() -> None:
    health = after_failure({}, "first", failure(), 0)
    assert best(NAMES, health, 1) == "second"
    assert best(NAMES, health, 61) == "first"


def test_where_all_rest_the_one_that_wakes_first_is_asked() -> None:
    health: Health = {}
    for name, wait in (("first", 90.0), ("second", None), ("third", 300.0)):
        health = after_failure(health, name, failure(after=wait), 0)
    assert best(NAMES, health, 1) == "second"
    gone = {name: rest for name, rest in health.items() if name != "second"}
    assert best(("first", "third"), gone, 1) == "first"


def test_where_none_will_ever_wake_the_first_is_asked() -> None:
    health: Health = {}
    for name in NAMES:
        health = after_failure(health, name, failure("auth"), 0)
    assert best(NAMES, health, 1) == "first"


def test_within_one_request_nobody_is_asked_twice() -> None:
    health = after_failure({}, "second", failure(), 0)
    assert following(NAMES, {"first": failure()}, health, 1) == "third"
    assert following(NAMES, dict.fromkeys(NAMES, failure()), health, 1) is None


@pytest.mark.proves("H23")
def test_one_that_only_rests_is_asked_before_all_is_given_up() -> None:
    health = after_failure({}, "first", failure(after=500), 0)
    health = after_failure(health, "second", failure(after=400), 0)
    assert following(NAMES, {"third": failure()}, health, 1) == "second"


def test_one_that_failed_for_good_is_not_asked_again() -> None:
    health = after_failure({}, "first", failure("auth"), 0)
    assert following(NAMES[:2], {"second": failure()}, health, 1) is None


@pytest.mark.proves("H23")
@every(
    ("kind", "follows"),
    [
        ("auth", True),
        ("rate_limit", True),
        ("transport", True),
        ("model_not_found", True),
        ("context_overflow", False),
        ("content_policy", False),
        ("invalid_request", False),
        ("stale_reasoning", False),
        ("cancelled", False),
        ("unknown", False),
    ],
)
def test_only_what_another_vendor_may_not_have_goes_on_to_it(
    kind: FailureKind, *, follows: bool
) -> None:
    assert may_follow(ModelFailed(failure(kind))) is follows
    assert not may_follow(ModelFailed(failure(kind), counted=True))


def test_when_none_is_left_each_is_named_with_its_reason() -> None:
    health = after_failure({}, "first", failure("auth"), 0)
    health = after_failure(health, "second", failure("server"), 0)
    failed = none_left(("first", "second"), health, hint="Check it.")
    assert failed.failure.kind == "auth"
    assert failed.message == "None of 2 models answers. first: It is auth; second: It is server."
    assert failed.hint == "Check it."
