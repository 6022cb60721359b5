"""Where a run ends by itself, measured from where it began."""

import math
from collections.abc import Awaitable, Callable

from anyio import current_time

from ouroboros.agent.running.repeats import is_stuck
from ouroboros.core.clock import Clock
from ouroboros.core.limits import Caps
from ouroboros.core.state import Spent, State


def watch(
    caps: Caps, state: State, clock: Clock, before: Callable[[], str] | None = None
) -> Callable[[State], str | None]:
    """A function that names the first cap that is reached, for one run that starts now.

    One that repeats a call although it was told has reached an end as well; ``before`` names the last
    result of before, by default of now. A reply whose cost is unknown reaches the cap on cost: it
    might have been too dear.
    """
    turn, tokens = state.turn, state.spent.tokens
    cost, unpriced, since = state.spent.known_cost, state.spent.unpriced, clock.monotonic()
    last = latest(state)

    def is_too_dear(spent: Spent, most: float) -> bool:
        return spent.unpriced > unpriced or spent.known_cost - cost >= most

    def reached(now: State) -> str | None:
        if caps.max_turns is not None and now.turn - turn >= caps.max_turns:
            return "max_turns"
        if caps.max_tokens is not None and now.spent.tokens - tokens >= caps.max_tokens:
            return "max_tokens"
        if caps.max_cost is not None and is_too_dear(now.spent, caps.max_cost):
            return "max_cost"
        if caps.max_seconds is not None and clock.monotonic() - since >= caps.max_seconds:
            return "max_time"
        return "repeated_call" if is_stuck(now, since=before() if before else last) else None

    return reached


def latest(state: State) -> str:
    """The call of the latest result; empty before the first."""
    return next(reversed(state.results), "")


async def nobody(state: State) -> str | None:
    """No limit is reached."""
    del state


class Span:
    """The caps of what a person asked for, over all the runs that it takes.

    Attributes:
        until: When the cap on time is, by the event loop's clock.
    """

    def __init__(
        self,
        caps: Caps,
        state: State,
        clock: Clock,
        outer: Callable[[State], Awaitable[str | None]] = nobody,
    ) -> None:
        """Counts from here on; ``outer`` names a limit beyond this session that is reached."""
        self._state, self._last = state, latest(state)
        self._reached, self._outer = watch(caps, state, clock, lambda: self._last), outer
        self.until = current_time() + (caps.max_seconds or math.inf)

    def begin(self) -> None:
        """One of its runs begins: what the one before repeated does not end it."""
        self._last = latest(self._state)

    async def limit(self, state: State) -> str | None:
        """Names a cap that is reached."""
        return self._reached(state) or await self._outer(state)
