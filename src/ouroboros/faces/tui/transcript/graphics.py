"""Pictures on terminals that have them as cells: kitty's protocol with placeholders, which any redraw keeps.

The picture goes to the terminal once; afterwards it is text, a private character for each cell whose
marks say which part of the picture it is and whose colour says which picture.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Literal

from ouroboros.faces.wording.rows import Row, Span

type Way = Literal["kitty", "off"]

_CELL = "\U0010eeee"
_MARKS = (
    "\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f\u0346\u034a\u034b\u034c\u0350\u0351\u0352"
    "\u0357\u035b\u0363\u0364\u0365\u0366\u0367\u0368\u0369\u036a\u036b\u036c\u036d\u036e\u036f"
    "\u0483\u0484\u0485\u0486\u0487\u0592\u0593\u0594\u0595\u0597\u0598\u0599\u059c\u059d\u059e"
    "\u059f\u05a0\u05a1\u05a8\u05a9\u05ab\u05ac\u05af\u05c4\u0610\u0611\u0612\u0613\u0614\u0615"
)
"""Kitty's marks for 0, 1, 2 ..., the first sixty of them."""

MOST_COLUMNS, MOST_ROWS = 60, 16
_PIECE = 4_096


def way_of(chosen: str, environment: Mapping[str, str]) -> Way:
    """How pictures are shown here; off wherever it is not known that they can be.

    A picture's number travels as a colour, so every colour has to arrive; tmux lets no picture through.
    """
    if chosen == "kitty":
        return "kitty"
    is_exact = environment.get("COLORTERM") in {"truecolor", "24bit"}
    name = environment.get("TERM", "")
    is_known = "kitty" in name or "ghostty" in name or bool(environment.get("KITTY_WINDOW_ID"))
    is_inside = bool(environment.get("TMUX") or environment.get("STY"))
    return "kitty" if chosen == "auto" and is_exact and is_known and not is_inside else "off"


def cells_for(width: int, height: int, columns: int) -> tuple[int, int]:
    """Columns and rows that a picture of so many pixels takes; a cell is twice as high as wide."""
    across = max(min(columns, MOST_COLUMNS, -(-width // 8)), 1)
    down = max(round(across * height / max(width, 1) / 2), 1)
    if down > MOST_ROWS:
        down = MOST_ROWS
        across = max(min(round(down * 2 * width / max(height, 1)), across), 1)
    return across, down


def transmitted(number: int, png: bytes, columns: int, rows: int) -> Iterator[str]:
    """What brings a picture to the terminal, in pieces of a bounded length."""
    data = b64encode(png).decode()
    pieces = [data[at : at + _PIECE] for at in range(0, len(data), _PIECE)] or [""]
    for at, piece in enumerate(pieces):
        more = int(at + 1 < len(pieces))
        head = f"a=T,U=1,q=2,f=100,i={number},c={columns},r={rows}," if at == 0 else ""
        yield f"\x1b_G{head}m={more};{piece}\x1b\\"


def placed(number: int, columns: int, rows: int) -> list[Row]:
    """The cells of a picture that the terminal has."""
    colour = f"38;2;{number >> 16 & 255};{number >> 8 & 255};{number & 255}"
    return [
        (Span("".join(_CELL + _MARKS[down] + _MARKS[across] for across in range(columns)), colour),)
        for down in range(rows)
    ]
