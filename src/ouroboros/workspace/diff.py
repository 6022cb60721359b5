"""Unified diffs that stay cheap on large files."""

import re
from io import StringIO
from itertools import chain
from typing import NamedTuple

_MATCHER_LINES = 3000
"""Above this many changed lines a hunk is shown as replaced whole."""

_MATCHER_PAIRS = 60_000
"""Above this many pairs of equal lines only the rarer lines are matched."""

_UNSHOWN = re.compile(r'[\x00-\x1f\x7f"\\]')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def unified(old: str, new: str, name: str, *, context: int = 3) -> str:
    """The change of one file as a unified diff; empty when nothing changed."""
    if old == new:
        return ""
    found = compared(old, new, context)
    lines = (_hunk(found.before, found.after, group, found.start) for group in found.groups)
    head = f"--- {quoted_name(name, 'a/')}\n+++ {quoted_name(name, 'b/')}\n"
    return "".join(chain([head], chain.from_iterable(lines)))


def quoted_name(name: str, side: str = "") -> str:
    """A name as git writes it: one with signs that would end it or its line stands in quotes.

    ``side`` is ``a/`` or ``b/``. Letters beyond ASCII stay, as with ``core.quotePath=false``.
    """
    escaped = _UNSHOWN.sub(lambda found: _ESCAPES.get(found[0]) or f"\\{ord(found[0]):03o}", name)
    return f'"{side}{escaped}"' if escaped != name else f"{side}{name}"


type _Operation = tuple[str, int, int, int, int]


class Compared(NamedTuple):
    """The lines of two texts from ``start`` on, as far as they matter, and what differs in groups."""

    before: list[str]
    after: list[str]
    start: int
    groups: list[list[_Operation]]


def compared(old: str, new: str, context: int = 3) -> Compared:
    """Two texts that differ, line by line; a group is what lies close together."""
    before, after = lines_of(old), lines_of(new)
    head = _common(before, after)
    rest = min(len(before), len(after)) - head
    tail = min(_common(before[::-1], after[::-1]), rest)
    start = max(0, head - context)
    before = before[start : len(before) - max(0, tail - context)]
    after = after[start : len(after) - max(0, tail - context)]
    return Compared(before, after, start, _hunks(before, after, context))


def lines_of(text: str) -> list[str]:
    """Lines with their ends, which are line feeds alone, as git has them: a page break ends no line."""
    return list(StringIO(text, newline="\n"))


def _hunks(before: list[str], after: list[str], context: int) -> list[list[_Operation]]:
    if len(before) + len(after) > _MATCHER_LINES:
        return [[("replace", 0, len(before), 0, len(after))]]
    from collections import Counter
    from difflib import SequenceMatcher

    # Lines that stand often in both make the matcher slow; then it leaves out the popular ones.
    often = Counter(before)
    work = sum(often[line] for line in after)
    matcher = SequenceMatcher(None, before, after, autojunk=work > _MATCHER_PAIRS)
    return [list(group) for group in matcher.get_grouped_opcodes(context)]


def _hunk(before: list[str], after: list[str], group: list[_Operation], start: int) -> list[str]:
    first, last = group[0], group[-1]
    lines = [f"@@ -{_span(first[1], last[2], start)} +{_span(first[3], last[4], start)} @@\n"]
    for kind, from_old, to_old, from_new, to_new in group:
        if kind == "equal":
            lines += [_line(" ", text) for text in before[from_old:to_old]]
        else:
            lines += [_line("-", text) for text in before[from_old:to_old]]
            lines += [_line("+", text) for text in after[from_new:to_new]]
    return lines


def _span(start: int, stop: int, offset: int) -> str:
    length = stop - start
    first = start + offset + (1 if length else 0)
    return str(first) if length == 1 else f"{first},{length}"


def _line(sign: str, text: str) -> str:
    return (
        f"{sign}{text}" if text.endswith("\n") else f"{sign}{text}\n\\ No newline at end of file\n"
    )


def _common(left: list[str], right: list[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count
