"""From the bytes of a bundle to its changes: which dialect it is, and what it says. Pure."""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec.structs import replace

from ouroboros.workspace.artifacts.dogs.change import (
    Bundle,
    Dialect,
    Edit,
    Header,
    Refusal,
    Refused,
    Whole,
)
from ouroboros.workspace.artifacts.dogs.readers import (
    diffs,
    listings,
    markdown,
    markers,
    patches,
    search,
    tags,
)
from ouroboros.workspace.artifacts.dogs.readers.joining import joined
from ouroboros.workspace.artifacts.dogs.readers.leftovers import left_over
from ouroboros.workspace.artifacts.dogs.readers.page import Found, Wish, page_of

_ABOVE = 2
_NEW = re.compile(r"\b(?:new|creat\w+|add(?:s|ed|ing)?)\b", re.IGNORECASE)

type Wanted = Dialect | Literal["auto"]

_MARKED: tuple[Dialect, ...] = ("v1", "paws", "search", "diff", "v4a", "xml")
"""Each of their blocks says what it is."""

DIALECTS: tuple[Dialect, ...] = (*_MARKED, "whole")

_STRICT: tuple[Dialect, ...] = ("v1", "paws")
"""Their lines are told apart from prose when they are nearly right."""

_READERS: dict[Dialect, Callable[[Sequence[str], Wish], Found]] = {
    "v1": markdown.read,
    "paws": markers.read,
    "search": search.read,
    "diff": diffs.read,
    "v4a": patches.read,
    "xml": tags.read,
    "whole": listings.read,
}
_SIGNS: dict[Dialect, Callable[[str], bool]] = {
    "v1": markdown.is_sign,
    "paws": markers.is_sign,
    "search": search.is_sign,
    "v4a": patches.is_sign,
    "xml": tags.is_sign,
}
_CALLED: dict[Dialect, str] = {
    "v1": "'--- File: ... ---' headers",
    "paws": "file markers",
    "search": "SEARCH/REPLACE blocks",
    "diff": "a unified diff",
    "v4a": "'*** Begin Patch'",
    "xml": "<file> tags",
}


def read(
    content: bytes,
    *,
    dialect: Wanted = "auto",
    rsi_link: bool = False,
    allow_truncated: bool = False,
) -> Bundle:
    """What a bundle says; a block that cannot be read is among its ``refusals``.

    Args:
        content: All of it.
        dialect: ``auto`` takes the one that is there.
        rsi_link: Read blocks between chain markers, and leave the others alone.
        allow_truncated: Take blocks whose end is missing as they are.

    Raises:
        Refused: It is no text, of another version, or could be meant in two dialects.
    """
    lines = page_of(content)
    header, (first, end) = markdown.head_of(lines)
    # What stands in the head is told; its lines stay, so that numbers are right.
    page = [*lines[:first], *([""] * (end - first)), *lines[end:]]
    wish = Wish(rsi_link=rsi_link, allow_truncated=allow_truncated)
    if rsi_link:
        chosen: Dialect | None = "paws"
        found = markers.read(page, wish)
    elif dialect != "auto":
        chosen, found = dialect, _READERS[dialect](page, wish)
    else:
        chosen, found = _chosen(page, wish)
        _tell_left(found, page)
    return _bundle(chosen, found, header)


def _bundle(dialect: Dialect | None, found: Found, header: Header) -> Bundle:
    return Bundle(
        dialect=dialect,
        changes=tuple(found.changes),
        requests=tuple(found.requests),
        refusals=tuple(found.refusals),
        header=header,
        notes=tuple(found.notes),
    )


def _chosen(lines: Sequence[str], wish: Wish) -> tuple[Dialect | None, Found]:
    """The dialect whose blocks hold the signs of every other one; of two that do so, the stricter.

    Where none does, each is read for itself: then it is called by the first that is there.
    """
    signs: dict[Dialect, list[int]] = {}
    for dialect in _MARKED:
        if where := _signs(dialect, lines):
            signs[dialect] = where
    if not signs:
        return _unmarked(lines, wish)
    read_ones: dict[Dialect, Found] = {dialect: _READERS[dialect](lines, wish) for dialect in signs}
    outer: list[Dialect] = [
        dialect
        for dialect in signs
        if all(
            _holds(read_ones[dialect], where) for other, where in signs.items() if other != dialect
        )
    ]
    if outer:
        found = read_ones[outer[0]]
        _take_aside(found, listings.guessed(lines, wish), lines)
        return outer[0], found
    found = joined(read_ones)
    if found is not None and all(_holds(found, where) for where in signs.values()):
        _take_aside(found, listings.guessed(lines, wish), lines)
        return min(signs, key=lambda dialect: signs[dialect]), found
    told = sorted((where[0] + 1, _CALLED[dialect]) for dialect, where in signs.items())
    ways = " and ".join(f"{called} (line {line})" for line, called in told)
    raise Refused(
        Refusal(
            reason=f"it is in several formats at once: {ways}; all of a file must be in one",
            line=told[1][0],
        ),
        hint=f"have it answered in one, or say which counts with --format: {', '.join(DIALECTS)}",
    )


def _take_aside(found: Found, whole: Found, lines: Sequence[str]) -> None:
    """Files in fences beside all blocks of the dialect that is read: those that are called new, and diffs.

    Source: chat windows write diffs of files that are there, and new files whole.
    """
    starts = [first for first, _ in found.spans]
    named = {each.path for each in found.changes}
    for first, end in whole.spans:
        before = bisect_left(starts, end)
        if before and found.spans[before - 1][1] > first:
            continue
        files = [each for each in whole.changes if first < each.line <= end]
        where = f"line {first + 1}: a fence that names a file"
        is_new = any(map(_NEW.search, lines[max(0, first - _ABOVE) : first + 1]))
        is_edit = bool(files) and all(isinstance(each, Edit) for each in files)
        is_free = not any(each.path in named for each in files)
        block = 1 + max((each.block for each in found.changes), default=0)
        if is_edit and is_free:
            found.changes += [replace(each, block=block) for each in files]
        elif is_new and is_free and len(files) == 1 and isinstance(files[0], Whole):
            found.changes.append(replace(files[0], is_aside=True, block=block))
            found.notes.append(
                f"{where} beside another format is taken only where that file is new"
            )
        else:
            found.notes.append(f"{where} was passed over, as the answer is of another format")
            continue
        found.spans = sorted([*found.spans, (first, end)])
        starts = [first for first, _ in found.spans]


def _tell_left(found: Found, lines: Sequence[str]) -> None:
    """Refuses what looks like a change and was not read: the rest without it is half an answer."""
    told = {each.line for each in found.refusals}
    # A diff is told by the line of its fence or by the one below.
    found.refusals += [
        each
        for each in left_over(lines, found.spans)
        if not told & {each.line - 1, each.line, each.line + 1}
    ]


def _unmarked(lines: Sequence[str], wish: Wish) -> tuple[Dialect | None, Found]:
    """Files in fences, and lines that are nearly a header or a marker, which are told rather than passed over."""
    whole = listings.guessed(lines, wish)
    for dialect in _STRICT:
        found = _READERS[dialect](lines, wish)
        outside = [each for each in found.refusals if not _holds(whole, [each.line - 1])]
        if not whole.spans and (outside or found.notes):
            return dialect, found
        whole.refusals += outside
        whole.notes += found.notes
    return ("whole" if whole.spans else None), whole


def _signs(dialect: Dialect, lines: Sequence[str]) -> list[int]:
    if dialect == "diff":
        return [number for number in range(len(lines)) if diffs.is_sign(lines, number)]
    is_sign = _SIGNS[dialect]
    return [number for number, line in enumerate(lines) if is_sign(line)]


def _holds(found: Found, where: Sequence[int]) -> bool:
    """Whether every one of these lines is in a block; both are in order."""
    spans = iter(found.spans)
    span = next(spans, None)
    for number in where:
        while span is not None and span[1] <= number:
            span = next(spans, None)
        if span is None or number < span[0]:
            return False
    return True
