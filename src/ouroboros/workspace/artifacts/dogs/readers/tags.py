"""Files between ``<file path="...">`` and ``</file>``. Pure."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from ouroboros.workspace.artifacts.dogs.change import Delete, Request
from ouroboros.workspace.artifacts.dogs.readers.bodies import Block, fenced
from ouroboros.workspace.artifacts.dogs.readers.page import (
    BlockBroken,
    Found,
    Named,
    Wish,
    next_shown,
)
from ouroboros.workspace.artifacts.fenced import closing, fence_of, unwrapped

_START = re.compile(r"<file\s([^<>]*)>(.*)$", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"(?<![\w-])([\w-]{1,40})\s?=\s?(?:\"([^\"]*)\"|'([^']*)')")
_PATH = re.compile(r"^<path>([^<>]{1,300})</path>$", re.IGNORECASE)
_END = "</file>"
_CDATA = "<![CDATA["
_INDENTED = 40
_ENTITIES = {"&quot;": '"', "&apos;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&"}
_NAMES = ("path", "name", "filename")
_MARKUP = (".xml", ".html", ".htm", ".xhtml", ".svg", ".vue", ".svelte", ".jsx", ".tsx", ".md")
_GONE = frozenset({"delete", "remove"})


def is_sign(line: str) -> bool:
    """Whether a line begins a file."""
    return _start_of(line) is not None


class _Start(NamedTuple):
    words: dict[str, str]
    is_empty: bool
    rest: str

    @property
    def path(self) -> str:
        """Of the file."""
        return next((path for name in _NAMES if (path := self.words.get(name))), "")


def _start_of(line: str) -> _Start | None:
    if "<" not in line[:_INDENTED]:
        return None
    found = _START.match(line.strip())
    if found is None:
        return None
    inner = found[1].rstrip()
    words = _attributes(inner.removesuffix("/"))
    return _Start(words, inner.endswith("/"), found[2]) if words.keys() & {*_NAMES} else None


def path_of(line: str) -> str:
    """The path of the file that a line begins, or of ``<path>PATH</path>``; empty for other lines."""
    if found := _PATH.match(line.strip()):
        return found[1]
    head = _start_of(line)
    return head.path if head else ""


def _before_end(line: str) -> str | None:
    """What stands before the end tag that a line ends with; None for other lines."""
    bare = line.rstrip()
    return bare[: -len(_END)] if bare[-len(_END) :].lower() == _END else None


class ElementBlocks:
    """Reads file by file; a text is taken as it stands, but for a CDATA section or a fence around all of it."""

    def __init__(self, lines: Sequence[str], wish: Wish) -> None:
        """Nothing is read yet."""
        self.found = Found()
        self._lines, self._wish = lines, wish
        self._ahead = 8 * (len(lines) + 100)
        self._sections: list[int] | None = None

    def begins(self, number: int) -> bool:
        """Whether a file begins in a line."""
        return is_sign(self._lines[number])

    def step(self, at: int) -> int:
        """Reads the file that begins in a line, and gives the line behind it."""
        head = _start_of(self._lines[at])
        if head is None:
            return at + 1
        end = self._element(at, head)
        self.found.spans.append((at, end))
        return end

    def _element(self, at: int, head: _Start) -> int:
        """Reads one element, and gives the line behind it."""
        lines, found, wish = self._lines, self.found, self._wish
        path = head.path
        block = found.begin()
        is_gone = head.words.get("action", head.words.get("type", "")).lower() in _GONE
        if head.is_empty:
            if is_gone:
                found.changes.append(Delete(block=block, line=at + 1, path=path))
            else:
                found.refuse(BlockBroken("the element is empty", line=at + 1, path=path))
            return at + 1
        end, why = self._end(at, head.rest)
        if why and not (wish.allow_truncated and end == len(lines)):
            found.refuse(BlockBroken(why, line=at + 1, path=path))
            return min(end + 1, len(lines))
        if is_gone:
            found.changes.append(Delete(block=block, line=at + 1, path=path))
            return min(end + 1, len(lines))
        body = _body(lines, at, head.rest, end)
        try:
            info, start, stop = _inside(body, path, at + 2)
            block_at = Block(block, at + 1, at + 2 + start, Named(path))
            for each in fenced(block_at, info, body[start:stop]):
                if isinstance(each, Request):
                    found.requests.append(each)
                else:
                    found.changes.append(each)
        except BlockBroken as broken:
            found.refuse(BlockBroken(broken.reason, line=broken.line, path=path))
        return min(end + 1, len(lines))

    def _end(self, at: int, rest: str) -> tuple[int, str]:
        """The line of the end tag, and what is wrong with it."""
        lines = self._lines
        if _before_end(rest) is not None:
            return at, ""
        if (sure := self._sure_end(at, rest)) is not None:
            return sure, ""
        ends: list[int] = []
        number = at + 1
        while number < len(lines) and not is_sign(lines[number]):
            if _before_end(lines[number]) is not None:
                ends.append(number)
            number += 1
        if not ends:
            what = "another file begins first" if number < len(lines) else "the block is cut off"
            return number if number == len(lines) else number - 1, f"{what}: no </file> ends it"
        if len(ends) > 1:
            return ends[-1], "several </file> leave open where it ends"
        return ends[0], ""

    def _sure_end(self, at: int, rest: str) -> int | None:
        """The line of the end tag behind a CDATA section or a fence, whatever tags are in there; None for other text."""
        lines = self._lines
        first = at if rest.strip() else next_shown(lines, at + 1)
        if first >= len(lines):
            return None
        if (rest if first == at else lines[first]).lstrip().startswith(_CDATA):
            return self._section_end(first)
        fence = fence_of(lines[first]) if first > at and self._ahead > 0 else None
        last = closing(lines, first + 1, fence) if fence else None
        # Fences that nothing closes would each be looked through to the end.
        self._ahead -= (last or len(lines)) - first if fence else 0
        end = next_shown(lines, last + 1) if last is not None else len(lines)
        return end if end < len(lines) and lines[end].strip().lower() == _END else None

    def _section_end(self, first: int) -> int | None:
        """The line of the end tag that stands right behind the end of a CDATA section."""
        if self._sections is None:
            self._sections = [
                number for number in range(len(self._lines)) if _ends_section(self._lines, number)
            ]
        place = bisect_left(self._sections, first)
        if place == len(self._sections):
            return None
        number = self._sections[place]
        return number if self._lines[number].rstrip().lower().endswith(_END) else number + 1


def _ends_section(lines: Sequence[str], number: int) -> bool:
    """Whether a CDATA section ends in a line, and the element right behind it."""
    bare = lines[number].rstrip()
    after = lines[number + 1] if number + 1 < len(lines) else ""
    return bare.lower().endswith(f"]]>{_END}") or (
        bare.endswith("]]>") and after.strip().lower() == _END
    )


def _body(lines: Sequence[str], at: int, rest: str, end: int) -> list[str]:
    if end == at:
        body = [_before_end(rest) or ""]
    else:
        last = _before_end(lines[end]) if end < len(lines) else None
        body = [rest, *lines[at + 1 : end], *([] if last is None else [last])]
        if not body[0].strip():
            body.pop(0)
        if body and not body[-1].strip() and last is not None:
            body.pop()
    if body and body[0].lstrip().startswith(_CDATA) and body[-1].rstrip().endswith("]]>"):
        body[0] = body[0].lstrip().removeprefix(_CDATA)
        body[-1] = body[-1].rstrip().removesuffix("]]>")
        body = body[1:] if not body[0] else body
        body = body[:-1] if body and not body[-1] else body
    return body


def _inside(body: Sequence[str], path: str, first: int) -> tuple[str, int, int]:
    """The words of the fence around a text, if there is one, and where the text is.

    Raises:
        BlockBroken: An element is around it, which may be a part of the file.
    """
    if _has_inner(body):
        if path.lower().endswith(_MARKUP):
            raise BlockBroken(
                f"nobody can tell whether {body[0].strip()} is a part of the file", line=first
            )
        return "", 1, len(body) - 1
    wrapped = unwrapped(body)
    if wrapped is None or path.lower().endswith((".md", ".markdown", ".mdx")):
        return "", 0, len(body)
    return wrapped[0].words, wrapped[1], wrapped[2]


def _has_inner(body: Sequence[str]) -> bool:
    """Whether an element of its own is around the text."""
    ends = (body[0].strip().lower(), body[-1].strip().lower()) if len(body) > 1 else ("", "")
    return ends in {(f"<{name}>", f"</{name}>") for name in ("content", "contents", "code")}


def _attributes(words: str) -> dict[str, str]:
    found = {each[1].lower(): each[2] or each[3] or "" for each in _ATTRIBUTE.finditer(words)}
    return {
        name: re.sub(r"&\w+;", lambda it: _ENTITIES.get(it[0], it[0]), value)
        for name, value in found.items()
    }
