"""The moving end of a terminal: rows that are finished scroll up, the last few are redrawn."""

from typing import NamedTuple

from ouroboros.faces.cli.render.outlet import Outlet
from ouroboros.faces.wording.rows import Row, ansi, crop, join, row_width


class Cursor(NamedTuple):
    """Where the person types: a row of the live part and a cell in it."""

    row: int
    column: int


class Live:
    """Keeps a few rows at the end of the output up to date, in one write each time."""

    def __init__(self, outlet: Outlet, *, colour: bool) -> None:
        """Draws nothing yet."""
        self._outlet = outlet
        self._colour = colour
        self._drawn: list[Row] = []
        self._cursor: Cursor | None = None
        self._at = Cursor(0, 0)

    def paint(
        self, finished: list[Row], rows: list[Row], columns: int, cursor: Cursor | None = None
    ) -> None:
        """Adds finished rows above and shows these live rows below; the same again is free."""
        rows = [crop(line, columns - 1) for line in rows]
        if not finished and rows == self._drawn and cursor == self._cursor:
            return
        text = self._erased(columns) + join(finished, colour=self._colour)
        text += "\n".join(ansi(line, colour=self._colour) for line in rows)
        self._at = Cursor(max(len(rows) - 1, 0), row_width(rows[-1]) if rows else 0)
        if cursor is not None:
            text += self._moved(cursor)
        if (cursor is None and bool(rows)) != self._is_hidden():
            text += "\x1b[?25l" if cursor is None and rows else "\x1b[?25h"
        self._drawn = rows
        self._cursor = cursor
        self._outlet.write(text)

    def close(self, finished: list[Row], columns: int) -> None:
        """Takes the live rows away and leaves the finished ones."""
        self.paint(finished, [], columns)

    def forget(self) -> None:
        """The screen was changed by somebody else: draws afresh below what is there."""
        self._drawn = []
        self._cursor = None
        self._at = Cursor(0, 0)

    def _is_hidden(self) -> bool:
        return bool(self._drawn) and self._cursor is None

    def _moved(self, cursor: Cursor) -> str:
        up = self._at.row - cursor.row
        self._at = cursor
        right = f"\x1b[{cursor.column}C" if cursor.column else ""
        return (f"\x1b[{up}A" if up else "") + "\r" + right

    def _erased(self, columns: int) -> str:
        if not self._drawn:
            return ""
        above = self._drawn[: self._at.row]
        up = sum(max(-(-row_width(line) // columns), 1) for line in above)
        up += max(self._at.column - 1, 0) // columns
        return "\r" + (f"\x1b[{up}A" if up else "") + "\x1b[J"
