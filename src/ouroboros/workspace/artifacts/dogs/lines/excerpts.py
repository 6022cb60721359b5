"""A text that may be a part of a file rather than all of it. Pure."""

from collections import Counter
from collections.abc import Sequence

_FEW = 5
"""A file with no more lines than these may be rewritten in full, and its ends are as long."""


def missed(before: Sequence[str], after: Sequence[str]) -> int:
    """How many lines of a file a text lacks that is likely to be a part of it; 0 where it is not.

    A part lacks most of the lines, or the first ones, or the last ones; blanks do not count.
    """
    old = [line.strip() for line in before if line.strip()]
    new = Counter(line.strip() for line in after if line.strip())
    gone = (Counter(old) - new).total()
    if len(old) <= _FEW or not gone:
        return 0
    has_ends = any(line in new for line in old[:_FEW]) and any(line in new for line in old[-_FEW:])
    is_part = gone * 2 > len(old) or (not has_ends and gone * 10 > len(old))
    return gone if is_part else 0
