"""Version 1: a head, and for each file a header line and a fence. Pure."""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ouroboros.workspace.artifacts.dogs.change import (
    Change,
    Delete,
    Edit,
    Header,
    Refusal,
    Refused,
    Rename,
    Request,
    Whole,
)
from ouroboros.workspace.artifacts.dogs.readers.bodies import NO_END, PROSE, Block, fenced
from ouroboros.workspace.artifacts.dogs.readers.page import (
    BlockBroken,
    Found,
    Named,
    Wish,
    before_dashes,
    named,
    next_shown,
)
from ouroboros.workspace.artifacts.dogs.readers.titles import titled_fence
from ouroboros.workspace.artifacts.faults import Malformed
from ouroboros.workspace.artifacts.fenced import (
    Fence,
    closing,
    fence_of,
    is_left_open,
    outdented,
)
from ouroboros.workspace.artifacts.frontmatter import Head, Reader, supported

_HEADER = re.compile(
    r"(?:#{1,6} |\*\*|> )?-{3,}\s*(New File|File|Delete File|Rename File)\s*:", re.IGNORECASE
)
_LIKE_ONE = re.compile(r"-{2,}\s*((?:New|Delete|Rename|Edit|Copy|Move)\s+)?File\s*:", re.IGNORECASE)
_ARROWS = (" -> ", " => ", " \u2192 ")
_DIFFS = frozenset({"diff", "patch", "udiff"})


_SHORTEST = 3
"""A longer fence was chosen so that nothing inside closes it."""

_HEAD_LINES = 200
_HEAD_KEY = re.compile(r"(?:version|source_turn|metadata)\s*:")
"""What tells the head of an answer from words between two rules."""


class Titled(NamedTuple):
    """A line that names a file, from 0; its fence is looked for behind the line ``before``."""

    number: int
    kind: str
    words: str
    before: int


class _Body(NamedTuple):
    """Lines ``first`` to ``end`` of the bundle, from 0; the block goes on behind ``after``."""

    words: str
    first: int
    end: int
    after: int


def is_sign(line: str) -> bool:
    """Whether a line is the header of a file."""
    return _header_of(line) is not None


def _header_of(line: str) -> tuple[str, str] | None:
    """The kind of header that a line is, and what stands in it."""
    if "ile" not in line.lower():
        return None
    bare = line.strip()
    found = _HEADER.match(bare)
    words = before_dashes(bare[found.end() :], around="**") if found else None
    return (found[1].lower(), words) if found and words else None


def head_end(lines: Sequence[str], first: int) -> int | None:
    """The line that closes a frontmatter of answers, if one begins in a line; None for any other text."""
    if lines[first].rstrip() != "---":
        return None
    within = range(first + 1, min(len(lines), first + _HEAD_LINES))
    end = next((number for number in within if lines[number].rstrip() == "---"), None)
    is_head = end is not None and any(map(_HEAD_KEY.match, lines[first + 1 : end]))
    return end if is_head else None


def head_of(lines: Sequence[str], first: int, end: int) -> Header:
    """What a frontmatter says between these two lines.

    Raises:
        Refused: It is of another version, or cannot be read.
    """
    try:
        head = Reader([line.rstrip() for line in lines[first + 1 : end]], first + 2).read()
        version = supported(head["version"], line=first + 2) if "version" in head else ""
    except Malformed as refused:
        raise Refused(
            Refusal(reason=refused.why, line=refused.line), hint=refused.hint
        ) from refused
    return _header(head, version)


def _header(head: Head, version: str) -> Header:
    inner = head.get("metadata")
    table = inner if isinstance(inner, dict) else {}
    score = table.get("confidence_score")
    turn, agent = head.get("source_turn"), table.get("agent_name")
    return Header(
        version=version,
        source_turn="" if turn is None else str(turn),
        agent_name="" if agent is None else str(agent),
        confidence_score=_number(score),
    )


def _number(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return None


class Blocks:
    """Reads files that stand in fences, each below a line that names it."""

    def __init__(self, lines: Sequence[str], wish: Wish) -> None:
        """Nothing is read yet."""
        self.found = Found()
        self._lines, self._wish = lines, wish
        first = fence_of(next((line for line in lines if line.strip()), ""))
        self._is_wrapped = first is not None and titled_fence(first.words) is None
        self._last = max((number for number, line in enumerate(lines) if line.strip()), default=-1)

    def wrap(self, last: int) -> None:
        """Notes the line that closes the fence around what is read now."""
        self._is_wrapped, self._last = True, last

    def begins(self, number: int) -> bool:
        """Whether a line names a file."""
        return self.head_at(number) is not None

    def is_like_one(self, number: int) -> bool:
        """Whether a line is nearly the header of a file."""
        return _LIKE_ONE.match(self._lines[number].strip()) is not None

    def step(self, number: int) -> int:
        """Reads from a line outside of blocks on, and gives the next such line."""
        head = self.head_at(number)
        if head is None:
            return self._passed(number)
        self.found.begin()
        end = self._block(head)
        self.found.spans.append((number, end))
        return end

    def head_at(self, number: int) -> Titled | None:
        """The name of a file that a line is."""
        found = _header_of(self._lines[number])
        return None if found is None else Titled(number, *found, number)

    def _passed(self, number: int) -> int:
        """The line behind one that names no file."""
        line = self._lines[number]
        if _LIKE_ONE.match(line.strip()):
            self.found.begin()
            self._refuse("it looks like the header of a file, but is none", number)
            return self._after(number)
        if (fence := fence_of(line)) and fence.words.split(" ")[0].lower() in _DIFFS:
            self.found.begin()
            self._refuse("a diff without the header of a file", number)
            return self._after(number - 1)
        return number + 1

    def _block(self, head: Titled) -> int:
        name = named(head.words)
        at = Block(self.found.blocks, head.number + 1, 0, name, is_new=head.kind == "new file")
        try:
            if head.kind == "delete file":
                self.found.changes.append(Delete(block=at.block, line=at.line, path=name.path))
                return head.number + 1
            if head.kind == "rename file":
                return self._rename(head, at)
            return self._file(head, at)
        except BlockBroken as broken:
            path = broken.path or name.path
            self.found.refuse(BlockBroken(broken.reason, line=broken.line, path=path))
            return self._after(head.before)

    def _after(self, number: int) -> int:
        """Behind the fence of a block that was refused, so that its lines are not read as others."""
        fence_line = next_shown(self._lines, number + 1)
        fence = fence_of(self._lines[fence_line]) if fence_line < len(self._lines) else None
        if fence is None:
            return number + 1
        end = closing(self._lines, fence_line + 1, fence)
        return len(self._lines) if end is None else end + 1

    def _next_header(self, number: int) -> int:
        while number < len(self._lines) and self.head_at(number) is None:
            number += 1
        return number

    def _rename(self, head: Titled, at: Block) -> int:
        sides = _names(head.words)
        if sides is None:
            raise BlockBroken("a rename is spelled `old -> new`", line=at.line)
        old, new = sides
        self.found.changes.append(
            Rename(block=at.block, line=at.line, path=old.path, to=new.path, mode=new.mode)
        )
        body = self._body(head.number)
        if body is None:
            return head.number + 1
        self._add(at._replace(named=new._replace(mode=None), first=body.first + 1), body)
        return self._more(at._replace(named=new._replace(mode=None)), body.after)

    def _file(self, head: Titled, at: Block) -> int:
        body = self._body(head.before, is_page=at.named.path.lower().endswith(PROSE))
        if body is None:
            if at.named.mode is not None and not at.is_new:
                self.found.changes.append(
                    Edit(
                        block=at.block,
                        line=at.line,
                        path=at.named.path,
                        mode=at.named.mode,
                        hunks=(),
                    )
                )
                return head.number + 1
            raise BlockBroken("no fence follows the header", line=at.line)
        self._add(at._replace(first=body.first + 1), body)
        return self._more(at, body.after)

    def _more(self, at: Block, number: int) -> int:
        """Further diffs that stand right behind the first one."""
        while True:
            shown = next_shown(self._lines, number)
            fence = fence_of(self._lines[shown]) if shown < len(self._lines) else None
            if fence is None or fence.words.split(" ")[0].lower() not in _DIFFS:
                return number
            body = self._body(number - 1)
            if body is None:
                return number
            self._add(at._replace(first=body.first + 1), body)
            number = body.after

    def _add(self, at: Block, body: _Body) -> None:
        lines = self._inside(body)
        for each in fenced(at, body.words, lines[1:]):
            if isinstance(each, Request):
                self.found.requests.append(each)
            else:
                self.found.changes.append(_opened(each) if self._ends_open(body) else each)

    def _inside(self, body: _Body) -> Sequence[str]:
        """The lines of a fence with its first, without the blanks that stand before that."""
        lines = self._lines[body.first - 1 : body.end]
        return outdented(lines, len(lines[0]) - len(lines[0].lstrip(" ")))

    def _ends_open(self, body: _Body) -> bool:
        return body.after - 1 > body.end and self._lines[body.after - 1].strip() == NO_END

    def _body(self, number: int, *, is_page: bool = False) -> _Body | None:
        """The fence behind a line; None where something else follows.

        Raises:
            BlockBroken: It is not closed, or nobody can tell where it is.
        """
        opening = next_shown(self._lines, number + 1)
        fence = fence_of(self._lines[opening]) if opening < len(self._lines) else None
        if fence is None or (not fence.words and self._is_outer_end(opening)):
            return None
        first = opening + 1
        end = closing(self._lines, first, fence)
        if end is None:
            return self._cut(opening, fence)
        if self._is_unclear(end, fence, is_page=is_page):
            raise BlockBroken(
                "fences inside leave open where it ends; a longer fence around it would tell",
                line=opening + 1,
            )
        after = end + 1
        if after < len(self._lines) and self._lines[after].strip() == NO_END:
            after += 1
        return _Body(fence.words, first, end, after)

    def _cut(self, opening: int, fence: Fence) -> _Body:
        if not self._wish.allow_truncated:
            raise BlockBroken(
                "the block is cut off: its fence is not closed, and nothing behind it is read",
                line=opening + 1,
            )
        end = self._next_header(opening + 1)
        return _Body(fence.words, opening + 1, end, end)

    def _is_unclear(self, end: int, fence: Fence, *, is_page: bool) -> bool:
        """Whether a later fence, up to the next header, may be the one that closes.

        In a page of Markdown any may; elsewhere one that would otherwise close nothing, or any where
        text goes on right behind the first, as it does behind a fence within the file.
        """
        stop = self._next_header(end + 1)
        rest = self._lines[end + 1 : stop]
        fences = [end + 1 + number for number, line in enumerate(rest) if fence_of(line)]
        is_last = fences == [self._last] or (stop == len(self._lines) and len(fences) == 1)
        is_outer = self._is_wrapped and is_last
        if not fences or is_outer or len(fence.mark) > _SHORTEST:
            return False
        next_fence = fence_of(rest[0])
        goes_on = rest[0].strip() not in {"", NO_END} and not (next_fence and next_fence.words)
        return is_page or goes_on or is_left_open(rest)

    def _is_outer_end(self, number: int) -> bool:
        """Whether a bare fence closes the one around the whole bundle."""
        return self._is_wrapped and number == self._last

    def _refuse(self, why: str, number: int) -> None:
        self.found.refuse(BlockBroken(why, line=number + 1))


def _names(words: str) -> tuple[Named, Named] | None:
    """Both names of a rename; in quotes they may hold an arrow."""
    for arrow in _ARROWS:
        words = words.replace(arrow, _ARROWS[0])
    if words.startswith('"'):
        end = _quote_end(words)
        old, rest = words[:end], words[end:]
        if not rest.startswith(_ARROWS[0]):
            return None
        return named(old), named(rest.removeprefix(_ARROWS[0]))
    old, arrow, new = words.partition(_ARROWS[0])
    if not arrow or (_ARROWS[0] in new and not new.startswith('"')):
        return None
    return named(old), named(new)


def _quote_end(words: str) -> int:
    try:
        return json.JSONDecoder().raw_decode(words)[1]
    except ValueError:
        return 0


def _opened(change: Change) -> Change:
    """The same, ending without a line end."""
    match change:
        case Whole():
            return replace(change, is_open=True)
        case Edit(hunks=hunks) if hunks:
            return replace(change, hunks=(*hunks[:-1], replace(hunks[-1], new_open=True)))
        case _:
            return change
