"""What a model is told when a chunk has no place in a file: the nearest one, and what differs."""

import re
from collections import Counter
from collections.abc import Sequence

from ouroboros.workspace.patch.likeness import folded, seek
from ouroboros.workspace.patch.syntax import Chunk
from ouroboros.workspace.ranges import Lines, spelled

_SHOWN_LINES = 12
_SHOWN_CHARACTERS = 200
_SAME_LINES = 200
_LIKELY_LINES = 50
_WORD = re.compile(r"\w+")


def about_header(lines: Sequence[str], header: str, cursor: int) -> str:
    """Why the text after ``@@`` was not found below ``cursor``."""
    above = seek(lines, (header,), 0)
    if above is not None:
        return f"that line is line {above + 1}, {_ABOVE}"
    part = header.strip()
    holding = [place for place, line in enumerate(lines) if part in line]
    rule = "the text after @@ must be a whole line of the file"
    if len(holding) > 1:
        return f"{rule}; it is part of {spelled(_at(place) for place in holding)}"
    near = holding[0] if holding else _similar(lines, header)
    if near is None:
        return f"{rule}, above the chunk; no line is like it"
    return f"{rule}; nearest: line {near + 1} `{_short(lines[near].strip())}`"


def about_lines(lines: Sequence[str], chunk: Chunk, cursor: int) -> str:
    """Why the old lines of a chunk were not found below ``cursor``."""
    wanted = chunk.old
    place = seek(lines, wanted, 0)
    if place is not None:
        stand = f"they stand at {spelled([_span(lines, place, wanted)])}"
        return f"{stand}, which is not the end" if chunk.at_end else f"{stand}, {_ABOVE}"
    near = _nearest(lines, wanted)
    if near is None:
        return "nothing in the file is like these lines; read it again"
    there = _span(lines, near, wanted)
    different = next(
        (
            number
            for number, line in enumerate(wanted)
            if not 0 <= near + number < len(lines) or folded(lines[near + number]) != folded(line)
        ),
        0,
    )
    first = max(there.first, near + different)
    last = min(there.last, first + _SHOWN_LINES - 1)
    shown = "".join(f"\n{number}\t{_short(lines[number - 1])}" for number in range(first, last + 1))
    return (
        f"nearest: {spelled([there])}; first difference at line {different + 1} of its old lines. "
        f"The file has:{shown}"
    )


_ABOVE = "above the place where the chunk before ends; chunks go top to bottom"


def _nearest(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Where the wanted lines would begin if most of what they say were to stand in its place."""
    keys = [folded(line) for line in wanted]
    places: dict[str, list[int]] = {key: [] for key in keys if key}
    for place, line in enumerate(lines):
        found = places.get(folded(line))
        if found is not None and len(found) < _SAME_LINES:
            found.append(place)
    votes: Counter[int] = Counter()
    for number, key in enumerate(keys):
        for place in places.get(key, ()):
            votes[place - number] += len(key)
    best = max(votes, key=lambda start: (votes[start], -start), default=None)
    if best is not None and votes[best] * 4 >= sum(map(len, keys)):
        return best
    longest = max(range(len(keys)), key=lambda number: len(keys[number]))
    similar = _similar(lines, keys[longest])
    return best if similar is None else similar - longest


def _similar(lines: Sequence[str], wanted: str) -> int | None:
    """The line most like one that is wanted, among those that share words with it."""
    from difflib import get_close_matches
    from heapq import nlargest

    words = set(_WORD.findall(wanted))
    shared: dict[str, int] = {}
    known: dict[str, int] = {}
    for place, line in enumerate(lines):
        count = len(words.intersection(_WORD.findall(line)))
        if count:
            key = folded(line)[:_SHOWN_CHARACTERS]
            known.setdefault(key, place)
            shared[key] = count
    likely = nlargest(_LIKELY_LINES, shared, key=lambda key: shared[key])
    near = get_close_matches(folded(wanted)[:_SHOWN_CHARACTERS], likely, n=1)
    return known[near[0]] if near else None


def _span(lines: Sequence[str], place: int, wanted: Sequence[str]) -> Lines:
    last = max(1, min(len(lines), place + len(wanted)))
    return Lines(min(last, max(1, place + 1)), last)


def _at(place: int) -> Lines:
    return Lines(place + 1, place + 1)


def _short(line: str) -> str:
    line = line.removesuffix("\r")
    return line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}…"
