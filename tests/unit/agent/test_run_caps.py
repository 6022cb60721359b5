"""Caps of one run, measured from where it begins."""

import math

import anyio
import pytest

from ouroboros.agent.running.caps import Rest, Span, watch
from ouroboros.core.limits import Caps
from ouroboros.core.parts import Usage
from ouroboros.core.state import State
from ouroboros.testing.clock import ManualClock

USAGE = Usage(input_uncached=10, output_text=1)


def test_a_cap_on_cost_holds_in_a_session_whose_earlier_cost_is_unknown() -> None:
    state = State()
    state.spent.add(USAGE, None)
    reached = watch(Caps(max_cost=1.0), state, ManualClock())
    state.spent.add(USAGE, 0.6)
    assert reached(state) is None
    state.spent.add(USAGE, 0.6)
    assert reached(state) == "max_cost"
    assert state.spent.cost is None


def test_a_reply_of_unknown_cost_reaches_a_cap_on_cost_and_no_other() -> None:
    state = State()
    capped = watch(Caps(max_cost=1.0), state, ManualClock())
    free = watch(Caps(max_tokens=100), state, ManualClock())
    state.spent.add(USAGE, None)
    assert (capped(state), free(state)) == ("max_cost", None)


def test_what_earlier_runs_used_does_not_count() -> None:
    state = State()
    state.spent.add(USAGE, 5.0)
    state.turn = 9
    reached = watch(Caps(max_cost=1.0, max_tokens=11, max_turns=1), state, ManualClock())
    assert reached(state) is None
    state.turn = 10
    assert reached(state) == "max_turns"


@pytest.mark.proves("A14")
async def test_the_cap_on_time_stands_still_while_a_person_is_waited_for() -> None:
    rest, clock, state = Rest(), ManualClock(), State()
    span = Span(Caps(max_seconds=60.0), state, clock, rest=rest)
    first = span.begin()
    until = first.deadline
    with rest:
        assert first.deadline == math.inf
        with rest:  # in two tabs at once
            await anyio.sleep(0.01)
        assert first.deadline == math.inf
    assert first.deadline == until + rest.seconds > until + 0.005
    # Between turns the same is asked by the session's own clock.
    clock.advance(60.0)
    assert await span.limit(state) is None
    clock.advance(rest.seconds)
    assert await span.limit(state) == "max_time"
    # What was waited in one run counts towards no later one either.
    assert span.begin().deadline == first.deadline
    assert Span(Caps(max_seconds=60.0), state, clock, rest=rest).begin().deadline >= until
