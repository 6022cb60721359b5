"""Where the motions of Vim lead to, and what its text objects take in; pure."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from ouroboros.faces.tui.prompt.text import clusters, words

type Span = Literal["up to", "with", "lines"]
"""Whether an operator takes the text up to a target, with what is there, or whole lines."""

_PAIRS = {
    "(": "()", ")": "()", "b": "()", "[": "[]", "]": "[]", "{": "{}", "}": "{}", "B": "{}",
    "<": "<>", ">": "<>",
}  # fmt: skip


class Target(NamedTuple):
    """Where a motion leads to, and what of the way there an operator takes."""

    at: int
    span: Span = "up to"


class Find(NamedTuple):
    """``f``, ``F``, ``t`` or ``T`` with its character."""

    key: str
    character: str

    @property
    def reversed(self) -> "Find":
        """The same the other way."""
        return Find(self.key.swapcase(), self.character)


def target(text: str, at: int, key: str, count: int) -> Target | None:
    """Where a motion leads to; None where the key is no motion, or nothing is there."""
    if key in _BY_LINE:
        return _BY_LINE[key](text, at, count)
    if key in _BY_WORD:
        go, kind, span = _BY_WORD[key]
        for _ in range(count):
            at = go(text, at, kind)
        return Target(at, span)
    if key in _BY_STEP:
        for _ in range(count):
            at = _BY_STEP[key](text, at)
        return Target(at)
    if key == "%":
        other = _partner(text, at)
        return None if other is None else Target(other, "with")
    return None


def found(text: str, at: int, find: Find, count: int, *, again: bool = False) -> Target | None:
    """The place of a character in this line; ``again`` does not stay where ``t`` has led to."""
    start, end = words.line_start(text, at), words.line_end(text, at)
    step = 1 if find.key in "ft" else -1
    place = at + step if again and find.key in "tT" else at
    for _ in range(count):
        place += step
        while start <= place < end and text[place] != find.character:
            place += step
    if not start <= place < end:
        return None
    if find.key in "tT":
        place -= step
    return Target(place, "with" if step == 1 else "up to")


def taken(text: str, at: int, what: str, *, whole: bool) -> tuple[int, int] | None:
    """Beginning and end of a text object; ``whole`` with its quotes, brackets or blanks."""
    if what in {"w", "W"}:
        return _word(text, at, words.small if what == "w" else words.big, whole=whole)
    if what in {'"', "'", "`"}:
        return _quoted(text, at, what, whole=whole)
    if what in _PAIRS:
        return _bracketed(text, at, _PAIRS[what], whole=whole)
    return None


def first_of(text: str, at: int) -> int:
    """The first character of the line that is no blank."""
    place, end = words.line_start(text, at), words.line_end(text, at)
    while place < end and text[place].isspace():
        place += 1
    return place


def _left(text: str, at: int) -> int:
    return max(clusters.before(text, at), words.line_start(text, at))


def _right(text: str, at: int) -> int:
    return min(clusters.after(text, at), words.line_end(text, at))


def _down(text: str, at: int, count: int) -> Target | None:
    column, place = at - words.line_start(text, at), at
    for _ in range(count):
        end = words.line_end(text, place)
        if end == len(text):
            return None
        place = end + 1
    return Target(_in_line(text, place, column), "lines")


def _up(text: str, at: int, count: int) -> Target | None:
    column, place = at - words.line_start(text, at), at
    for _ in range(count):
        start = words.line_start(text, place)
        if start == 0:
            return None
        place = words.line_start(text, start - 1)
    return Target(_in_line(text, place, column), "lines")


def _in_line(text: str, start: int, column: int) -> int:
    return clusters.snapped(text, min(start + column, words.line_end(text, start)))


def _numbered(text: str, number: int) -> Target:
    """The beginning of a line by its number from 1, or of the last one."""
    place = 0
    for _ in range(number - 1):
        end = words.line_end(text, place)
        if end == len(text):
            break
        place = end + 1
    return Target(first_of(text, place), "lines")


def _end(text: str, at: int, count: int) -> Target:
    for _ in range(count - 1):
        at = min(words.line_end(text, at) + 1, len(text))
    return Target(words.line_end(text, at))


_BY_LINE: dict[str, Callable[[str, int, int], Target | None]] = {
    "j": _down,
    "k": _up,
    "0": lambda text, at, _count: Target(words.line_start(text, at)),
    "^": lambda text, at, _count: Target(first_of(text, at)),
    "$": _end,
    "gg": lambda text, _at, count: _numbered(text, count),
    "G": lambda text, _at, count: _numbered(text, count if count > 1 else len(text) + 1),
}
_BY_WORD: dict[str, tuple[Callable[[str, int, words.Kind], int], words.Kind, Span]] = {
    "w": (words.next_start, words.small, "up to"),
    "W": (words.next_start, words.big, "up to"),
    "b": (words.left, words.small, "up to"),
    "B": (words.left, words.big, "up to"),
    "e": (words.last_of, words.small, "with"),
    "E": (words.last_of, words.big, "with"),
}
_BY_STEP: dict[str, Callable[[str, int], int]] = {
    "h": _left,
    "left": _left,
    "backspace": clusters.before,
    "l": _right,
    "right": _right,
    "space": clusters.after,
    " ": clusters.after,
}


def _word(text: str, at: int, kind: words.Kind, *, whole: bool) -> tuple[int, int]:
    start, end = words.around(text, at, kind)
    if not whole or start == end:
        return (start, end)
    first = words.line_start(text, at)
    after = _over_blanks(text, end)
    if after == end:
        while start > first and text[start - 1].isspace():
            start -= 1
    return (start, after)


def _quoted(text: str, at: int, quote: str, *, whole: bool) -> tuple[int, int] | None:
    start, end = words.line_start(text, at), words.line_end(text, at)
    places = [place for place in range(start, end) if text[place] == quote]
    for first, last in zip(places[::2], places[1::2], strict=False):
        if at <= last:
            return (first, _over_blanks(text, last + 1)) if whole else (first + 1, last)
    return None


def _bracketed(text: str, at: int, pair: str, *, whole: bool) -> tuple[int, int] | None:
    first = at if text[at : at + 1] == pair[0] else _outer(text, at, pair, -1)
    if first is None:
        return None
    last = _outer(text, first, pair, 1)
    if last is None:
        return None
    if whole:
        return (first, last + 1)
    # Lines between two brackets go as lines: the brackets stay on their own.
    begun, indent = first + 1, words.line_start(text, last)
    if text[begun : begun + 1] == "\n" and begun < indent and not text[indent:last].strip():
        return (begun + 1, indent)
    return (begun, last)


def _over_blanks(text: str, at: int) -> int:
    end = words.line_end(text, at)
    while at < end and text[at].isspace():
        at += 1
    return at


def _outer(text: str, at: int, pair: str, step: int) -> int | None:
    """The bracket that holds a place, to the left or to the right of it."""
    opening, closing = pair if step == 1 else pair[::-1]
    depth, place = 0, at + step
    while 0 <= place < len(text):
        if text[place] == closing:
            if depth == 0:
                return place
            depth -= 1
        elif text[place] == opening:
            depth += 1
        place += step
    return None


def _partner(text: str, at: int) -> int | None:
    """The other bracket of the first one that stands there or later in the line."""
    for place in range(at, words.line_end(text, at)):
        pair = _PAIRS.get(text[place], "") if text[place] in "()[]{}" else ""
        if pair:
            return _outer(text, place, pair, 1 if text[place] == pair[0] else -1)
    return None
