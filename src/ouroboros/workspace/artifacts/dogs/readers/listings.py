"""Whole files in fences, named by the line above or by the fence itself, as aider and chat windows have them. Pure.

Nothing says here that a fence is all of a file, and not a part of it or an example. So unless the person says
what it is, whatever leaves that open is refused, and the files themselves are asked later (``is_guess``).
"""

import re
from collections.abc import Sequence
from typing import override

from msgspec.structs import replace

from ouroboros.workspace.artifacts.dogs.change import Whole
from ouroboros.workspace.artifacts.dogs.readers.bodies import Block
from ouroboros.workspace.artifacts.dogs.readers.markdown import Blocks, Titled
from ouroboros.workspace.artifacts.dogs.readers.page import BlockBroken, Wish, next_shown, quoted
from ouroboros.workspace.artifacts.dogs.readers.titles import Title, titled, titled_fence
from ouroboros.workspace.artifacts.fenced import closing, fence_of

SURE = "'--- File: PATH ---' above it, or --format whole, would say so"

_BELOW = 2
"""So far below its name a fence may begin: one blank line is let pass."""

_INTRODUCED = 3
_LONGEST = 1_000
_NEW = re.compile(r"(?:new(?: file)?|created?)", re.IGNORECASE)
_NOT_ALL = re.compile(
    r"\b(?:lines?|parts?|portions?|sections?|delet\w*|remov\w*|old|before|diff|changes|optional|numbered|outline|encoding|eol)\b|\.\.\.|\u2026",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?:examples?|e\.g|for instance|such as|something like|similar to|looks? like|currently|"
    r"current (?:code|version|state|file)|original|existing|excerpts?|snippets?|fragments?|samples?|usage|"
    r"hypothetical|sketch|pseudo|could be|might be|old version|previous|relevant (?:parts?|lines|section)|"
    r"only the|just the|partial(?:ly)?)\b|^\W*before\b",
    re.IGNORECASE,
)
_SHELLS = frozenset({
    "bash",
    "sh",
    "shell",
    "zsh",
    "console",
    "shell-session",
    "powershell",
    "cmd",
    "bat",
    "output",
    "terminal",
})
_SCRIPTS = frozenset({"sh", "bash", "zsh", "fish", "ps1", "bat", "cmd"})
_REMARKED = re.compile(r"^(?://|/\*|<!--|#|--|;)\s*(\S+?)\s*(?:\*/|-->)?$")
_NAMED = re.compile(r"`([^`]+)`")


class ListingBlocks(Blocks):
    """Reads files in fences; where nothing is known of an answer (not ``is_sure``) they are ``is_guess``."""

    def __init__(self, lines: Sequence[str], wish: Wish, *, is_sure: bool) -> None:
        """Nothing is read yet."""
        super().__init__(lines, wish)
        self._is_sure = is_sure
        self._titles: dict[int, Title] = {}

    @override
    def step(self, number: int) -> int:
        """Reads from a line outside of blocks on, and gives the next such line."""
        before = len(self.found.changes)
        end = super().step(number)
        if not self._is_sure:
            self.found.changes[before:] = [
                replace(each, is_guess=True) if isinstance(each, Whole) else each
                for each in self.found.changes[before:]
            ]
        return end

    def title_of(self, head: Titled) -> Title:
        """The name that stands in a line, with its remark."""
        return self._titles[head.number]

    @override
    def head_at(self, number: int) -> Titled | None:
        line = self._lines[number]
        fence = fence_of(line)
        if fence is not None:
            title, before = titled_fence(fence.words), number - 1
        else:
            title, before = self._above_fence(number), number
        if title is None:
            return None
        self._titles[number] = title
        kind = "new file" if _NEW.fullmatch(title.remark) else "file"
        return Titled(number, kind, quoted(title.path), before)

    def _above_fence(self, number: int) -> Title | None:
        if not self._lines[number].strip():
            return None
        opening = next_shown(self._lines, number + 1)
        if opening >= len(self._lines) or opening > number + _BELOW:
            return None
        if fence_of(self._lines[opening]) is None:
            return None
        return titled(self._lines[number], is_sure=self._is_sure)

    @override
    def _file(self, head: Titled, at: Block) -> int:
        title = self._titles[head.number]
        opening = next_shown(self._lines, head.before + 1)
        fence = fence_of(self._lines[opening])
        words = fence.words if fence else ""
        inner = titled_fence(words)
        if inner is not None and inner.path != title.path:
            self._doubt(
                f"the line above its fence names another file than the fence, {inner.path!r}", head
            )
        if _NOT_ALL.search(title.remark) or _PART.search(title.remark):
            self._doubt(f"{title.remark!r} leaves open whether it is all of the file", head)
        if not self._is_sure:
            self._judge(head, title, _language(words), opening)
        return super()._file(head, at)

    def _judge(self, head: Titled, title: Title, language: str, opening: int) -> None:
        """Refuses what is as likely to be something else than the file."""
        if language in _SHELLS and title.path.rpartition(".")[2].lower() not in _SCRIPTS:
            self._doubt(
                f"a fence of {language!r} may be a command rather than the file; {SURE}", head
            )
        if words := self._introduced(head.number):
            self._doubt(
                f"{words!r} in the words above leaves open whether it is the file; {SURE}", head
            )
        following = next_shown(self._lines, opening + 1)
        bare = fence_of(self._lines[following]) if following < len(self._lines) else None
        fence = fence_of(self._lines[opening])
        if fence is not None and bare is not None and bare.closes(fence):
            self._doubt(f"its fence is empty; {SURE}", head)

    def _introduced(self, number: int) -> str:
        """The words right above a name that tell of a part or an example; empty for none."""
        above = number - 1
        while above >= 0 and not self._lines[above].strip():
            above -= 1
        for at in range(above, max(-1, above - _INTRODUCED), -1):
            line = self._lines[at].strip()
            if not line or fence_of(line) is not None:
                break
            is_introduction = above == number - 1 or self._lines[above].rstrip("* ").endswith(":")
            is_heading = line.startswith("#") or (line.startswith("**") and line.endswith("**"))
            if (is_introduction or is_heading) and (found := _PART.search(line)):
                return found[0].strip()
        return ""

    def _doubt(self, why: str, head: Titled) -> None:
        raise BlockBroken(why, line=head.number + 1)

    @override
    def _next_header(self, number: int) -> int:
        """The next name outside of fences: what stands in one, such as a tree of files, names nothing."""
        while number < len(self._lines) and self.head_at(number) is None:
            fence = fence_of(self._lines[number])
            end = closing(self._lines, number + 1, fence) if fence else number
            if end is None:
                return len(self._lines)
            number = end + 1
        return number

    @override
    def _passed(self, number: int) -> int:
        fence = fence_of(self._lines[number])
        if fence is None:
            return number + 1
        end = closing(self._lines, number + 1, fence)
        if end is None:
            self._left_open(number)
            return len(self._lines)
        if _language(fence.words) not in _SHELLS:
            self._tell_of(number)
        return end + 1

    def _left_open(self, number: int) -> None:
        rest = range(number + 1, len(self._lines))
        if fence_of(self._lines[number]) and any(self.head_at(each) for each in rest):
            self.found.begin()
            why = "this fence is not closed, so nobody can tell which files stand behind it"
            self.found.refuse(BlockBroken(why, line=number + 1))

    def _tell_of(self, number: int) -> None:
        """Notes a fence that is passed over, although the line above or its first speaks of a file."""
        first = self._lines[number + 1] if number + 1 < len(self._lines) else ""
        comment = _REMARKED.match(first) if len(first) <= _LONGEST else None
        if comment and titled(comment[1]):
            self.found.notes.append(
                f"line {number + 1}: a fence whose first line names {comment[1]!r} was passed over;"
                " a line above it with nothing but the name would make it the file"
            )
            return
        above = number - 1
        while above >= 0 and not self._lines[above].strip():
            above -= 1
        said = self._lines[above] if above >= 0 else ""
        for name in _NAMED.findall(said) if len(said) <= _LONGEST else ():
            if titled(f"`{name}`"):
                self.found.notes.append(
                    f"line {number + 1}: a fence below words about {name!r} was passed over;"
                    " a line with nothing but the name would make it the file"
                )
                return


def _language(words: str) -> str:
    return words.partition(":")[0].partition(" ")[0].lower()
