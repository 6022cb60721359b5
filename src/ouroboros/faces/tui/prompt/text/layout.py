"""A typed text as rows of a screen, and places in it as row and column; pure."""

from collections.abc import Callable
from typing import NamedTuple

from ouroboros.faces.tui.prompt.text import clusters

_TAB = "    "
_BLANK = " "

type Width = Callable[[str], int]
type Shown = Callable[[str], str]


class Piece(NamedTuple):
    """What a cursor goes over in one step: its place in the text, its looks, its cells."""

    start: int
    end: int
    looks: str
    cells: int


class Row(NamedTuple):
    """One row: where in the text it begins and ends, and what is in it."""

    start: int
    end: int
    pieces: tuple[Piece, ...]

    @property
    def cells(self) -> int:
        """Its width."""
        return sum(piece.cells for piece in self.pieces)


class Layout(NamedTuple):
    """All rows of a text."""

    rows: tuple[Row, ...]

    def row_of(self, at: int) -> int:
        """The row that a place of the text is in: the later of two at a soft break."""
        found = 0
        for number, row in enumerate(self.rows):
            if row.start > at:
                break
            found = number
        return found

    def column_of(self, at: int) -> int:
        """The cells before that place in its row."""
        row = self.rows[self.row_of(at)]
        return sum(piece.cells for piece in row.pieces if piece.start < at)

    def place(self, row: int, column: int) -> int:
        """The place of the text at so many cells of a row, or as far as the row goes."""
        chosen = self.rows[min(max(row, 0), len(self.rows) - 1)]
        passed = 0
        for piece in chosen.pieces:
            if passed + piece.cells > column:
                return piece.start
            passed += piece.cells
        is_soft = row + 1 < len(self.rows) and self.rows[row + 1].start == chosen.end
        # The end of a row that goes on below is the beginning of that one.
        return chosen.pieces[-1].start if is_soft and chosen.pieces else chosen.end


def laid_out(text: str, cells: int, width: Width, mark: Shown = lambda _: "") -> Layout:
    """Breaks a text after blanks, or inside what is wider than a row; ``mark`` tells what is folded.

    Args:
        text: What is typed.
        cells: Of a row; the cursor needs one more at its end.
        width: Of a piece of text in cells.
        mark: What stands for a character, where that is not itself.
    """
    rows: list[Row] = []
    start = 0
    for line in text.split("\n"):
        rows += _broken(_pieces(line, start, width, mark), start, len(line), max(cells, 2))
        start += len(line) + 1
    return Layout(tuple(rows))


def _pieces(line: str, start: int, width: Width, mark: Shown) -> list[Piece]:
    pieces: list[Piece] = []
    at = 0
    while at < len(line):
        end = clusters.after(line, at)
        text = line[at:end]
        looks = mark(text) or (_TAB if text == "\t" else text if text.isprintable() else "")
        if not looks and not text.isascii():
            looks = "".join(each for each in text if each.isprintable()) or _BLANK
        pieces.append(Piece(start + at, start + end, looks, width(looks)))
        at = end
    return pieces


def _broken(pieces: list[Piece], start: int, length: int, cells: int) -> list[Row]:
    rows: list[Row] = []
    row: list[Piece] = []
    used, blank = 0, 0
    for piece in pieces:
        is_blank = piece.looks == _BLANK
        # One blank may hang over the edge, where the cursor of a full row stands, too.
        while row and used + piece.cells > cells + is_blank:
            cut = blank or len(row)
            rows.append(Row(row[0].start, row[cut - 1].end, tuple(row[:cut])))
            row = row[cut:]
            used, blank = sum(each.cells for each in row), 0
        row.append(piece)
        used += piece.cells
        blank = len(row) if is_blank else blank
    rows.append(Row(row[0].start if row else start, start + length, tuple(row)))
    return rows
