"""What was measured, as Markdown tables, and which aims are missed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median

OURS = "ouroboros"
OFFICIAL = frozenset({"openai", "anthropic"})
TIMES_LESS = 3.0
"""How many times less an event is to cost here than in the official SDKs."""


@dataclass(frozen=True)
class Row:
    """One number for each contestant; ``most`` is the aim in the unit shown."""

    key: str
    title: str
    scale: float
    digits: int
    most: float
    is_compared: bool = True


ROWS = (
    Row("batched chat", "CPU per event, chat, us", 1e6, 1, 25),
    Row("batched responses", "CPU per event, responses, us", 1e6, 1, 25),
    Row("batched messages", "CPU per event, messages, us", 1e6, 1, 25),
    Row(
        "paced chat",
        "20 streams, 200 events/s each, chat, % of a core",
        100,
        1,
        15,
        is_compared=False,
    ),
    Row("paced responses", "the same, responses, % of a core", 100, 1, 15, is_compared=False),
    Row("paced messages", "the same, messages, % of a core", 100, 1, 15, is_compared=False),
    Row("import", "import over bare Python, ms of CPU", 1e3, 0, 30, is_compared=False),
)


@dataclass
class Sheet:
    """Values by row and contestant, one a round."""

    names: list[str]
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
        for row in ROWS:
            cells = [self._cell(row, name) for name in self.names]
            if any(cells):
                yield f"| {row.title} | <= {row.most:g} | " + " | ".join(cells) + " |"

    def missed(self) -> Iterator[str]:
        """The aims that our medians do not reach."""
        for row in ROWS:
            values = self.values.get((row.key, OURS))
            if values and median(values) * row.scale > row.most:
                yield f"{row.title}: {median(values) * row.scale:.{row.digits}f}, not <= {row.most:g}"
            for name in self.names if row.is_compared else ():
                times = self.times(row.key, name)
                if name in OFFICIAL and times is not None and times < TIMES_LESS:
                    yield f"{row.title}: {name} takes {times:.1f} times ours, not {TIMES_LESS:g}"

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


def decoder_lines(costs: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Microseconds for each event without a socket."""
    kinds = ("words", "thoughts", "arguments")
    yield "| decoding alone, us per event | " + " | ".join(kinds) + " |"
    yield "|---|" + "---|" * len(kinds)
    for name, found in costs.items():
        cells = (f"{found[kind] * 1e6:.1f}" if kind in found else "" for kind in kinds)
        yield f"| {name} | " + " | ".join(cells) + " |"


def growth_lines(growth: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """What grows with a reply."""
    yield "| growth | bytes held per event | 25 MB of text to ten times 2.5 MB, CPU |"
    yield "|---|---|---|"
    for name, found in growth.items():
        yield f"| {name} | {found['bytes_per_event']:.0f} | x{found['long_over_short']:.2f} |"
