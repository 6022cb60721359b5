"""Fenced blocks of Markdown as models write them, which is not always as CommonMark has it.

A fence that stands within a template literal of the code does not end the block.
"""

import re

from msgspec import Struct

from ouroboros.rlm.code.template import Quotes

_OPENING = re.compile(r"^([ \t>]*)(`{3,}|~{3,})[ \t]*([\w+#.-]*)(.*)$")
_MIDLINE = re.compile(
    r"^(?![ \t>]*[`~]{3}).*?(`{3,})[ \t]*(repl|js|javascript)[ \t]*$", re.IGNORECASE
)
_CODE_BEHIND_MARK = re.compile(r"[;(]")


class Fence(Struct, frozen=True, kw_only=True):
    """What stands between two fences; ``language`` is lower case and may be empty."""

    language: str
    code: str
    closed: bool


class _Opening(Struct, frozen=True):
    prefix: str
    mark: str
    language: str
    rest: str


def fences(text: str) -> list[Fence]:
    """All fenced blocks, in order; the last may be without its end."""
    lines = text.split("\n")
    found: list[Fence] = []
    at = 0
    while at < len(lines):
        opening = _opening(lines[at])
        if opening is None:
            at += 1
            continue
        whole = _single_line(opening)
        if whole is not None:
            found.append(whole)
            at += 1
            continue
        end, closed, repaired = _end(lines, at + 1, opening)
        body = [_without(line, opening.prefix) for line in repaired]
        if opening.language == "repl" and _CODE_BEHIND_MARK.search(opening.rest):
            body.insert(0, opening.rest.strip())
        found.append(Fence(language=opening.language, code="\n".join(body), closed=closed))
        # A line that opens the next block ends this one without being used up.
        at = end if end < len(lines) and not _is_plain_end(lines[end], opening) else end + 1
    return found


def _opening(line: str) -> _Opening | None:
    if "```" not in line and "~~~" not in line:
        return None
    plain = _OPENING.match(line)
    if plain:
        prefix, mark, language, rest = plain.groups()
        if mark[0] == "`" and "`" in rest and not rest.rstrip().endswith(mark):
            return None
        return _Opening(prefix, mark, language.lower(), rest)
    within = _MIDLINE.match(line)
    return _Opening("", within[1], within[2].lower(), "") if within else None


def _single_line(opening: _Opening) -> Fence | None:
    rest = opening.rest.rstrip()
    if not rest.endswith(opening.mark):
        return None
    return Fence(language=opening.language, code=rest.rstrip(opening.mark[0]).strip(), closed=True)


def _end(lines: list[str], start: int, opening: _Opening) -> tuple[int, bool, list[str]]:
    """Index of the line that ends the block, whether it says so, and the lines before it.

    The first fence outside of template literals ends it. When the code is such that none is, the
    first fence of all does.
    """
    quotes = Quotes()
    first: tuple[int, bool] | None = None
    kept: list[str] = []
    for at in range(start, len(lines)):
        line = lines[at]
        if _is_mark(line, opening):
            ending = (at, _is_plain_end(line, opening))
            if not quotes.in_template:
                return *ending, kept
            first = first or ending
            if opening.mark[0] == "`" and _is_ours(line):
                break  # the next block begins: the template was never closed
            # Three backticks within a template can only be meant as themselves.
            line = line.replace("`", "\\`") if opening.mark[0] == "`" else line
        kept.append(line)
        quotes.read(line)
    if first is None:
        return len(lines), False, lines[start:]
    return *first, lines[start : first[0]]


def _is_mark(line: str, opening: _Opening) -> bool:
    """The line begins with a fence as long as the one that opened."""
    bare = line.lstrip(" \t>")
    if not bare.startswith(opening.mark):
        return False
    rest = bare.lstrip(opening.mark[0])
    # An inline template such as ```x``` is code, not a fence.
    return opening.mark[0] not in rest


def _is_plain_end(line: str, opening: _Opening) -> bool:
    rest = line.lstrip(" \t>").lstrip(opening.mark[0]).strip()
    return not re.fullmatch(r"[\w+#.-]+", rest)


def _is_ours(line: str) -> bool:
    return line.strip(" \t>`~").lower().split(" ")[0] == "repl"


def _without(line: str, prefix: str) -> str:
    if not prefix:
        return line
    if line.startswith(prefix):
        return line[len(prefix) :]
    if ">" in prefix:
        return line.lstrip(" \t>") if line.lstrip().startswith(">") else line
    return line[len(line) - len(line.lstrip()) :] if line[: len(prefix)].isspace() else line
