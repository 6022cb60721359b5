"""How many effects an hour may happen without anybody having been asked."""

from collections import deque

from msgspec.structs import replace

from ouroboros.safety.rules import Decision
from ouroboros.safety.rules.values import HARMLESS

LIMIT = "actions_per_hour"
_HOUR = 3600.0


class Pace:
    """Counts effects that rules or modes let through; beyond ``most`` a person is asked about each.

    Attributes:
        elsewhere: When other sessions did such a thing, by this one's monotonic clock.
    """

    def __init__(self, most: int | None = None) -> None:
        """None means that there is no limit."""
        self._most = most
        self._times: deque[float] = deque()
        self.elsewhere: tuple[float, ...] = ()

    @property
    def is_on(self) -> bool:
        """There is a limit."""
        return self._most is not None

    def held(self, decision: Decision, kind: str, now: float) -> Decision:
        """The decision, or a question where the hour is used up."""
        if self._most is None or decision.outcome != "allow" or kind in HARMLESS:
            return decision
        while self._times and self._times[0] <= now - _HOUR:
            self._times.popleft()
        others = sum(moment > now - _HOUR for moment in self.elsewhere)
        if len(self._times) + others < self._most:
            self._times.append(now)
            return decision
        reason = f"{self._most} actions in the last hour ran without a question, the limit"
        return replace(decision, outcome="ask", rule=LIMIT, layer="", reason=reason, command="")
