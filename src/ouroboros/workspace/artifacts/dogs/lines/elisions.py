"""Lines by which a model says that it left text out. Pure."""

import re
from collections.abc import Sequence

_WORDS = re.compile(
    r"\b(existing|rest|unchanged|remaining|same|previous|other|keep|kept|omitted|here|above|below|code)\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"(?:#|//|--|/\*+|<!--|;|%|\*|\{/\*|\"\"\"|\[|\()?\s*(?:\.{3}|\u2026)")
_LONGEST = 200


def elision(before: Sequence[str], after: Sequence[str]) -> str:
    """The first new line that stands for text which was there; empty where there is none.

    Such as ``# ... existing code ...``: writing it would lose that text.
    """
    there: set[str] | None = None
    for line in after:
        bare = line.strip()
        if ("..." not in bare and "\u2026" not in bare) or len(bare) > _LONGEST:
            continue
        if _COMMENT.match(bare) is None or not (_WORDS.search(bare) or bare in _BARE):
            continue
        if there is None:
            there = {each.strip() for each in before}
        if bare not in there:
            return bare
    return ""


_BARE = frozenset({"# ...", "// ...", "/* ... */", "<!-- ... -->", "-- ..."})
