"""Lines by which a model says that it left text out. Pure."""

import re
from collections import Counter
from collections.abc import Sequence

_WORDS = re.compile(
    r"\b(existing|rest|unchanged|remaining|same|previous|other|keep|kept|omitted|here|above|below|code)\b",
    re.IGNORECASE,
)
_MARK = r"(?:#|//|--|/\*+|<!--|;|%|\*|\{/\*|\"\"\"|\[|\()"
_COMMENT = re.compile(rf"{_MARK}?\s*(?:\.{{3}}|\u2026)")
_STAYS = r"(?:unchanged|the same|here|as before|omitted|stays?|remains?|goes)\b"
_SAID = re.compile(
    rf"{_MARK}+\s*[\[(]*\s*(?:the\s|all\s|your\s)*(?:"
    rf"(?:rest|remainder)\sof\s[\w. ]{{2,40}}?{_STAYS}"
    rf"|(?:rest|remainder|other|remaining|existing|previous|unchanged|original)\s[\w., ]{{0,40}}?{_STAYS}"
    r"|(?:rest\sof|remaining|existing|previous|unchanged|other)\s[\w ]{2,40}(?:\.{3}|\u2026)\W*$"
    r"|(?:keep|leave)\s(?:the\s)?(?:rest|everything|all|existing|remaining|other)\b"
    r"|(?:existing\scode|code\somitted|no\schanges?(?:\shere|\sbelow|\sabove)?|same\sas\sbefore|omitted\sfor\sbrevity)\W*$"
    r")",
    re.IGNORECASE,
)
_BARE = frozenset({"# ...", "// ...", "/* ... */", "<!-- ... -->", "-- ..."})
_DOTS = frozenset({"...", "\u2026", "[...]", "(...)", "[\u2026]"})
_LONGEST = 200
_GONE = 3
"""With so few lines that go, words without dots may be a remark of the program's own."""


def elision(before: Sequence[str], after: Sequence[str]) -> str:
    """The first new line that stands for text which was there; empty where there is none.

    Such as ``# ... existing code ...``: writing it would lose that text.
    """
    there: set[str] | None = None
    lost: int | None = None
    for line in after:
        bare = line.strip()
        is_clear = _is_clear(bare)
        if len(bare) > _LONGEST or not (is_clear or _is_said(line, bare)):
            continue
        if there is None:
            there = {each.strip() for each in before}
        if bare in there:
            continue
        if not is_clear and lost is None:
            lost = _lost(before, after)
        if is_clear or (lost or 0) >= _GONE:
            return bare
    return ""


def _is_clear(bare: str) -> bool:
    """Whether the line can be nothing else in a text that was longer."""
    if "..." not in bare and "\u2026" not in bare:
        return False
    return _COMMENT.match(bare) is not None and bool(_WORDS.search(bare) or bare in _BARE)


def _is_said(line: str, bare: str) -> bool:
    """Whether the line is likely to mean that, if text goes."""
    return line.rstrip() in _DOTS or (not bare[:1].isalnum() and _SAID.match(bare) is not None)


def _lost(before: Sequence[str], after: Sequence[str]) -> int:
    old = Counter(line.strip() for line in before if line.strip())
    return (old - Counter(line.strip() for line in after)).total()
