"""Which lines of an answer are blocks: the outermost container owns its lines, and all in it is text. Pure.

An answer is read once, from its first line on. Whatever begins first, be it a block of any dialect, a fence that names
a file, an example, or a draft, goes on to its own end, and nothing in it is looked at for other blocks. A fence
without a name is open only where a block stands right at its beginning.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from ouroboros.workspace.artifacts.dogs.change import Dialect, Header, Refusal, Rename
from ouroboros.workspace.artifacts.dogs.readers.diffs import DiffBlocks
from ouroboros.workspace.artifacts.dogs.readers.listings import ListingBlocks
from ouroboros.workspace.artifacts.dogs.readers.markdown import Blocks, Titled, head_end, head_of
from ouroboros.workspace.artifacts.dogs.readers.markers import MarkerBlocks
from ouroboros.workspace.artifacts.dogs.readers.page import Found, Wish, next_shown
from ouroboros.workspace.artifacts.dogs.readers.patches import PatchBlocks
from ouroboros.workspace.artifacts.dogs.readers.search import SearchBlocks
from ouroboros.workspace.artifacts.dogs.readers.sought import HEAD, TAIL
from ouroboros.workspace.artifacts.dogs.readers.tags import ElementBlocks
from ouroboros.workspace.artifacts.dogs.readers.titles import titled, titled_fence
from ouroboros.workspace.artifacts.drafts import LOOKED, draft_end, ends_draft, opens_draft
from ouroboros.workspace.artifacts.fenced import (
    Fence,
    closing,
    fence_of,
    outdented,
    unwrapped,
)

MARKED: tuple[Dialect, ...] = ("v1", "paws", "search", "diff", "v4a", "xml")
"""Each of their blocks says what it is."""

_DEEPEST = 4
"""So many fences around a block are looked through."""

_AHEAD = 8
_RESTARTS = 8
_LONGEST = 1_000
_ABOVE = 3
_WRAPPERS = frozenset({
    "",
    "markdown",
    "md",
    "text",
    "txt",
    "diff",
    "patch",
    "xml",
    "html",
    "plaintext",
})
_DIFFS = frozenset({"diff", "patch", "udiff"})
_PAGES = (".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc")
_EXAMPLE = re.compile(
    r"\bfor (?:example|instance)\W*$|^\W*(?:(?:(?:here|this)(?:'s| is) )?(?:an? |the )?(?:\w+ )?examples?"
    r"(?: of (?:an?|the|this|that|each|every) (?:\w+ )?(?:answer|block|bundle|dialect|diff|format|notation|patch|reply|syntax))?)\W*$|"
    r"\b(?:format|syntax|dialect|notation)\b.{0,60}?\b(?:looks?\b|(?:is|are|reads?)(?: (?:this|so|as follows|like this))?\W*$)|"
    r"\b(?:an?|each|every|any) (?:\w+ )?(?:patch|block|diff|answer|reply|change|bundle)\b.{0,40}\blooks? like\b",
    re.IGNORECASE,
)
"""An introduction that says of what follows that it is an example."""

_PERHAPS = re.compile(
    r"\b(?:for (?:example|instance)|examples?|such as|similar to|something like|hypothetical(?:ly)?|sample|"
    r"(?:would|could|might|may|can) look|(?:it|they|these|that|this) looks? like)\b",
    re.IGNORECASE,
)
"""One that leaves it open."""

_SENTENCE = re.compile(r"(?<=[.!?])[*_)\"']*\s+")


def _introduction(words: str) -> str:
    """The last sentence above a fence where it leads over to it; what ends before it speaks of something else."""
    text = re.sub(r"\be\.\s?g\.", "for example", words, flags=re.IGNORECASE)
    last = _SENTENCE.split(text)[-1]
    return "" if re.search(r"[.!?][*_)\"']*$", last) else last


_REMARK = re.compile(r"^\s*(?://|/\*|<!--|#|--|;|\*)")
_LEAD = re.compile(
    r"^(?:</?[\w!?-]{1,40}[^<>]{0,200}>|Index: |={5,}$|index |diff |From [0-9a-f]{7,40}\b|# (?:Cats|Dogs) Bundle|"
    r"(?:apply_patch|applypatch|git apply|patch|cat)\b.{0,80}<<|---$|[\w-]{1,40}:(?: .*)?$|  )"
)


class BlockReader(Protocol):
    """Reads the blocks of one dialect, each from its first line on."""

    found: Found

    def begins(self, number: int) -> bool:
        """Whether a block begins in a line."""
        ...

    def step(self, at: int, /) -> int:
        """Reads the block that begins in a line, and gives the line behind it."""
        ...


class AnswerReader:
    """Reads an answer from its first line to its last.

    Attributes:
        spans: The lines of all outermost containers, from 0, the end excluded.
        header: What the head at the very beginning says.
        refusals: What nobody can tell to be a change or a text.
    """

    def __init__(self, lines: Sequence[str], wish: Wish, *, is_listing: bool = False) -> None:
        """Nothing is read yet; ``is_listing`` where a fence with a name is known to be that file."""
        self.page = list(lines)
        self.header = Header()
        self.refusals: list[Refusal] = []
        self.notes: list[str] = []
        self._wish, self._is_listing = wish, is_listing
        self._restarts = 0
        # Bounds what is looked at ahead of its turn, so that a long answer takes no longer than its size.
        self._ahead = _AHEAD * (len(lines) + 100)
        self._drafts_ahead = LOOKED * (len(lines) + 100)
        self._restart(0)

    def _restart(self, at: int) -> None:
        """Forgets what was found before a line, which was a draft."""
        self.spans: list[tuple[int, int]] = [(0, at)] if at else []
        self.refusals.clear()
        self.headers = Blocks(self.page, self._wish)
        self.markers = MarkerBlocks(self.page, self._wish)
        self.listings = ListingBlocks(self.page, self._wish, is_sure=self._is_listing)
        self._search = SearchBlocks(self.page, self._wish)
        self._diffs = DiffBlocks(self.page, self._wish)
        self.readers: Mapping[Dialect, BlockReader] = {
            "v1": self.headers,
            "paws": self.markers,
            "search": self._search,
            "diff": self._diffs,
            "v4a": PatchBlocks(self.page, self._wish),
            "xml": ElementBlocks(self.page, self._wish),
        }
        self._is_first = True
        self._is_tangled = False
        self._owed: Fence | None = None

    def read(self) -> None:
        """Reads all of it.

        Raises:
            Refused: Its head is of another version, or cannot be read.
        """
        at = self._leading_drafts()
        around = unwrapped(self.page[at:])
        if around is not None and self._wraps_all(around[0]):
            at = self._inside(at + around[1], around[0], at + around[2], 1)
        while at < len(self.page):
            at = self._step(at, 0)
        self.markers.tell_left()

    def blocks(self, dialect: Dialect) -> Found:
        """What was found of one dialect."""
        return self.listings.found if dialect == "whole" else self.readers[dialect].found

    def _leading_drafts(self) -> int:
        at = next_shown(self.page, 0)
        while at < len(self.page) and opens_draft(self.page[at]):
            at = next_shown(self.page, self._draft(at))
        if at and at < len(self.page):
            spans, refusals = self.spans, list(self.refusals)
            self._restart(0)
            self.spans, self.refusals = spans, refusals
        return at

    def _wraps_all(self, fence: Fence) -> bool:
        return titled_fence(fence.words) is None and fence.words.lower() in _WRAPPERS

    def _inside(self, at: int, fence: Fence, end: int | None, depth: int) -> int:
        """Reads what stands in a fence, and gives the line behind it."""
        around, self._diffs.opening = self._diffs.opening, fence
        if end is not None:
            self.headers.wrap(end)
        stop = len(self.page) if end is None else end
        while at < stop:
            at = self._step(at, depth)
        self._diffs.opening = around
        if end is None or at == end:
            return min(stop + 1, len(self.page))
        # A block in it went on: the fence that is still to come closes this one.
        self._owed = fence
        return at

    def _own(self, first: int, end: int) -> int:
        self.spans.append((first, end))
        self._search.floor = end
        return end

    def _step(self, at: int, depth: int) -> int:
        """Reads from a line outside of containers on, and gives the next such line."""
        line = self.page[at]
        if not line.strip():
            return at + 1
        is_first, self._is_first = self._is_first, False
        if opens_draft(line):
            self._is_first = is_first
            return self._draft(at)
        if (rest := ends_draft(line)) is not None:
            return self._drafted(at, rest)
        if (
            line[0] == "-"
            and (end := head_end(self.page, at))
            and self._is_head(at, end, is_first=is_first)
        ):
            self.header = head_of(self.page, at, end)
            return self._own(at, end + 1)
        if line[0] == " ":
            self._outdent(at)
        below = next_shown(self.page, at + 1)
        if below < len(self.page) and self.page[below].startswith("    "):
            self._outdent(below, is_fence=True)
        for reader in self.readers.values():
            if reader.begins(at):
                end = reader.step(at)
                first = reader.found.spans[-1][0] if reader.found.spans else at
                return self._own(min(first, at), end)
        return self._other(at, depth)

    def _is_head(self, at: int, end: int, *, is_first: bool) -> bool:
        """Whether a frontmatter is that of the answer: its very beginning, or right above the header of a file."""
        after = next_shown(self.page, end + 1)
        is_above = after < len(self.page) and self.headers.begins(after)
        return is_first or (
            is_above and not any(reader.found.spans for reader in self.readers.values())
        )

    def _other(self, at: int, depth: int) -> int:
        """Reads a line that begins no block of a marked dialect: a fence, the name of one, or prose."""
        line = self.page[at]
        head = self.listings.head_at(at)
        opening = at
        if head is not None and fence_of(line) is None:
            opening = next_shown(self.page, at + 1)
        fence = fence_of(self.page[opening])
        if fence is None:
            return self._near_miss(at)
        if self._owed is not None and head is None and fence.closes(self._owed):
            self._owed = None
            return at + 1
        end = closing(self.page, opening + 1, fence)
        if head is not None:
            return self._named(head, opening, fence, end, depth)
        return self._unnamed(at, fence, end, depth)

    def _near_miss(self, at: int) -> int:
        if self.markers.is_like_one(at):
            return self.markers.step(at)
        if self.headers.is_like_one(at):
            return self.headers.step(at)
        return at + 1

    def _named(self, head: Titled, opening: int, fence: Fence, end: int | None, depth: int) -> int:
        """A fence with the name of a file: its text, or changes of that file and no other."""
        if depth < _DEEPEST and not self._is_listing:
            path = self.listings.title_of(head).path
            is_within = head.before < head.number
            if self._is_sought(opening + 1, fence, path) or self._is_about(
                path, opening, fence, end, is_within=is_within
            ):
                return self._inside(opening + 1, fence, end, depth + 1)
        return self._own(head.number, self.listings.step(head.number))

    def _is_sought(self, first: int, fence: Fence, path: str) -> bool:
        """Whether nothing but SEARCH blocks of this file stands in a fence."""
        at = next_shown(self.page, first)
        if at < len(self.page) and self._names(at, path):
            at = next_shown(self.page, at + 1)
        count = 0
        while at < len(self.page) and HEAD.match(self.page[at]):
            end = next((n for n in range(at, len(self.page)) if TAIL.match(self.page[n])), None)
            if end is None:
                return True  # cut off, which the reader of these blocks tells
            at, count = next_shown(self.page, end + 1), count + 1
            if at < len(self.page) and self._names(at, path):
                at = next_shown(self.page, at + 1)
        if not count or at == len(self.page):
            return count > 0
        after = fence_of(self.page[at])
        return after is not None and after.closes(fence)

    def _names(self, at: int, path: str) -> bool:
        """Whether a line is nothing but the name of a file, perhaps as a comment."""
        line = self.page[at].strip()
        if len(line) > _LONGEST:
            return False
        found = titled(line) or titled(
            re.sub(r"^(?://|/\*|<!--|#|--|;)\s*|\s*(?:\*/|-->)$", "", line)
        )
        return found is not None and found.path == path

    def _is_about(
        self, path: str, opening: int, fence: Fence, end: int | None, *, is_within: bool
    ) -> bool:
        """Whether a fence holds nothing but blocks, of another dialect, that change the file it is named for."""
        kind = fence.words.partition(":")[0].partition(" ")[0].lower()
        stop = len(self.page) if end is None else end
        at = next_shown(self.page, opening + 1)
        if at < stop and self._names(at, path):
            at = next_shown(self.page, at + 1)
        if at >= stop or not any(reader.begins(at) for reader in self.readers.values()):
            return False
        if is_within and (kind in _DIFFS or path.lower().endswith(_PAGES)):
            return False
        trial = AnswerReader(self.page[at:stop], self._wish)
        trial._diffs.opening = fence
        number = 0
        paths: set[str] = set()
        while number < len(trial.page):
            if not trial.page[number].strip():
                number += 1
                continue
            reader = next((each for each in trial.readers.values() if each.begins(number)), None)
            if reader is None:
                return False
            number = reader.step(number)
        for reader in trial.readers.values():
            for each in (*reader.found.changes, *reader.found.refusals):
                paths |= {each.path, each.to} if isinstance(each, Rename) else {each.path}
        return paths == {path}

    def _unnamed(self, at: int, fence: Fence, end: int | None, depth: int) -> int:
        """A fence without a name: open to what stands right at its beginning, a text otherwise."""
        stop = len(self.page) if end is None else end
        sign = self._sign(at + 1, stop)
        if sign is None:
            return self._plain(at, fence, end)
        words = _introduction(self._words_above(at))
        if _EXAMPLE.search(words):
            self.notes.append(
                f"line {at + 1}: a fence is an example, as the words above say, and was passed over"
            )
            return self._own(at, min(stop + 1, len(self.page)))
        if _PERHAPS.search(words):
            why = "the words above leave open whether this fence is a change or an example"
        elif depth >= _DEEPEST or not self._leads_to(at + 1, sign):
            why = f"line {sign + 1} looks like a change, but stands within the text of a fence that names no file"
        else:
            return self._inside(at + 1, fence, end, depth + 1)
        self.refusals.append(Refusal(reason=why, line=at + 1))
        return self._own(at, min(stop + 1, len(self.page)))

    def _plain(self, at: int, fence: Fence, end: int | None) -> int:
        if fence.words.partition(" ")[0].lower() in _DIFFS and end is not None:
            self.headers.step(at)
            return end + 1
        return self.listings.step(at)

    def _sign(self, first: int, stop: int) -> int | None:
        """The first line in which a block begins."""
        readers = self.readers.values()
        return next(
            (n for n in range(first, stop) if any(each.begins(n) for each in readers)), None
        )

    def _leads_to(self, first: int, sign: int) -> bool:
        """Whether what stands before the first block of a fence belongs to it: names, remarks, tags, a head."""
        last = sign - 1
        while last >= first and not self.page[last].strip():
            last -= 1
        for number in range(first, sign):
            line = self.page[number].strip()
            if (
                not line
                or self.listings.head_at(number)
                or fence_of(line)
                or titled(line[:_LONGEST])
            ):
                continue
            is_remark = number == last and _REMARK.match(line) is not None
            if not is_remark and _LEAD.match(self.page[number][:_LONGEST]) is None:
                return False
        return True

    def _words_above(self, at: int) -> str:
        """The paragraph right above a line, as far as it stands outside of containers."""
        above = at - 1
        while above >= self._search.floor and not self.page[above].strip():
            above -= 1
        words: list[str] = []
        while above >= self._search.floor and len(words) < _ABOVE:
            line = self.page[above].strip()
            if not line or fence_of(line) is not None:
                break
            words.insert(0, line[:_LONGEST])
            above -= 1
        return " ".join(words)

    def _outdent(self, at: int, *, is_fence: bool = False) -> None:
        """Takes the blanks of a list off a container all of whose lines have them."""
        line = self.page[at]
        width = len(line) - len(line.lstrip(" "))
        bare = line[width:]
        if not width or self._ahead < 0:
            return
        stop, blanks = at + 1, " " * width
        while stop < len(self.page) and (
            self.page[stop].startswith(blanks) or not self.page[stop].strip()
        ):
            stop += 1
        self._ahead -= stop - at
        lines = outdented(self.page[at:stop], width)
        fence = fence_of(bare)
        if fence is not None:
            end = closing(lines, 1, fence)
            stop = at if end is None else at + end + 1
        elif is_fence or not any(reader.begins(at) for reader in self.readers.values()):
            return
        self.page[at:stop] = lines[: stop - at]

    def _draft(self, at: int) -> int:
        """Passes over a draft, and gives the line in which the answer goes on."""
        is_clear = self._drafts_ahead > 0
        end = draft_end(self.page, at, through_fences=is_clear)
        self._drafts_ahead -= end.looked if end else 0
        name = opens_draft(self.page[at])
        stop = len(self.page) if end is None else end.number
        sign = self._sign(at, stop)
        if end is None:
            if sign is not None or any(self.listings.head_at(n) for n in range(at, stop)):
                why = f"this <{name}> is not closed, so nobody can tell the answer from the draft"
                self.refusals.append(Refusal(reason=why, line=at + 1))
            return self._own(at, stop)
        if not is_clear and not self._is_tangled:
            self._is_tangled = True
            why = "the drafts and fences up to here are so tangled that nobody can tell the answer from them"
            self.refusals.append(Refusal(reason=why, line=at + 1))
        if sign is not None:
            self.notes.append(f"line {at + 1}: changes in a draft (<{name}>) were passed over")
        return self._go_on(at, end.number, end.rest)

    def _go_on(self, first: int, number: int, rest: str) -> int:
        """What stands behind an end tag is the next line."""
        if not rest.strip():
            return self._own(first, number + 1)
        self.page[number] = rest.lstrip()
        return self._own(first, number)

    def _drafted(self, at: int, rest: str) -> int:
        """An end tag alone: what stands before it is a draft, as templates put its beginning into the question."""
        begun = [reader for reader in (*self.readers.values(), self.listings) if reader.found.spans]
        if not begun and not self.refusals:
            return self._go_on(at, at, rest)
        self._restarts += 1
        if self._restarts > _RESTARTS:
            return at + 1
        goes_on = self._sign(at, len(self.page)) is not None or any(
            self.listings.head_at(n) for n in range(at, len(self.page))
        )
        if not goes_on or self._restarts == _RESTARTS:
            why = (
                "all changes stand above this end of a draft, so nobody can tell whether they count"
            )
            self.refusals.append(Refusal(reason=why, line=at + 1))
            return at + 1
        self._restart(at)
        self.notes.append(f"line {at + 1}: what stands above the end of a draft was passed over")
        return self._go_on(0, at, rest)
