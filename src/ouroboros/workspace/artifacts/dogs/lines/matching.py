"""Where the old lines of a hunk stand in a file: in exactly one place, or nowhere. Pure."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

from ouroboros.core.errors import OuroborosError
from ouroboros.workspace.artifacts.dogs.change import Hunk
from ouroboros.workspace.artifacts.dogs.lines.texts import Text, refitted

_SHOWN = 5
_SHOWN_CHARACTERS = 100
_LIKE = 0.6
_MOST_PLACES = 100
"""Nobody looks at more."""

_MOST_WORK = 400_000
"""Above so many lines times lines nothing near is looked for."""


class Unplaced(OuroborosError):
    """A hunk that has no place, or several; ``nearest`` are lines for a person."""

    def __init__(self, reason: str, hunk: Hunk, nearest: tuple[str, ...] = ()) -> None:
        """``hunk`` says where it stands in the bundle."""
        super().__init__(reason)
        self.reason, self.line, self.nearest = reason, hunk.line, nearest


class _Place(NamedTuple):
    """``length`` lines from ``start`` on become ``lines``; ``hunk`` is why."""

    start: int
    length: int
    lines: list[str]
    hunk: Hunk


def changed(text: Text, hunks: Sequence[Hunk]) -> Text:
    """The text after all hunks, each placed in the text as it was.

    Raises:
        Unplaced: One has no place, or several, or two touch the same lines.
    """
    places: list[_Place] = []
    moved = 0
    for hunk in hunks:
        place = _placed(text.lines, hunk, moved)
        if hunk.start:
            moved = place.start - (hunk.start - 1)
        places.append(place)
    places.sort(key=lambda place: (place.start, place.length))
    lines: list[str] = []
    at = 0
    for place in places:
        if place.start < at:
            raise Unplaced("it touches the same lines as another hunk", place.hunk)
        lines += [*text.lines[at : place.start], *place.lines]
        at = place.start + place.length
    lines += text.lines[at:]
    return refitted(text, lines, is_open=_ends_open(text, places))


def _ends_open(text: Text, places: Sequence[_Place]) -> bool:
    """Whether the text has no line end at its end: as the last hunk says, or as it was."""
    for place in reversed(places):
        if not (place.hunk.old_open or place.hunk.new_open):
            continue
        if place.start + place.length < len(text.lines):
            raise Unplaced("its last line is not the last of the file, as it says", place.hunk)
        return place.hunk.new_open
    return text.is_open


def _placed(lines: Sequence[str], hunk: Hunk, moved: int) -> _Place:
    old = hunk.old
    if not old:
        return _inserted(lines, hunk)
    levels: list[tuple[Callable[[str], str], bool]] = [(_exact, False), (str.rstrip, False)]
    if hunk.is_loose:
        levels.append((str.strip, True))
    for alike, is_shifted in levels:
        start = hunk.start - 1 + moved
        if hunk.start and start >= 0 and list(lines[start : start + len(old)]) == old:
            return _Place(start, len(old), _new(lines, hunk, start), hunk)
        found = _found(lines, old, alike)
        if is_shifted:
            found = [start for start in found if _shift(lines, old, start) is not None]
        found = _narrowed(found, lines, hunk, alike)
        if len(found) == 1:
            return _Place(found[0], len(old), _new(lines, hunk, found[0]), hunk)
        if found:
            numbers = ", ".join(str(start + 1) for start in found[:_SHOWN])
            more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            raise Unplaced(
                f"its lines stand in {_many(found)} places; more lines around them would tell which",
                hunk,
                (f"lines {numbers}{more}",),
            )
    raise Unplaced(_why_not(lines, hunk), hunk, nearest(lines, old))


def _many(found: Sequence[int]) -> str:
    return f"{_MOST_PLACES} or more" if len(found) == _MOST_PLACES else str(len(found))


def _why_not(lines: Sequence[str], hunk: Hunk) -> str:
    if hunk.anchor and not _anchors(lines, hunk.anchor) and _found(lines, hunk.old, _exact):
        return f"the file has no line {hunk.anchor[:_SHOWN_CHARACTERS]!r} for it to stand behind"
    new = [text for text in hunk.new if text.strip()]
    if new and len(_found(lines, hunk.new, str.rstrip)) == 1:
        return "its old lines are not in the file, and its new ones are: it seems to be applied already"
    return "its old lines are not in the file"


def _inserted(lines: Sequence[str], hunk: Hunk) -> _Place:
    """Lines with nothing around them have a place in an empty file, behind a named line, or at the end."""
    if not lines or (hunk.at_end and not hunk.anchor):
        return _Place(len(lines), 0, hunk.new, hunk)
    anchors = _anchors(lines, hunk.anchor) if hunk.anchor and hunk.at_end else []
    if len(anchors) == 1:
        return _Place(anchors[0] + 1, 0, hunk.new, hunk)
    raise Unplaced("it has only new lines, and none that tells where they go", hunk)


def _narrowed(
    found: list[int], lines: Sequence[str], hunk: Hunk, alike: Callable[[str], str]
) -> list[int]:
    """Those at the end, if it must be there; else the one right behind the line it names."""
    if hunk.at_end:
        last = len(lines) - len(hunk.old)
        return (
            [last]
            if last >= 0 and list(map(alike, lines[last:])) == [*map(alike, hunk.old)]
            else []
        )
    if len(found) < 2 or not hunk.anchor:
        return found
    anchors = _anchors(lines, hunk.anchor)
    if len(anchors) != 1:
        return found
    return next(([start] for start in found if start >= anchors[0]), found)


def _anchors(lines: Sequence[str], anchor: str) -> list[int]:
    wanted = anchor.strip()
    return [number for number, line in enumerate(lines) if line.strip() == wanted]


def _found(lines: Sequence[str], old: Sequence[str], alike: Callable[[str], str]) -> list[int]:
    """The places where the old lines stand, also where two overlap; no more than a person looks at."""
    wanted = [alike(line) for line in old]
    standing = lines if alike is _exact else [alike(line) for line in lines]
    last = len(standing) - len(wanted)
    rare = max(range(len(wanted)), key=lambda number: len(wanted[number]))
    places = (
        start
        for start in range(last + 1)
        if standing[start + rare] == wanted[rare]
        and standing[start] == wanted[0]
        and list(standing[start : start + len(wanted)]) == wanted
    )
    return list(islice(places, _MOST_PLACES))


def _exact(line: str) -> str:
    return line


def _shift(lines: Sequence[str], old: Sequence[str], start: int) -> tuple[str, str] | None:
    """What stands before all old lines, and what before the file's; None where it is not one thing."""
    pairs = {
        (wanted[: len(wanted) - len(wanted.lstrip())], line[: len(line) - len(line.lstrip())])
        for wanted, line in zip(old, lines[start : start + len(old)], strict=True)
        if wanted.strip()
    }
    return _common_shift(pairs)


def _common_shift(pairs: set[tuple[str, str]]) -> tuple[str, str] | None:
    shifts: set[tuple[str, str]] = set()
    for wanted, there in pairs:
        if there.endswith(wanted):
            shifts.add(("", there[: len(there) - len(wanted)]))
        elif wanted.endswith(there):
            shifts.add((wanted[: len(wanted) - len(there)], ""))
        else:
            return None
    return shifts.pop() if len(shifts) == 1 else None


def _new(lines: Sequence[str], hunk: Hunk, start: int) -> list[str]:
    """The new lines; what is kept stays as the file has it, and an indentation is taken over."""
    shift = _shift(lines, hunk.old, start) if hunk.is_loose else None
    less, more = shift or ("", "")
    made: list[str] = []
    at = start
    for sign, text in hunk.lines:
        if sign == "+":
            made.append(f"{more}{text.removeprefix(less)}" if text.strip() else text)
            continue
        if sign == " ":
            made.append(lines[at])
        at += 1
    return made


def nearest(lines: Sequence[str], old: Sequence[str]) -> tuple[str, ...]:
    """The places that come closest, best first, each as a line for a person."""
    wanted = [line.strip() for line in old]
    shown = [line for line in wanted if line]
    if not shown or len(lines) * len(wanted) > _MOST_WORK:
        return ()
    standing = [line.strip() for line in lines]
    places: list[tuple[int, int]] = []
    for start in range(max(1, len(lines) - len(wanted) + 1)):
        same = sum(
            bool(one) and one == other
            for one, other in zip(standing[start : start + len(wanted)], wanted, strict=False)
        )
        if same:
            places.append((-same, start))
    if places:
        best = sorted(places)[:3]
        return tuple(_told(lines, start, wanted, -same) for same, start in best)
    return _similar(lines, standing, max(shown, key=len))


def _told(lines: Sequence[str], start: int, wanted: Sequence[str], same: int) -> str:
    differs = next(
        (
            number
            for number in range(len(wanted))
            if start + number >= len(lines) or lines[start + number].strip() != wanted[number]
        ),
        0,
    )
    what = f"near line {start + 1}: {same} of {len(wanted)} lines are the same"
    if same == len(wanted):
        return f"{what} but for white space"
    if start + differs >= len(lines):
        return f"{what}, then the file ends"
    return f"{what}; line {start + differs + 1} is {_short(lines[start + differs])}"


def _similar(lines: Sequence[str], standing: Sequence[str], wanted: str) -> tuple[str, ...]:
    from difflib import get_close_matches

    if len(lines) > 20_000:
        return ()
    close = get_close_matches(wanted, list(dict.fromkeys(standing)), n=2, cutoff=_LIKE)
    found = [standing.index(each) for each in close]
    return tuple(f"line {number + 1} is {_short(lines[number])}" for number in found)


def _short(line: str) -> str:
    return repr(line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}...")
