"""Arguments of a call that come as values with the paths they belong at."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import cast

from ouroboros.llm.fields import Fields, string

_STEP = re.compile(
    r"\.?([^.\[\]'\"]+)|\[(\d{1,7})\]|\[(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")\]"
)

LONGEST_PATH = 64
LONGEST_GAP = 1_000
"""Elements that a list may grow by at a time; a larger index is a fault, not an argument."""

type _Step = str | int
type _Holder = dict[str, object] | list[object]


class Pieces:
    """Puts the arguments of one call together; a piece that fits nowhere is left out."""

    def __init__(self, start: Fields) -> None:
        """``start`` is what came whole."""
        self.value: Fields = dict(start)
        self._open: list[_Step] = []

    def add(self, piece: Fields) -> None:
        """Takes one value in; text at a path that is still open is added to what is there."""
        steps = _steps(string(piece, "jsonPath"))
        found = _value(piece)
        if not steps or found is None:
            return
        value = found[0]
        holder = _descend(self.value, steps)
        if holder is None:
            return
        if isinstance(value, str) and steps == self._open:
            known = _get(holder, steps[-1])
            value = known + value if isinstance(known, str) else value
        _put(holder, steps[-1], value)
        self._open = steps if piece.get("willContinue") is True else []


def _value(piece: Fields) -> tuple[object] | None:
    for key in ("stringValue", "numberValue", "boolValue"):
        if key in piece:
            return (piece[key],)
    return (None,) if "nullValue" in piece else None


def _steps(path: str) -> list[_Step]:
    """The names and indexes of ``$.a.b[0]['c d']``; none if it is no such path."""
    steps: list[_Step] = []
    place = 1
    while place < len(path):
        found = _STEP.match(path, place)
        if found is None or len(steps) == LONGEST_PATH:
            return []
        name, index, quoted, twice = found.groups()
        steps.append(int(index) if index else name or _plain(quoted or twice or ""))
        place = found.end()
    return steps if path[:1] == "$" else []


def _plain(quoted: str) -> str:
    return re.sub(r"\\(.)", r"\1", quoted)


def _descend(value: Fields, steps: Sequence[_Step]) -> _Holder | None:
    """What holds the last step, made on the way where it is missing."""
    holder: _Holder = value
    for step, following in pairwise(steps):
        empty: _Holder = [] if isinstance(following, int) else {}
        inner = _get(holder, step)
        if not isinstance(inner, type(empty)):
            inner = empty
            if not _put(holder, step, inner):
                return None
        holder = cast("_Holder", inner)
    return holder


def _get(holder: _Holder, step: _Step) -> object:
    if isinstance(holder, dict):
        return holder.get(step) if isinstance(step, str) else None
    return holder[step] if isinstance(step, int) and step < len(holder) else None


def _put(holder: _Holder, step: _Step, value: object) -> bool:
    if isinstance(holder, dict) and isinstance(step, str):
        holder[step] = value
        return True
    if isinstance(holder, list) and isinstance(step, int) and step < len(holder) + LONGEST_GAP:
        holder.extend([None] * (step + 1 - len(holder)))
        holder[step] = value
        return True
    return False
