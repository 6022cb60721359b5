"""Rows for people and for pipes: columns where there is room, two lines each where there is not."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from ouroboros.app.text import plain
from ouroboros.faces.cli.render.rows import crop, row, width

_ROOM = 72


def columns() -> int | None:
    """Cells across of the terminal that reads the output; None when it is no terminal."""
    import shutil

    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return max(shutil.get_terminal_size().columns, 20)


def lines(cells: Sequence[str], across: int | None) -> list[str]:
    """One record as lines; the last cell takes what room is left.

    Piped, the cells are separated by tabs and nothing is cut.
    """
    clean = [" ".join(plain(cell).split()) for cell in cells]
    if across is None:
        return ["\t".join(clean)]
    head = "  ".join(cell for cell in clean[:-1] if cell)
    if across >= _ROOM and width(head) < across - 20:
        return [cut(f"{head}  {clean[-1]}", across)]
    return [*_packed(clean[:-1], across), cut(f"  {clean[-1]}", across)]


def cut(text: str, across: int) -> str:
    """The beginning of the text that fits, marked when something is missing."""
    return "".join(span.text for span in crop(row(text), across))


def _packed(cells: Sequence[str], across: int) -> list[str]:
    """As many cells on each line as fit whole."""
    packed: list[str] = []
    for cell in cells:
        longer = f"{packed[-1]}  {cell}" if packed else cell
        if packed and width(longer) <= across:
            packed[-1] = longer
        elif cell:
            packed.append(cut(cell, across))
    return packed


def moment(ts: float) -> str:
    """A time as the person's clock shows it."""
    return datetime.fromtimestamp(ts, tz=UTC).astimezone().strftime("%Y-%m-%d %H:%M")
