"""Where a run ends by itself, measured from where it began."""

import math
from collections.abc import Awaitable, Callable

from anyio import CancelScope, current_time

from ouroboros.agent.running.repeats import is_stuck
from ouroboros.core.clock import Clock
from ouroboros.core.limits import Caps
from ouroboros.core.state import Spent, State


class Rest:
    """Time that counts towards no cap: a person is at work, and the run waits for them.

    Re-entrant: ``with rest:`` around each such wait.
    """

    def __init__(self) -> None:
        """The run is at work."""
        self._waits = 0
        self._since = self._past = 0.0
        self.changed: Callable[[], None] = lambda: None

    @property
    def is_on(self) -> bool:
        """Somebody is waited for."""
        return self._waits > 0

    @property
    def seconds(self) -> float:
        """All of it so far."""
        return self._past + (current_time() - self._since if self._waits else 0.0)

    def __enter__(self) -> None:
        """A wait begins."""
        self._waits += 1
        if self._waits == 1:
            self._since = current_time()
            self.changed()

    def __exit__(self, *_: object) -> None:
        """It is over."""
        if self._waits == 1:
            self._past += current_time() - self._since
        self._waits -= 1
        self.changed()


def watch(
    caps: Caps,
    state: State,
    clock: Clock,
    before: Callable[[], str] | None = None,
    rested: Callable[[], float] = float,
) -> Callable[[State], str | None]:
    """A function that names the first cap that is reached, for one run that starts now.

    One that repeats a call although it was told has reached an end as well; ``before`` names the last
    result of before, by default of now. A reply whose cost is unknown reaches the cap on cost: it
    might have been too dear. ``rested`` are the seconds that do not count.
    """
    turn, tokens = state.turn, state.spent.tokens
    cost, unpriced = state.spent.known_cost, state.spent.unpriced
    since = clock.monotonic() - rested()
    last = latest(state)

    def is_too_dear(spent: Spent, most: float) -> bool:
        return spent.unpriced > unpriced or spent.known_cost - cost >= most

    def is_late(seconds: float) -> bool:
        return caps.max_seconds is not None and seconds >= caps.max_seconds

    def reached(now: State) -> str | None:
        if caps.max_turns is not None and now.turn - turn >= caps.max_turns:
            return "max_turns"
        if caps.max_tokens is not None and now.spent.tokens - tokens >= caps.max_tokens:
            return "max_tokens"
        if caps.max_cost is not None and is_too_dear(now.spent, caps.max_cost):
            return "max_cost"
        if is_late(clock.monotonic() - rested() - since):
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
    """The caps of what a person asked for, over all the runs that it takes."""

    def __init__(
        self,
        caps: Caps,
        state: State,
        clock: Clock,
        outer: Callable[[State], Awaitable[str | None]] = nobody,
        rest: Rest | None = None,
    ) -> None:
        """Counts from here on; ``outer`` names a limit beyond this session that is reached.

        The cap on time stands still during ``rest``.
        """
        self._state, self._last, self._outer = state, latest(state), outer
        self._rest = rest or Rest()
        self._reached = watch(caps, state, clock, lambda: self._last, lambda: self._rest.seconds)
        self._until = current_time() - self._rest.seconds + (caps.max_seconds or math.inf)

    def begin(self) -> CancelScope:
        """One of its runs begins: what the one before repeated does not end it, the time left does."""
        self._last = latest(self._state)
        scope = CancelScope()

        def move() -> None:
            scope.deadline = math.inf if self._rest.is_on else self._until + self._rest.seconds

        self._rest.changed = move
        move()
        return scope

    async def limit(self, state: State) -> str | None:
        """Names a cap that is reached."""
        return self._reached(state) or await self._outer(state)
