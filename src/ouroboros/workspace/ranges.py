"""Which lines of a text were changed, as a model reads it."""

from collections.abc import Iterable
from typing import NamedTuple

_SHOWN = 8


class Lines(NamedTuple):
    """The lines ``first`` to ``last``, counted from 1."""

    first: int
    last: int


def standing(text: str, spans: Iterable[tuple[int, int]]) -> list[Lines]:
    """The lines that each span of characters stands on; of an empty one, where it would stand."""
    lines = max(1, text.count("\n") + (not text.endswith("\n")))
    found: list[Lines] = []
    position, first = 0, 1
    for start, end in spans:
        if start < position:
            position, first = 0, 1
        first += text.count("\n", position, start)
        position = start
        last = first + text.count("\n", start, max(start, end - 1))
        found.append(Lines(min(first, lines), min(last, lines)))
    return found


def spelled(ranges: Iterable[Lines]) -> str:
    """Such as ``line 9`` or ``lines 9, 96-132``: each once, and no more than a few."""
    shown = [
        str(first) if first == last else f"{first}-{last}" for first, last in dict.fromkeys(ranges)
    ]
    if len(shown) > _SHOWN:
        shown = [*shown[:_SHOWN], "..."]
    word = "line" if len(shown) == 1 and "-" not in shown[0] else "lines"
    return f"{word} {', '.join(shown)}"
