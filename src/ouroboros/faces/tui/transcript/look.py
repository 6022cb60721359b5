"""How blocks are shown: width, colours, what is unfolded; and small parts of rows."""

from collections.abc import Iterable

from msgspec import Struct

from ouroboros.faces.wording.rows import Row, Span, crop, row_width

FAINT = "faint"
_TWO_SIDES = 110


class Look(Struct, frozen=True, kw_only=True):
    """What the rows of every block depend on.

    Attributes:
        columns: Cells across.
        colours: 16 or 256, for code.
        unfolded: Cards show all they have, unless one was folded by hand.
        sides: Changes side by side; None leaves it to the width.
        now: The log's clock, for how long something has been running.
    """

    columns: int
    colours: int = 256
    unfolded: bool = False
    sides: bool | None = None
    now: float = 0.0

    @property
    def is_beside(self) -> bool:
        """Whether old and new stand side by side."""
        return self.columns >= _TWO_SIDES if self.sides is None else self.sides


def mark(unfolded: bool) -> str:
    """The sign of a card that can be unfolded."""
    return "▾ " if unfolded else "▸ "


def indented(rows: Iterable[Row], by: str, style: str = "") -> list[Row]:
    """The rows with something before each of them."""
    return [(Span(by, style), *each) for each in rows]


def filled(line: Row, columns: int, style: str) -> Row:
    """The row cut or drawn out to exactly that many cells."""
    line = crop(line, columns)
    return (*line, Span(" " * (columns - row_width(line)), style))
