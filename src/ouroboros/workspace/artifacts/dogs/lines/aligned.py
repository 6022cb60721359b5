"""Which lines of two texts are the same, bounded in work. Pure."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_MOST_PAIRS = 4_000_000
"""Above so many pairs of equal lines only the rarer lines are matched."""


class Same(NamedTuple):
    """``size`` lines that stand from ``old`` on in one text and from ``new`` on in the other."""

    old: int
    new: int
    size: int


def blocks(old: Sequence[str], new: Sequence[str]) -> list[Same]:
    """Runs of equal lines in order; what is equal at the head and at the end is found first."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    found = [Same(0, 0, head)] if head else []
    if before and after:
        from difflib import SequenceMatcher

        often = Counter(before)
        work = sum(often[line] for line in after)
        matcher = SequenceMatcher(None, before, after, autojunk=work > _MOST_PAIRS)
        found += [
            Same(match.a + head, match.b + head, match.size)
            for match in matcher.get_matching_blocks()
            if match.size
        ]
    if tail:
        found.append(Same(len(old) - tail, len(new) - tail, tail))
    return found


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count
