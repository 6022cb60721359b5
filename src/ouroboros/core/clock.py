"""Time as something handed in, so that a test can hold it still."""

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time; never blocks."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow, for durations."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()
