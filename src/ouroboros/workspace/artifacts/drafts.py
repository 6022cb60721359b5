"""Drafts: what a model thinks aloud between tags before it answers, which is no part of the answer. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ouroboros.workspace.artifacts.fenced import closing, fence_of

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|antthinking"
_OPEN = re.compile(
    rf"^\s*(?:<({_NAMES})(?:\s[^<>]{{0,200}})?>|\[(think)\]|\u25c1(think)\u25b7)", re.IGNORECASE
)
_CLOSE = re.compile(
    rf"(?<![`'\"])(?:</({_NAMES})\s?>|\[/(think)\]|\u25c1/(think)\u25b7)(?![`'\"])", re.IGNORECASE
)
_LONGEST = 10_000

LOOKED = 8
"""So many times the lines of an answer are looked at for the ends of its drafts, so that a long one takes no longer."""


class DraftEnd(NamedTuple):
    """The line in which a draft ends, from 0, what stands behind its end tag, and how many lines were looked at."""

    number: int
    rest: str
    looked: int


def opens_draft(line: str) -> str:
    """The name of the tag that begins a line and with it a draft; empty for any other line."""
    found = _OPEN.match(line[:_LONGEST])
    return (found[found.lastindex or 0]).lower() if found else ""


def draft_end(lines: Sequence[str], first: int, *, through_fences: bool = True) -> DraftEnd | None:
    """Where the draft that begins in a line ends; None where nothing ends it.

    An end tag in a closed fence is taken only where none stands outside: a draft may show a file.

    Args:
        lines: All of the answer.
        first: The line of the tag that begins the draft, from 0.
        through_fences: Whether an end tag in a fence may be passed over; without it only the draft itself is read.
    """
    name = opens_draft(lines[first])
    opening = _OPEN.match(lines[first][:_LONGEST])
    within: DraftEnd | None = None
    number, fenced_to, last = first, -1, first
    while number < len(lines):
        line = lines[number]
        start = opening.end() if opening and number == first else 0
        if found := _closed(line, name, start):
            end = DraftEnd(number, line[found.end() :], max(number, last) - first + 1)
            if number > fenced_to:
                return end
            within = within or end
        fence = fence_of(line) if number > fenced_to and through_fences else None
        if fence is not None:
            closed_at = closing(lines, number + 1, fence)
            # One that is never closed says nothing of what stands below it.
            through_fences, fenced_to = (
                closed_at is not None,
                -1 if closed_at is None else closed_at,
            )
            last = len(lines) if closed_at is None else closed_at
        number += 1
    return within and within._replace(looked=len(lines) - first)


def ends_draft(line: str) -> str | None:
    """What stands behind the end tag of a draft whose beginning was not sent; None for any other line."""
    bare = line.strip()
    if ">" not in bare[-1:] + bare[:24] and "]" not in bare[-1:] and "\u25b7" not in bare[-1:]:
        return None
    for found in _CLOSE.finditer(bare[:_LONGEST]):
        if found.start() == 0 or found.end() == len(bare):
            return bare[found.end() :]
    return None


def _closed(line: str, name: str, start: int) -> re.Match[str] | None:
    for found in _CLOSE.finditer(line, start):
        if (found[found.lastindex or 0]).lower() == name:
            return found
    return None


def without_drafts(text: str) -> str:
    """A reply without the drafts in it; one that nothing ends is left as it is."""
    lines = text.split("\n")
    kept: list[str] = []
    number, ahead = 0, LOOKED * len(lines)
    endless: set[str] = set()
    while number < len(lines):
        line = lines[number]
        name = opens_draft(line)
        if name and name not in endless:
            end = draft_end(lines, number, through_fences=ahead > 0)
            if end is not None:
                ahead -= end.looked
                kept += [end.rest] if end.rest.strip() else []
                number = end.number + 1
                continue
            endless.add(name)
        fence = fence_of(line) if ahead > 0 else None
        last = closing(lines, number + 1, fence) if fence else None
        if fence and last is None:
            ahead -= len(lines) - number
        stop = number + 1 if last is None else last + 1
        kept += lines[number:stop]
        number = stop
    return "\n".join(kept)
