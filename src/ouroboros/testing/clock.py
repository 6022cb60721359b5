"""Time that moves when told to."""


class ManualClock:
    """A clock that stands still; ``sleep`` moves it, and notes how far."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        """Starts at ``now``, in seconds since the epoch."""
        self._now = now
        self._elapsed = 0.0
        self.slept: list[float] = []

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._now + self._elapsed

    def monotonic(self) -> float:
        """Seconds since the clock was made."""
        return self._elapsed

    def advance(self, seconds: float) -> None:
        """Moves time on."""
        self._elapsed += seconds

    async def sleep(self, seconds: float) -> None:
        """Moves time on at once, instead of waiting."""
        self.slept.append(seconds)
        self.advance(seconds)
