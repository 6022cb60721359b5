"""The text of a file with all that its bytes say besides: encoding, mark, line ends, the last line. Pure."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.workspace.files import decoded


class Text(Struct, frozen=True, kw_only=True):
    r"""A text as lines and the end of each; only the last one may be without.

    Ends are ``\n``, ``\r\n`` or nothing; any other control character is part of its line.
    """

    lines: tuple[str, ...]
    ends: tuple[str, ...]
    encoding: str = "utf-8"
    mark: bytes = b""

    @property
    def end(self) -> str:
        """The line end that most lines have; a line feed where there is none."""
        counted = Counter(end for end in self.ends if end)
        return counted.most_common(1)[0][0] if counted else "\n"

    @property
    def is_open(self) -> bool:
        """Whether it ends without a line end; an empty text does not."""
        return bool(self.ends) and not self.ends[-1]

    def encode(self) -> bytes:
        """The bytes.

        Raises:
            ToolFailed: The encoding has no such characters.
        """
        text = "".join(line + end for line, end in zip(self.lines, self.ends, strict=True))
        try:
            return self.mark + text.encode(self.encoding)
        except UnicodeEncodeError as broken:
            wrong = text[broken.start : broken.start + 1]
            raise ToolFailed(f"the file is {self.encoding}, which has no {wrong!r}") from broken

    def closed(self, *, is_open: bool) -> "Text":
        """The same with, or without, an end of the last line."""
        if not self.lines or is_open == self.is_open:
            return self
        return _with_ends(self, (*self.ends[:-1], "" if is_open else self.end))


def text_of(content: bytes) -> Text | None:
    """A file's text; None where it is binary, or damaged."""
    try:
        found = decoded(content, Path())
    except ToolFailed:
        return None
    lines, ends = split(found.text)
    return Text(lines=lines, ends=ends, encoding=found.encoding, mark=found.mark)


def split(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Lines, and the end of each."""
    pieces = text.split("\n")
    last = pieces.pop()
    lines = [piece.removesuffix("\r") for piece in pieces]
    ends = ["\r\n" if piece.endswith("\r") else "\n" for piece in pieces]
    if last:
        lines.append(last)
        ends.append("")
    return tuple(lines), tuple(ends)


def refitted(old: Text, lines: Sequence[str], *, is_open: bool) -> Text:
    """Other lines in the form of a text: what stays keeps its end, what is new has the usual one."""
    usual = old.end
    if len({end for end in old.ends if end}) < 2:
        ends = [usual] * len(lines)
    else:
        ends = _kept_ends(old, lines, usual)
    if lines:
        ends[-1] = "" if is_open else (ends[-1] or usual)
    return Text(lines=tuple(lines), ends=tuple(ends), encoding=old.encoding, mark=old.mark)


def _kept_ends(old: Text, lines: Sequence[str], usual: str) -> list[str]:
    from ouroboros.workspace.artifacts.dogs.lines.aligned import blocks

    ends = [usual] * len(lines)
    for first, second, size in blocks(old.lines, lines):
        for step in range(size):
            ends[second + step] = old.ends[first + step] or usual
    return ends


def _with_ends(text: Text, ends: tuple[str, ...]) -> Text:
    return Text(lines=text.lines, ends=ends, encoding=text.encoding, mark=text.mark)
