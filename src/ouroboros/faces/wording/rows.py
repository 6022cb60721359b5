"""Lines of a terminal as values: styled spans, their width in cells, cutting and wrapping."""

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

BOLD = "1"
DIM = "2"
RED = "31"
GREEN = "32"
YELLOW = "33"
CYAN = "36"

_TAB = 4
_ELLIPSIS = "…"


class Span(NamedTuple):
    """Some text and the SGR parameters it is shown with, such as ``1;31``."""

    text: str
    style: str = ""


type Row = tuple[Span, ...]


def row(text: str, style: str = "") -> Row:
    """A line of one style."""
    return (Span(text, style),)


def width(text: str) -> int:
    """Cells the text takes; unsure characters count as the wider of their forms."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def row_width(line: Row) -> int:
    """Cells a line takes."""
    return sum(width(span.text) for span in line)


def ansi(line: Row, *, colour: bool) -> str:
    """The line as a terminal reads it; without colour no escape sequence is made."""
    if not colour:
        return "".join(span.text for span in line)
    return "".join(
        f"\x1b[{span.style}m{span.text}\x1b[0m" if span.style else span.text for span in line
    )


def crop(line: Row, cells: int) -> Row:
    """The line cut to a width, with a mark where it was cut."""
    if row_width(line) <= cells:
        return line
    room = max(cells - 1, 0)
    kept: list[Span] = []
    for span in line:
        text = _prefix(span.text, room)
        room -= width(text)
        kept.append(Span(text, span.style))
        if text != span.text:
            break
    if cells > 0:
        kept.append(Span(_ELLIPSIS, kept[-1].style if kept else ""))
    return tuple(kept)


def wrap(text: str, cells: int, style: str = "", indent: str = "") -> list[Row]:
    """Plain text broken at spaces, or inside a word that is wider than a line."""
    room = max(cells - width(indent), 2)
    return [
        row(indent + piece, style)
        for line in text.expandtabs(_TAB).split("\n")
        for piece in _pieces(line, room)
    ]


def tail(text: str, cells: int, rows: int) -> str:
    """The end of a text that surely fills the given rows; bounds work on long texts."""
    return text[-cells * rows :]


def join(lines: Iterable[Row], *, colour: bool) -> str:
    """The lines as text, each with its line end."""
    return "".join(ansi(line, colour=colour) + "\n" for line in lines)


def _pieces(line: str, room: int) -> Iterator[str]:
    start = 0
    while True:
        window = line[start : start + room + 1]
        head = _prefix(window, room) or window[:1]
        if start + len(head) >= len(line):
            yield head
            return
        if line[start + len(head)] != " ":
            space = head.rfind(" ")
            if space > 0 and head[:space].strip():
                head = head[:space]
        yield head.rstrip()
        start += len(head)
        while line.startswith(" ", start):
            start += 1


def _prefix(text: str, cells: int) -> str:
    if text.isascii():
        return text[: max(cells, 0)]
    used = 0
    for index, character in enumerate(text):
        used += _cells(character)
        if used > cells:
            return text[:index]
    return text


def _cells(character: str) -> int:
    if character < "\x7f":
        return 1
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    if character == "\ufe0f":
        return 1
    return 0 if unicodedata.category(character) in {"Mn", "Me", "Cf"} else 1
