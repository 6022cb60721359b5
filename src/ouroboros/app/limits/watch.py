"""Holds a session to what the person may spend in a day and a month.

Looked up before each turn: what this session used counts at once, what others use from the next
turn on. The clock may jump: what was dated later than now counts as well, so that setting it back
frees nothing; a new day begins when the clock says so.
"""

from collections.abc import Awaitable, Callable
from datetime import tzinfo
from functools import partial
from pathlib import Path

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.app.limits.periods import Name, Period, period
from ouroboros.app.settings import Limits
from ouroboros.core.clock import Clock
from ouroboros.core.state import State
from ouroboros.store import spending
from ouroboros.store.spending import Total
from ouroboros.tools.pace import Pace

HOUR = 3600.0
NEAR = 0.8
"""From this share on the person is warned."""

_WORDS: dict[Name, str] = {"daily_cost": "today", "monthly_cost": "this month"}


class Standing(Struct, frozen=True, kw_only=True):
    """How much of a limit is used; ``most`` is None where there is no limit."""

    period: Period
    total: Total
    most: float | None

    @property
    def is_reached(self) -> bool:
        """No turn may begin."""
        return self.most is not None and self.total.cost >= self.most


def bounds(limits: Limits) -> dict[Name, float | None]:
    """The limits that hold over all sessions."""
    return {"daily_cost": limits.daily_cost, "monthly_cost": limits.monthly_cost}


def standings(home: Path, limits: Limits, now: float, zone: tzinfo | None = None) -> list[Standing]:
    """How each limit stands; blocks.

    Raises:
        StoreFailed: The database cannot be read.
    """
    wanted = bounds(limits)
    periods = [period(name, now, zone) for name in wanted]
    totals = spending.since(home, *(each.start for each in periods))
    return [
        Standing(period=each, total=total, most=wanted[each.name])
        for each, total in zip(periods, totals, strict=True)
    ]


async def look_elsewhere(pace: Pace, home: Path, session: str, clock: Clock) -> None:
    """Tells the pace of a session what all others did unasked in the last hour.

    Raises:
        StoreFailed: It cannot be found out.
    """
    now, here = clock.now(), clock.monotonic()
    found = await to_thread.run_sync(partial(spending.actions, home, now - HOUR, but=session))
    pace.elsewhere = tuple(here - max(0.0, now - ts) for ts in found)


class Watch:
    """Says before each turn whether one may begin; warns once a period when a limit is near."""

    def __init__(
        self,
        home: Path,
        limits: Limits,
        *,
        clock: Clock,
        settle: Callable[[], Awaitable[None]],
        warn: Callable[[str], None],
        zone: tzinfo | None = None,
        is_kept: bool = True,
    ) -> None:
        """``settle`` returns when all of this session is on disk, ``warn`` tells the person.

        What a session used that is not kept is added to what is on disk.
        """
        self._is_kept = is_kept
        self._home, self._limits, self._clock, self._zone = home, limits, clock, zone
        self._settle, self._warn = settle, warn
        self._is_on = any(bounds(limits).values())
        self._told: set[tuple[str, float]] = set()

    async def reached(self, state: State) -> str | None:
        """The limit that is reached.

        Raises:
            StoreFailed: It cannot be found out what was used.
        """
        if not self._is_on:
            return None
        await self._settle()
        now = self._clock.now()
        found = await to_thread.run_sync(standings, self._home, self._limits, now, self._zone)
        if not self._is_kept:
            found = [_with(each, state) for each in found]
        for each in found:
            if each.most is not None:
                self._tell(each, each.most)
        return next((each.period.name for each in found if each.is_reached), None)

    def _tell(self, standing: Standing, most: float) -> None:
        name, total = standing.period.name, standing.total
        if total.cost >= most * NEAR and self._is_new(name, standing.period.start):
            share = int(100 * total.cost / most)
            self._warn(
                f"{share} % of limits.{name} is used: ${total.cost:.2f} of ${most:.2f} "
                f"{_WORDS[name]}, over all sessions"
            )
        if total.unpriced and self._is_new(f"{name} unpriced", standing.period.start):
            self._warn(
                f"limits.{name} leaves out what has no known price, {_WORDS[name]} "
                f"{total.unpriced} of {total.requests} requests"
            )

    def _is_new(self, what: str, start: float) -> bool:
        is_new = (what, start) not in self._told
        self._told.add((what, start))
        return is_new


def _with(standing: Standing, state: State) -> Standing:
    """How a limit stands with what a session used that is nowhere on record."""
    total = replace(standing.total, cost=standing.total.cost + state.spent.known_cost)
    return replace(standing, total=total)
