"""Unified diffs, git's and plain ones. Pure."""

import re
from collections.abc import Sequence

from ouroboros.workspace.artifacts.dogs.change import Change, Delete, Edit, Hunk, Rename, Whole
from ouroboros.workspace.artifacts.dogs.readers.hunks import HEADER, Gathered
from ouroboros.workspace.artifacts.dogs.readers.page import BlockBroken, Found, Wish
from ouroboros.workspace.artifacts.fenced import Fence, fence_of

_GIT = "diff --git "
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)")
_LETTERS = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11}
_NOTHING = "/dev/null"
_STAMP = re.compile(r"(?<!\s)\s{2,}\d{4}-\d\d-\d\d .*$")
_HEADS = ("index ", "similarity index ", "dissimilarity index ", "Only in ")


class _File:
    """One file of a diff, as far as its lines have come in."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.old = self.new = ""
        self.git: tuple[str, str] | None = None
        self.moved: dict[str, str] = {}
        self.mode: int | None = None
        self.is_new = self.is_gone = self.is_ended = self.is_open = False
        self.hunks: list[Gathered] = []

    def names(self) -> tuple[str, str]:
        """The path before and after; ``/dev/null`` where there is none."""
        old, new = self.old, self.new
        if not (old or new):
            old, new = self.git or ("", "")
            old = _NOTHING if self.is_new else old
            new = _NOTHING if self.is_gone else new
        has_letters = self.git is None or self.git[0].startswith("a/")
        if has_letters and _is(old, "a/") and _is(new, "b/"):
            old, new = old.removeprefix("a/"), new.removeprefix("b/")
        return self.moved.get("from", old), self.moved.get("to", new)


def _is(name: str, letter: str) -> bool:
    return name == _NOTHING or name.startswith(letter)


def is_sign(lines: Sequence[str], number: int) -> bool:
    """Whether a file begins in a line: git's own line, or old and new name and a hunk."""
    return _begins(lines[number : number + 3])


def _begins(lines: Sequence[str]) -> bool:
    first = lines[0]
    if first.startswith(_GIT):
        return True
    return (
        first.startswith("--- ")
        and len(lines) > 2
        and lines[1].startswith("+++ ")
        and HEADER.match(lines[2]) is not None
    )


class DiffBlocks:
    """Reads file by file; one whose hunks are shorter than they say is cut off."""

    def __init__(self, lines: Sequence[str], wish: Wish) -> None:
        """Nothing is read yet."""
        self.found = Found()
        self.opening: Fence | None = None
        self._lines, self._wish = lines, wish

    def begins(self, number: int) -> bool:
        """Whether a file begins in a line."""
        return is_sign(self._lines, number)

    def step(self, at: int) -> int:
        """Reads the file that begins in a line of the fence ``opening``, and gives the line behind it."""
        found = self.found
        found.begin()
        reader = _Reader(self._lines, at, self.opening)
        try:
            reader.read()
            found.changes += _changes(reader.file, found.blocks, self._wish)
        except BlockBroken as broken:
            _, new = reader.file.names()
            found.refuse(BlockBroken(broken.reason, line=broken.line, path=new))
        end = max(reader.at, at + 1)
        found.spans.append((at, end))
        return end


class _Reader:
    """Reads one file; in a fence the end is known, and the counts of hunks may be wrong."""

    def __init__(self, lines: Sequence[str], start: int, opening: Fence | None) -> None:
        self.at = start
        self.file = _File(start)
        self._lines, self._opening = lines, opening

    def read(self) -> None:
        """From the first line of a file to behind its last; raises ``BlockBroken``."""
        self._heads()
        while self.at < len(self._lines):
            line = self._lines[self.at].removesuffix("\r")
            head = HEADER.match(line)
            if head is not None:
                self.file.hunks.append(Gathered(self.at + 1, head))
            elif self.file.hunks and self._takes(self.file.hunks[-1], line):
                self.file.hunks[-1].add(line, self.at + 1)
            else:
                break
            self.at += 1
        self.file.is_ended = self._is_ended()

    def _is_ended(self) -> bool:
        """Whether what follows ends the file for sure.

        Raises:
            BlockBroken: It is in the middle of a hunk.
        """
        hunk = self.file.hunks[-1] if self.file.hunks else None
        if self.at == len(self._lines):
            # The end of an answer may be in the middle of a line: the fence would tell.
            self.file.is_open = hunk is not None and self._opening is not None
            return hunk is not None and not hunk.is_counted
        fence = fence_of(self._lines[self.at])
        if is_sign(self._lines, self.at) or (
            fence is not None and self._opening is not None and fence.closes(self._opening)
        ):
            return True
        if hunk is not None and self._opening is not None and not hunk.is_full:
            raise BlockBroken("a line of a diff begins with a blank, - or +", line=self.at + 1)
        return hunk is not None and not hunk.is_counted

    def _takes(self, hunk: Gathered, line: str) -> bool:
        """Whether a line is one of the hunk: as long as its header says, or as lines look like it."""
        if line.startswith("\\"):
            return True
        if line[:1] not in {"", " ", "+", "-", "\t"}:
            return False
        is_last_pair = hunk.is_counted and hunk.left == [1, 1]
        if is_sign(self._lines, self.at) and not is_last_pair:
            return False
        if not hunk.is_full or self._opening is not None:
            return True
        after = self.at
        while after < len(self._lines) and self._lines[after].startswith(" "):
            after += 1
        last = self._lines[after] if after < len(self._lines) else ""
        if last[:1] in {"+", "-"} and last.rstrip() != "--" and not is_sign(self._lines, after):
            raise BlockBroken("the hunk has more lines than it says", line=self.at + 1)
        return False

    def _heads(self) -> None:
        while self.at < len(self._lines):
            line = self._lines[self.at].removesuffix("\r")
            if line.startswith("diff --git ") and self.at > self.file.start:
                return
            if line.startswith("--- ") and not is_sign(self._lines, self.at):
                return
            if not self._head(line):
                return
            self.at += 1
            if line.startswith("+++ "):
                return

    def _head(self, line: str) -> bool:
        file = self.file
        if line.startswith(_GIT):
            file.git = _git_names(line.removeprefix(_GIT))
            return True
        word, _, rest = line.partition(" ")
        if word in {"---", "+++"}:
            if word == "---":
                file.old = _name(rest)
            else:
                file.new = _name(rest)
            return True
        if line.startswith(("Binary files ", "GIT binary patch", "copy from ")):
            raise BlockBroken(
                f"{line.split(' ')[0].lower()} changes are not told by a diff that can be applied; "
                "a base64 block can hold the file",
                line=self.at + 1,
            )
        return self._more(line) or line.startswith(_HEADS)

    def _more(self, line: str) -> bool:
        file = self.file
        if found := re.match(r"^(new file|deleted file|old|new) mode (\d{6})$", line):
            file.is_new |= found[1] == "new file"
            file.is_gone |= found[1] == "deleted file"
            kind = int(found[2], 8)
            if kind >> 12 != 0o10:
                raise BlockBroken("it is about a link or a submodule", line=self.at + 1)
            if found[1] in {"new", "new file"}:
                file.mode = kind & 0o777
            return True
        if found := re.match(r"^rename (from|to) (.+)$", line):
            file.moved[found[1]] = _name(found[2])
            return True
        return False


def _git_names(words: str) -> tuple[str, str]:
    """Both names behind ``diff --git``, which are mostly the same but for their first letter."""
    words = words.strip()
    half = len(words) // 2
    one, other = words[:half], words[half + 1 :]
    if one.partition("/")[2] == other.partition("/")[2] and words[half : half + 1] == " ":
        return _name(one), _name(other)
    one, _, other = words.partition(" ")
    return _name(one), _name(other)


def _name(words: str) -> str:
    """A name as a diff spells it, without a time behind it."""
    words = words.rstrip()
    if words.startswith('"') and (end := words.rfind('"')) > 0:
        raw = bytearray()
        inner, last = words[1:end], 0
        for found in _ESCAPE.finditer(inner):
            raw += inner[last : found.start()].encode()
            said = found[1]
            code = int(said, 8) & 0xFF if said[0].isdigit() else _LETTERS.get(said, ord(said[0]))
            raw += bytes([code]) if code < 256 else said.encode()
            last = found.end()
        raw += inner[last:].encode()
        return raw.decode("utf-8", "surrogateescape")
    return _STAMP.sub("", words.partition("\t")[0])


def _changes(file: _File, block: int, wish: Wish) -> list[Change]:
    last = file.hunks[-1] if file.hunks else None
    is_short = last is not None and not last.is_full and not file.is_ended
    if last is not None and (is_short or file.is_open) and not wish.allow_truncated:
        why = "it has fewer lines than it says" if is_short else "its fence is not closed"
        raise BlockBroken(f"the hunk is cut off: {why}", line=last.line)
    hunks = tuple(made for each in file.hunks if (made := each.hunk()).lines)
    old, new = file.names()
    line = file.start + 1
    if not (old and new) or old == new == _NOTHING:
        raise BlockBroken("it names no file", line=line)
    if new == _NOTHING:
        return [Delete(block=block, line=line, path=old, lines=_gone(hunks, line))]
    if old == _NOTHING or (old == new and _is_all_new(file.hunks)):
        return [_new(hunks, new, block, line, file.mode)]
    found: list[Change] = []
    if old != new and file.moved:
        found.append(Rename(block=block, line=line, path=old, to=new, mode=file.mode))
    if hunks or (file.mode is not None and not found):
        mode = None if found else file.mode
        found.append(Edit(block=block, line=line, path=new, hunks=hunks, mode=mode))
    if not found:
        raise BlockBroken("the diff changes nothing", line=line)
    return found


def _is_all_new(hunks: Sequence[Gathered]) -> bool:
    """Whether there was nothing, as ``-0,0`` says, though the old name is that of the file."""
    return len(hunks) == 1 and hunks[0].is_of_nothing


def _gone(hunks: Sequence[Hunk], line: int) -> tuple[str, ...] | None:
    """The text of a file that goes; None where the diff does not show it."""
    if any(sign != "-" for hunk in hunks for sign, _ in hunk.lines):
        raise BlockBroken("a deleted file keeps no lines", line=line)
    return tuple(text for hunk in hunks for _, text in hunk.lines) if hunks else None


def _new(hunks: Sequence[Hunk], path: str, block: int, line: int, mode: int | None) -> Change:
    lines = [(sign, text) for hunk in hunks for sign, text in hunk.lines]
    if any(sign != "+" for sign, _ in lines):
        raise BlockBroken("a new file has no lines to keep or take away", line=line)
    text = "".join(f"{text}\n" for _, text in lines)
    is_open = bool(hunks) and hunks[-1].new_open
    return Whole(
        block=block, line=line, path=path, text=text, is_new=True, is_open=is_open, mode=mode
    )
