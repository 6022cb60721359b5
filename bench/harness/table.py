"""Medians, ratios and budgets as a Markdown table."""

from collections.abc import Iterator
from statistics import median

from msgspec import Struct


class Row(Struct, frozen=True, kw_only=True):
    """One number.

    Attributes:
        scale: What a measured value is multiplied with to be shown.
        most: The budget, in the shown unit; None when there is none.
        least: Where the budget is a range, its lower end.
        compared: Whether a ratio to the peer says anything.
    """

    key: str
    title: str
    scale: float = 1.0
    digits: int = 1
    most: float | None = None
    least: float | None = None
    compared: bool = True


_MS, _US, _KB, _MB = 1e3, 1e6, 1 / 1024, 1 / 1_048_576

ROWS = (
    Row(key="start", title="start to first request, ms", scale=_MS),
    Row(key="whole", title="start to end, one turn, ms", scale=_MS),
    Row(key="whole_cpu", title="CPU of that, ms", scale=_MS),
    Row(key="first_request", title="first request, KB", scale=_KB, most=12.0),
    Row(key="gap_early", title="gap at turn 20, ms", scale=_MS, digits=2, most=8.0),
    Row(key="gap_late", title="gap at turn 200, ms", scale=_MS, digits=2, most=8.0),
    Row(key="turn_cpu", title="CPU per turn, ms", scale=_MS, digits=2, most=10.0),
    Row(key="turn_cpu_own", title="of it without children, ms", scale=_MS, digits=2),
    Row(key="delta_text", title="CPU per delta, text, us", scale=_US, most=40.0),
    Row(key="delta_stream-json", title="CPU per delta, stream-json, us", scale=_US, most=40.0),
    Row(key="delta_pty", title="CPU per delta, terminal, us", scale=_US, most=40.0),
    Row(key="paced_text", title="CPU per lone delta, text, us", scale=_US),
    Row(key="paced_stream-json", title="CPU per lone delta, stream-json, us", scale=_US),
    Row(key="paced_pty", title="CPU per lone delta, terminal, us", scale=_US),
    Row(
        key="linear",
        title="output, 10,000 to 5,000 deltas",
        digits=2,
        least=1.8,
        most=2.2,
        compared=False,
    ),
    Row(key="pss", title="peak PSS with children, MB", scale=_MB, most=80.0),
    Row(key="pss_own", title="peak PSS without, MB", scale=_MB),
    Row(key="growth", title="growth per call, KB", scale=_KB, most=102.4, compared=False),
    Row(key="connections", title="TCP connections", digits=0, most=1.0, compared=False),
)


class Sheet:
    """What was measured: for each row and contestant, one value a round."""

    def __init__(self, contestants: list[str], peer: str) -> None:
        """``peer`` is whom the others are compared with; empty when it is absent."""
        self._contestants = contestants
        self._peer = peer
        self._values: dict[tuple[str, str], list[float]] = {}

    def add(self, contestant: str, key: str, value: float) -> None:
        """Takes in one measurement."""
        self._values.setdefault((contestant, key), []).append(value)

    def lines(self) -> Iterator[str]:
        """The table: median (least to most), and the median of the ratios of pairs."""
        yield "| what | budget | " + " | ".join(self._contestants) + " |"
        yield "|---|---|" + "---|" * len(self._contestants)
        for row in ROWS:
            cells = [self._cell(row, name) for name in self._contestants]
            if any(cells):
                yield f"| {row.title} | {_budget(row)} | " + " | ".join(cells) + " |"

    def missed(self, contestant: str) -> Iterator[str]:
        """The budgets that a contestant's medians do not keep."""
        for row in ROWS:
            values = self._values.get((contestant, row.key))
            if values is None:
                continue
            middle = median(values) * row.scale
            if (row.most is not None and middle > row.most) or (
                row.least is not None and middle < row.least
            ):
                yield f"{contestant}: {row.title} is {middle:.{row.digits}f}, not {_budget(row)}"
        yield from self._missed_pairs(contestant)

    def _missed_pairs(self, contestant: str) -> Iterator[str]:
        start = self.ratio("start", contestant)
        if start is not None and start > 1:
            yield f"{contestant}: start is {start:.2f} of {self._peer}'s"
        early, late = (self._values.get((contestant, f"gap_{when}")) for when in ("early", "late"))
        if early and late:
            grown = median(b / a for a, b in zip(early, late, strict=True))
            if grown > 1.25:
                yield f"{contestant}: the gap at turn 200 is {grown:.2f} of that at turn 20"

    def ratio(self, key: str, contestant: str) -> float | None:
        """The median of this contestant's value over the peer's, round by round."""
        ours, theirs = (self._values.get((name, key)) for name in (contestant, self._peer))
        if not ours or not theirs or contestant == self._peer:
            return None
        pairs = [a / b for a, b in zip(ours, theirs, strict=False) if b > 0]
        return median(pairs) if pairs else None

    def _cell(self, row: Row, contestant: str) -> str:
        values = self._values.get((contestant, row.key))
        if not values:
            return ""
        least, middle, most = (
            f"{value * row.scale:,.{row.digits}f}"
            for value in (min(values), median(values), max(values))
        )
        spread = "" if least == most else f" ({least} to {most})"
        ratio = self.ratio(row.key, contestant) if row.compared else None
        return f"{middle}{spread}" + ("" if ratio is None else f", x{ratio:.2f}")


def _budget(row: Row) -> str:
    if row.least is not None:
        return f"{row.least:g} to {row.most:g}"
    return "" if row.most is None else f"<= {row.most:g}"
