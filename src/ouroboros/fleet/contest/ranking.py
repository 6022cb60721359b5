"""Which of several answers to one task is best: pure."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

type Tests = Literal["passed", "failed", "timed out", "stopped", "not run"]


class Size(Struct, frozen=True, kw_only=True):
    """How much was changed; a file that is no text counts as one line."""

    files: int = 0
    added: int = 0
    removed: int = 0

    @property
    def lines(self) -> int:
        """Lines that a person has to read."""
        return self.added + self.removed


class Entry(Struct, frozen=True, kw_only=True):
    """One answer.

    Attributes:
        number: Which of them, from 1.
        session: The work session that it lies in; empty where none could be started.
        tests: What the command said of it; ``stopped`` where a stop kept it from that.
        reason: How its run ended, such as ``completed`` or ``limit_reached:max_turns``.
        cost: Dollars; None where a price is unknown.
        seconds: How long the run took.
        final: The agent's last words.
        bundle: All changes of the answer; empty where there are none.
        departures: Where it left the plan that it was given.
        problem: Why there is no answer.
    """

    number: int
    session: str = ""
    tests: Tests = "not run"
    size: Size = Size()
    reason: str = ""
    cost: float | None = None
    tokens: int = 0
    seconds: float = 0.0
    final: str = ""
    bundle: str = ""
    departures: tuple[str, ...] = ()
    problem: str = ""

    @property
    def is_good(self) -> bool:
        """Its run came to its end, and the command had nothing against it."""
        return (
            not self.problem and self.reason == "completed" and self.tests in {"passed", "not run"}
        )


def ranked(entries: Iterable[Entry]) -> list[Entry]:
    """The best first: by the command, an end of its own, a change at all, its size, and its cost.

    An unknown cost comes after every known one; between equals the earlier stays before.
    """
    return sorted(entries, key=_order)


def _order(entry: Entry) -> tuple[object, ...]:
    return (
        bool(entry.problem),
        entry.tests not in {"passed", "not run"},
        entry.reason != "completed",
        not entry.size.files,
        entry.size.lines,
        entry.size.files,
        entry.cost is None,
        entry.cost or 0.0,
        entry.tokens,
        entry.number,
    )
