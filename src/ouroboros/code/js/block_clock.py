"""The clock of a block in its worker. Standard library only."""

import time

FOREVER = float("inf")

SETTLING_SECONDS = 10.0
"""How long calls that nobody awaits may keep a block open."""


class Block:
    """The clock of a block: V8's own time counts, waiting for the host does not."""

    def __init__(self, number: int, seconds: float) -> None:
        """May run for ``seconds``."""
        self.number = number
        self.used = 0.0
        self.stopping = ""
        self.closing = 0
        self.settled = False
        self.verdict: str | None = None
        self.deadline = FOREVER
        self._patience = FOREVER
        self._left = seconds
        self._since: float | None = None

    @property
    def is_idle(self) -> bool:
        """Whether V8 has nothing to do for it."""
        return self._since is None

    def resume(self) -> None:
        """V8 gets something to do."""
        if self._since is None:
            self._since = time.monotonic()
            self.deadline = self._since + self._left

    def rest(self) -> None:
        """V8 has done all it was asked."""
        if self._since is not None:
            spent = time.monotonic() - self._since
            self.used += spent
            self._left = max(0.0, self._left - spent)
            self._since = None
            self.deadline = self._patience

    def judge(self, kind: str) -> None:
        """At its end (e), waiting for nothing (z), or at its end with calls nobody awaits (w)."""
        if kind == "w" and not self.settled:
            self.settled = True
            self._patience = time.monotonic() + SETTLING_SECONDS
        if kind != "w":
            self.verdict = "stall" if kind == "z" else ""
