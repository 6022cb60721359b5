"""Rows for people and for pipes: columns where there is room, two lines each where there is not."""

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from ouroboros.app.text import plain
from ouroboros.faces.wording.rows import crop, row, width

_ROOM = 72
_LEAST = 20
"""What the last cell needs at least beside the others."""
_MOST = 0.75


def columns() -> int | None:
    """Cells across of the terminal that reads the output; None when it is no terminal."""
    import shutil

    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return max(shutil.get_terminal_size().columns, 20)


def block(records: Sequence[Sequence[str]], across: int | None) -> Iterator[str]:
    """Records below each other, their cells in columns as far as most of them have room for it."""
    columns: tuple[int, ...] = ()
    if records and across is not None and across >= _ROOM:
        clean = [_clean(cells) for cells in records]
        widest = [max(map(width, column)) for column in zip(*clean, strict=True)]
        columns = tuple(min(each, across * 2 // 5) for each in widest[:-1])
        while columns and _share(clean, across, columns) < _MOST:
            columns = columns[:-1]
    for cells in records:
        yield from lines(cells, across, columns)


def lines(cells: Sequence[str], across: int | None, columns: Sequence[int] = ()) -> list[str]:
    """One record as lines; the last cell takes what room is left.

    Piped, the cells are separated by tabs and nothing is cut. ``columns`` are widths that the first
    cells are filled up to where the record then still fits.
    """
    clean = _clean(cells)
    if across is None:
        return ["\t".join(clean)]
    if across >= _ROOM:
        for filled in (columns, columns[:1], ()):
            if found := _wide(clean, across, filled):
                return found
    if width(clean[-1]) <= _LEAST:
        return _packed(clean, across)
    return [*_packed(clean[:-1], across), cut(f"  {clean[-1]}", across)]


def _share(records: Sequence[Sequence[str]], across: int, columns: Sequence[int]) -> float:
    return sum(bool(_wide(cells, across, columns)) for cells in records) / len(records)


def _wide(cells: Sequence[str], across: int, columns: Sequence[int]) -> list[str]:
    """One line, a second one for a short last cell without room; nothing where it cannot be."""
    head, last = _head(cells, columns), cells[-1]
    if width(head) + min(width(last), _LEAST) <= across:
        return [cut(f"{head}{last}".rstrip(), across)]
    if width(last) <= _LEAST and width(head.rstrip()) <= across:
        return [head.rstrip(), *([f"  {last}"] if last else [])]
    return []


def _head(cells: Sequence[str], columns: Sequence[int]) -> str:
    """All cells but the last, the first of them filled up to the width of their column."""
    head = ""
    for at, cell in enumerate(cells[:-1]):
        least = columns[at] if at < len(columns) else 0
        if cell or least:
            head += f"{cell}{' ' * (least - width(cell))}  "
    return head


def _clean(cells: Sequence[str]) -> list[str]:
    return [" ".join(plain(cell).split()) for cell in cells]


def cut(text: str, across: int) -> str:
    """The beginning of the text that fits, marked when something is missing."""
    return "".join(span.text for span in crop(row(text), across))


def _packed(cells: Sequence[str], across: int) -> list[str]:
    """As many cells on each line as fit whole."""
    packed: list[str] = []
    for cell in filter(None, cells):
        longer = f"{packed[-1]}  {cell}" if packed else cell
        if packed and width(longer) <= across:
            packed[-1] = longer
        else:
            packed.append(cut(f"  {cell}" if packed else cell, across))
    return packed


def moment(ts: float) -> str:
    """A time as the person's clock shows it."""
    return datetime.fromtimestamp(ts, tz=UTC).astimezone().strftime("%Y-%m-%d %H:%M")
