"""Joining two changes of one text, where they do not touch the same lines. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from ouroboros.workspace.artifacts.dogs.lines.aligned import blocks


class Conflict(NamedTuple):
    """Lines that both changed, in the text as it is now: the first, counted from 1, and how many."""

    line: int
    size: int


class Merged(NamedTuple):
    """The lines with both changes; with conflicts they are the present ones there."""

    lines: list[str]
    conflicts: list[Conflict]


def merged(base: Sequence[str], present: Sequence[str], wanted: Sequence[str]) -> Merged:
    """The present lines with what leads from ``base`` to ``wanted`` done to them.

    Changes that touch, or stand side by side, are a conflict unless they are the same.
    """
    ours, theirs = _anchors(base, present), _anchors(base, wanted)
    lines: list[str] = []
    conflicts: list[Conflict] = []
    at = in_ours = in_theirs = 0
    for stable in [*_stable(ours, theirs), len(base)]:
        next_ours = ours.get(stable, len(present))
        next_theirs = theirs.get(stable, len(wanted))
        old = list(base[at:stable])
        mine, other = list(present[in_ours:next_ours]), list(wanted[in_theirs:next_theirs])
        if mine in (old, other):
            lines += other
        else:
            if other != old:
                conflicts.append(Conflict(in_ours + 1, len(mine)))
            lines += mine
        if stable < len(base):
            lines.append(present[next_ours])
        at, in_ours, in_theirs = stable + 1, next_ours + 1, next_theirs + 1
    return Merged(lines, conflicts)


def _anchors(base: Sequence[str], other: Sequence[str]) -> dict[int, int]:
    return {
        same.old + step: same.new + step
        for same in blocks(base, other)
        for step in range(same.size)
    }


def _stable(ours: dict[int, int], theirs: dict[int, int]) -> list[int]:
    """Lines of the base that both kept."""
    return [number for number in sorted(ours) if number in theirs]
