"""Files between ``<file path="...">`` and ``</file>``. Pure."""

import re
from collections.abc import Sequence

from ouroboros.workspace.artifacts.dogs.change import Delete, Request
from ouroboros.workspace.artifacts.dogs.readers.bodies import Block, fenced
from ouroboros.workspace.artifacts.dogs.readers.fenced import unwrapped
from ouroboros.workspace.artifacts.dogs.readers.page import BlockBroken, Found, Named, Wish

_START = re.compile(r"^\s*<file\s+([^<>]*?)\s*(/?)>(.*)$", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_END = re.compile(r"^(.*?)</file>\s*$", re.IGNORECASE)
_ENTITIES = {"&quot;": '"', "&apos;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&"}
_GONE = frozenset({"delete", "remove"})


def is_sign(line: str) -> bool:
    """Whether a line begins a file."""
    found = _START.match(line)
    return found is not None and bool(_attributes(found[1]).keys() & {"path", "name"})


def read(lines: Sequence[str], wish: Wish) -> Found:
    """All files; a text is taken as it stands, but for a CDATA section or a fence around all of it."""
    found = Found()
    at = 0
    while at < len(lines):
        head = _START.match(lines[at]) if is_sign(lines[at]) else None
        if head is None:
            at += 1
            continue
        end = _element(lines, at, head, found, wish)
        found.spans.append((at, end))
        at = end
    return found


def _element(lines: Sequence[str], at: int, head: re.Match[str], found: Found, wish: Wish) -> int:
    """Reads one element, and gives the line behind it."""
    words = _attributes(head[1])
    path = words.get("path") or words.get("name", "")
    block = found.begin()
    is_gone = words.get("action", words.get("type", "")).lower() in _GONE
    if head[2]:
        if is_gone:
            found.changes.append(Delete(block=block, line=at + 1, path=path))
        else:
            found.refuse(BlockBroken("the element is empty", line=at + 1, path=path))
        return at + 1
    end, why = _end(lines, at, head[3])
    if why and not (wish.allow_truncated and end == len(lines)):
        found.refuse(BlockBroken(why, line=at + 1, path=path))
        return min(end + 1, len(lines))
    if is_gone:
        found.changes.append(Delete(block=block, line=at + 1, path=path))
        return min(end + 1, len(lines))
    body = _body(lines, at, head[3], end)
    wrapped = unwrapped(body)
    info = ""
    first = at + 2
    if wrapped is not None and not path.lower().endswith((".md", ".markdown", ".mdx")):
        info, first = wrapped[0].words, first + wrapped[1]
        body = body[wrapped[1] : wrapped[2]]
    try:
        for each in fenced(Block(block, at + 1, first, Named(path)), info, body):
            if isinstance(each, Request):
                found.requests.append(each)
            else:
                found.changes.append(each)
    except BlockBroken as broken:
        found.refuse(BlockBroken(broken.reason, line=broken.line, path=path))
    return min(end + 1, len(lines))


def _end(lines: Sequence[str], at: int, rest: str) -> tuple[int, str]:
    """The line of the end tag, and what is wrong with it."""
    if _END.match(rest):
        return at, ""
    ends: list[int] = []
    number = at + 1
    while number < len(lines) and not is_sign(lines[number]):
        if _END.match(lines[number]):
            ends.append(number)
        number += 1
    if not ends:
        what = "another file begins first" if number < len(lines) else "the block is cut off"
        return number if number == len(lines) else number - 1, f"{what}: no </file> ends it"
    if len(ends) > 1:
        return ends[-1], "several </file> leave open where it ends"
    return ends[0], ""


def _body(lines: Sequence[str], at: int, rest: str, end: int) -> list[str]:
    if end == at:
        found = _END.match(rest)
        body = [found[1] if found else rest]
    else:
        last = _END.match(lines[end]) if end < len(lines) else None
        body = [rest, *lines[at + 1 : end], *([last[1]] if last else [])]
        if not body[0].strip():
            body.pop(0)
        if body and not body[-1].strip() and last is not None:
            body.pop()
    if body and body[0].lstrip().startswith("<![CDATA[") and body[-1].rstrip().endswith("]]>"):
        body[0] = body[0].lstrip().removeprefix("<![CDATA[")
        body[-1] = body[-1].rstrip().removesuffix("]]>")
        body = body[1:] if not body[0] else body
        body = body[:-1] if body and not body[-1] else body
    return body


def _attributes(words: str) -> dict[str, str]:
    found = {each[1].lower(): each[2] or each[3] or "" for each in _ATTRIBUTE.finditer(words)}
    return {
        name: re.sub(r"&\w+;", lambda it: _ENTITIES.get(it[0], it[0]), value)
        for name, value in found.items()
    }
