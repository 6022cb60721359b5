"""Lines that look like changes and stand in no block: taking the rest without them would be half an answer. Pure."""

import re
from collections.abc import Sequence

from ouroboros.workspace.artifacts.dogs.change import Refusal
from ouroboros.workspace.artifacts.fenced import Fence, fence_of

_MOST = 20
"""So many are told."""

_LONGEST = 400
_DIFFS = frozenset({"diff", "patch", "udiff"})
_LEFT, _RIGHT = r"(?:<|&lt;)", r"(?:>|&gt;)"
_BEFORE = r"^[\s>*\\|-]{0,12}"
_SOUGHT = re.compile(rf"{_BEFORE}{_LEFT}{{3,12}} ?(?:SEARCH|ORIGINAL|FIND|BEFORE)\b", re.IGNORECASE)
_CONFLICT = re.compile(rf"{_BEFORE}{_LEFT}{{7}} ?\S")
_CONFLICT_MIDDLE = re.compile(rf"{_BEFORE}={{7}}\s*$")
_CONFLICT_END = re.compile(rf"{_BEFORE}{_RIGHT}{{7}} ?\S")
_HUNK = re.compile(r"^[\s>]{0,16}@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_HEAD = re.compile(r"^[\s>]{0,16}(?:diff --git \S|(?:--- a/|\+\+\+ b/)\S)")
_PATCH = re.compile(r"^[\s>]{0,16}\*\*\* (?:Update|Add|Delete) File: \S")
_CONTEXT = re.compile(r"^\*{15}$")
_HEADER = re.compile(
    r"^[\s#>*_`]{0,8}(?:-{2,}|[-\u2010-\u2015]*[\u2010-\u2015][-\u2010-\u2015]*)\s?(?:\w{3,12} )?File(?: ?name)?\s?:\s?\S+[\s*_\u2010-\u2015-]*$",
    re.IGNORECASE,
)
_MARKER = re.compile(r"^\W{0,16}(?:DOGS|CATS)_(?:START|END)_FILE\b", re.IGNORECASE)
_TAG = re.compile(
    r"^\s*<(?:file|edit|change|code|antArtifact|document)\s(?:[^<>]*\s)?(?:path|file|filename|title)\s?=\s?[\"'][^<>]*>",
    re.IGNORECASE,
)
_CALL = re.compile(
    r"^\s*<(?:file|write_to_file|create_file|edit_file|replace_in_file|apply_diff)>\s*$",
    re.IGNORECASE,
)

_ANYWHERE = (
    (_SOUGHT, "a SEARCH block, but is spelled otherwise"),
    (_HUNK, "a hunk of a diff, but no file is named right above it"),
    (_HEAD, "the names of a diff, but they do not begin their lines, or no hunk follows them"),
    (_PATCH, "a part of a patch, but no '*** Begin Patch' stands above it"),
    (_CONTEXT, "a context diff, which is not understood; a unified one is"),
)
_OUTSIDE_OF_FENCES = (
    (_HEADER, "the header of a file, but is none: '--- File: PATH ---' is one"),
    (_MARKER, "a marker, but is none: '--- DOGS_START_FILE: PATH ---' is one"),
    (_TAG, 'a file in tags, but is none: <file path="PATH"> begins one'),
    (_CALL, 'a file in tags, but is none: <file path="PATH"> begins one'),
)


def left_over(lines: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[Refusal]:
    """One refusal for each piece of an answer that nobody has read.

    Args:
        lines: Of the bundle.
        spans: The lines that are in blocks, in order, the end excluded.
    """
    found: list[Refusal] = []
    opening: Fence | None = None
    at, told = 0, -2
    rest = iter([*sorted(spans), (len(lines), len(lines))])
    first, end = next(rest)
    while at < len(lines) and len(found) < _MOST:
        if at >= first:
            at = _behind(lines, max(at, end), is_fenced=opening is not None)
            first, end = next(rest, (len(lines), len(lines)))
            continue
        line = lines[at]
        fence = fence_of(line)
        if fence is not None:
            opening = fence if opening is None else None if fence.closes(opening) else opening
        why = _why(line, is_fenced=opening is not None) or _conflict(lines, at, first)
        if not why and fence is not None and fence is opening and _is_diff(lines, at, first, fence):
            why = "a diff, but names no file"
        if why and at > told + 1:
            found.append(Refusal(reason=f"it looks like {why}", line=at + 1))
        told = at if why else told
        at += 1
    return found


def _behind(lines: Sequence[str], end: int, *, is_fenced: bool) -> int:
    """The line behind a block, and behind the fence that ends there with it."""
    at = end
    while at < len(lines) and not lines[at].strip():
        at += 1
    fence = fence_of(lines[at]) if at < len(lines) and not is_fenced else None
    return at + 1 if fence is not None and not fence.words else end


def _why(line: str, *, is_fenced: bool) -> str:
    if len(line) > _LONGEST or not line.strip():
        return ""
    signs = _ANYWHERE if is_fenced else (*_ANYWHERE, *_OUTSIDE_OF_FENCES)
    return next((words for sign, words in signs if sign.match(line)), "")


def _conflict(lines: Sequence[str], at: int, stop: int) -> str:
    """What is wrong with the marks of a merge, all three of them."""
    if "<<<<<<<" not in lines[at][:_LONGEST] or _CONFLICT.match(lines[at]) is None:
        return ""
    wanted = _CONFLICT_MIDDLE
    for line in lines[at + 1 : min(stop, at + _LONGEST)]:
        if wanted.match(line):
            if wanted is _CONFLICT_END:
                return "a SEARCH block, but has the marks of a merge: <<<<<<< SEARCH begins one"
            wanted = _CONFLICT_END
    return ""


def _is_diff(lines: Sequence[str], at: int, stop: int, fence: Fence) -> bool:
    """Whether a fence says that it is a diff and has lines that come or go."""
    if fence.words.partition(" ")[0].lower() not in _DIFFS:
        return False
    for line in lines[at + 1 : stop]:
        inner = fence_of(line)
        if (inner is not None and inner.closes(fence)) or _HEAD.match(line):
            return False
        if line.startswith(("+", "-")):
            return True
    return False
