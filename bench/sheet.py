"""What was measured, as a Markdown table: a row for each number, a column for each contestant."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

OURS = "ouroboros"


@dataclass(frozen=True)
class Row:
    """One number for each contestant; ``most`` is the aim in the unit shown, None where there is none.

    ``beside`` names contestants and how many times theirs ours may be at most.
    """

    key: str
    title: str
    scale: float
    digits: int
    most: float | None = None
    is_compared: bool = True
    beside: tuple[tuple[str, float], ...] = ()


@dataclass
class Sheet:
    """Values by row and contestant, one a round."""

    names: list[str]
    rows: Sequence[Row]
    values: dict[tuple[str, str], list[float]] = field(
        default_factory=dict[tuple[str, str], list[float]]
    )

    def add(self, key: str, name: str, value: float) -> None:
        """Takes in one measurement."""
        self.values.setdefault((key, name), []).append(value)

    def middle(self, key: str, name: str) -> float:
        """The median of what was measured."""
        return median(self.values[key, name])

    def times(self, key: str, name: str) -> float | None:
        """How many times ours this contestant's value is: the median, round by round."""
        ours, theirs = (self.values.get((key, one)) for one in (OURS, name))
        if not ours or not theirs or name == OURS:
            return None
        return median(b / a for a, b in zip(ours, theirs, strict=False))

    def lines(self) -> Iterator[str]:
        """The table: median (least to most), and how many times ours that is."""
        yield "| what | aim | " + " | ".join(self.names) + " |"
        yield "|---|---|" + "---|" * len(self.names)
        for row in self.rows:
            cells = [self._cell(row, name) for name in self.names]
            if any(cells):
                aims = [] if row.most is None else [f"<= {row.most:g}"]
                aims += [f"<= {times:g} {name}" for name, times in row.beside]
                aim = ", ".join(aims)
                yield f"| {row.title} | {aim} | " + " | ".join(cells) + " |"

    def missed(self) -> Iterator[str]:
        """The aims that our medians do not reach."""
        for row in self.rows:
            values = self.values.get((row.key, OURS))
            if values and row.most is not None and median(values) * row.scale > row.most:
                yield f"{row.title}: {median(values) * row.scale:.{row.digits}f}, not <= {row.most:g}"
            for name, most in row.beside:
                times = self.times(row.key, name)
                if times is not None and 1 / times > most:
                    yield f"{row.title}: {1 / times:.2f} times {name}, not <= {most:g}"

    def _cell(self, row: Row, name: str) -> str:
        values = self.values.get((row.key, name))
        if not values:
            return ""
        least, middle, most = (
            f"{value * row.scale:,.{row.digits}f}"
            for value in (min(values), median(values), max(values))
        )
        spread = "" if least == most else f" ({least} to {most})"
        times = self.times(row.key, name)
        return f"{middle}{spread}" + ("" if times is None else f", x{times:.1f}")
