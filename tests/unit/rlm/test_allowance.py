"""What children of a run may use together, while they run."""

from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.limits import Caps
from ouroboros.core.parts import Usage
from ouroboros.core.state import State
from ouroboros.rlm.children.ground import Allowance, Spent
from ouroboros.testing.clock import ManualClock

STEPS = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 400)), max_size=60)


@pytest.mark.deep
@pytest.mark.proves("agent-budgets")
@given(most=st.integers(1, 1000), steps=STEPS)
def test_no_order_of_children_passes_what_is_left(most: int, steps: list[tuple[int, int]]) -> None:
    """Each step begins a child's request in a place, or ends the one that is there."""
    state = State()
    state.spent.add(Usage(input_uncached=7777), 0.0)
    allowance = Allowance(Caps(max_tokens=most, max_cost=most / 100), state, ManualClock())
    working: dict[int, tuple[ExitStack, int]] = {}
    used = 0
    for place, tokens in steps:
        if place in working:
            stack, taken = working.pop(place)
            state.spent.add(Usage(input_uncached=taken), taken / 100)
            stack.close()
            used += taken
            continue
        held = sum(taken for _, taken in working.values())
        stack = ExitStack()
        try:
            stack.enter_context(allowance.held(tokens, tokens / 100))
        except Spent:
            assert used + held + tokens > most - 1e-6
            continue
        working[place] = (stack, tokens)
        assert used + held + tokens <= most + 1e-6


def test_what_was_kept_for_a_request_that_failed_is_there_again() -> None:
    allowance = Allowance(Caps(max_tokens=100), State(), ManualClock())
    with pytest.raises(OSError, match="gone"), allowance.held(80, 0.0):
        raise OSError("gone")
    with allowance.held(100, 0.0), pytest.raises(Spent, match="0 tokens"), allowance.held(1, 0.0):
        pass
