"""Caps of one run, measured from where it begins."""

from ouroboros.agent.running.caps import watch
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
