"""Where a run ends by itself, measured from where it began."""

from collections.abc import Callable

from ouroboros.core.clock import Clock
from ouroboros.core.limits import Caps
from ouroboros.core.state import State


def watch(caps: Caps, state: State, clock: Clock) -> Callable[[State], str | None]:
    """A function that names the first cap that is reached, for one run that starts now."""
    turn, tokens = state.turn, state.spent.tokens
    cost, since = state.spent.cost or 0.0, clock.monotonic()

    def reached(now: State) -> str | None:
        if caps.max_turns is not None and now.turn - turn >= caps.max_turns:
            return "max_turns"
        if caps.max_tokens is not None and now.spent.tokens - tokens >= caps.max_tokens:
            return "max_tokens"
        if caps.max_cost is not None and (now.spent.cost or 0.0) - cost >= caps.max_cost:
            return "max_cost"
        if caps.max_seconds is not None and clock.monotonic() - since >= caps.max_seconds:
            return "max_time"
        return None

    return reached
