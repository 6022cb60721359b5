"""SEARCH/REPLACE blocks under the name of their file, as aider has them. Pure."""

import re
from collections.abc import Sequence

from ouroboros.workspace.artifacts.dogs.change import Edit, Whole
from ouroboros.workspace.artifacts.dogs.readers.page import BlockBroken, Found, Wish, named
from ouroboros.workspace.artifacts.dogs.readers.sought import HEAD, TAIL, block_end, pair
from ouroboros.workspace.artifacts.dogs.readers.tags import path_of
from ouroboros.workspace.artifacts.dogs.readers.titles import titled, titled_fence
from ouroboros.workspace.artifacts.fenced import fence_of

_ABOVE = 4
_LONGEST_NAME = 300
_COMMENT = re.compile(r"^(?://|/\*|<!--|#|--|;)\s*(\S+)\s*(?:\*/|-->)?$")
_TAG = re.compile(r"<[\w-]{1,40}>")
_QUOTED = re.compile(r"`([^`\s]+)`")
_WORD = re.compile(r"^[\w.@+~()\[\] -]*[./][\w./@+~()\[\] -]*$|^[\w.-]+$")


def is_sign(line: str) -> bool:
    """Whether a line begins a block."""
    return line.startswith(("<<<<<", "-----")) and HEAD.match(line) is not None


class SearchBlocks:
    """Reads block by block; one without a name is of the file of the one before."""

    def __init__(self, lines: Sequence[str], wish: Wish) -> None:
        """Nothing is read yet."""
        self.found = Found()
        self.floor = 0
        self._lines, self._wish = lines, wish
        self._path = ""

    def begins(self, number: int) -> bool:
        """Whether a block begins in a line."""
        return is_sign(self._lines[number])

    def step(self, at: int) -> int:
        """Reads the block that begins in a line, and gives the line behind it; no name is looked for above ``floor``."""
        lines, found = self._lines, self.found
        head = HEAD.match(lines[at])
        block = found.begin()
        near, above = _path_above(lines, at, self.floor, known=self._path)
        said = head[1].strip() if head else ""
        self._path = path = said or near or self._path
        try:
            end = _end(lines, at, self._wish)
            if not path:
                raise BlockBroken("no line above names the file", line=at + 1)
            hunk, new = pair(_closed(lines, at, end), at + 1)
            if new is None:
                found.changes.append(Edit(block=block, line=at + 1, path=path, hunks=(hunk,)))
            else:
                found.changes.append(
                    Whole(block=block, line=at + 1, path=path, text=new, is_new=True)
                )
        except BlockBroken as broken:
            found.refuse(BlockBroken(broken.reason, line=broken.line, path=path))
            end = _skipped(lines, at)
        found.spans.append((above, end + 1))
        return end + 1


def _end(lines: Sequence[str], at: int, wish: Wish) -> int:
    try:
        return block_end(lines, at, 1)
    except BlockBroken:
        if not wish.allow_truncated:
            raise
        return _skipped(lines, at)


def _closed(lines: Sequence[str], at: int, end: int) -> list[str]:
    found = list(lines[at : end + 1])
    return found if TAIL.match(found[-1]) else [*found, ">>>>>>> REPLACE"]


def _skipped(lines: Sequence[str], at: int) -> int:
    """The last line of a block that is broken."""
    for number in range(at + 1, len(lines)):
        if TAIL.match(lines[number]):
            return number
        if HEAD.match(lines[number]):
            return number - 1
    return len(lines) - 1


def _path_above(lines: Sequence[str], at: int, stop: int, *, known: str) -> tuple[str, int]:
    """The name of the file in the lines above, fences and blank lines apart, and where it stands."""
    for number in range(at - 1, max(stop, at - _ABOVE) - 1, -1):
        line = lines[number].strip()
        fence = fence_of(lines[number])
        if fence is not None and (title := titled_fence(fence.words)):
            return title.path, number
        if fence is not None and (":" in fence.words or "/" in fence.words):
            return fence.words.partition(":")[2] or fence.words, number
        if fence is not None or not line or _TAG.fullmatch(line):
            continue
        if name := _name_in(line, is_known=bool(known)):
            return name, number
        words = _cleaned(line)
        if _WORD.match(words) or not known:
            return words, number
        return "", at
    return "", at


def _name_in(line: str, *, is_known: bool) -> str:
    """The file that a line names: all of it, or its only words in backquotes; empty for none."""
    if len(line) > _LONGEST_NAME:
        return ""
    if path := path_of(line):
        return path
    comment = _COMMENT.match(line)
    if found := titled(line) or (comment and titled(comment[1])):
        return found.path
    quoted = {name for name in _QUOTED.findall(line) if titled(f"`{name}`")}
    is_announced = line.rstrip("* ").endswith(":") or not is_known
    return quoted.pop() if len(quoted) == 1 and is_announced else ""


def _cleaned(line: str) -> str:
    if len(line) > _LONGEST_NAME:
        return ""
    words = re.sub(
        r"^(?:#{1,6}\s+|[*-]\s+|(?:file|path|filename)\s*:\s*)", "", line, flags=re.IGNORECASE
    )
    words = words.strip().removesuffix(":").strip()
    return named(words.strip("*").strip()).path.removesuffix(":")
