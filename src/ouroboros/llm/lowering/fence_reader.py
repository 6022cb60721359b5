"""Finds run blocks in the words of a model while they stream.

A run block is a fence of three or more backticks at the start of a line whose info string is
``run`` and one name. Fences nest as in Markdown: within any other fence, be it of backticks or of
tildes, nothing is a run block. Within a run block too, a fence with an info string is ended by its own
end, for models forget to take more backticks around text that has some; lines that are indented
further than the block, as in patches, are text. Results that a model makes up end the reading.
"""

import re
from typing import Literal, NamedTuple

type PieceKind = Literal["text", "open", "body", "close"]

_OPENING = re.compile(r"( {0,3})(?:(`{3,})([^`\n]*)|(~{3,})[^\n]*)\n?")
_MAYBE_OPENING = re.compile(r" {0,3}(?:`{0,2}|`{3,}[^`\n]*|~{1,2}|~{3,}[^\n]*)")
_MAYBE_CLOSING = re.compile(r" {0,3}(?:`*|~*)[ \t\r]*")
_NESTED = re.compile(r"( *)(`{3,})[^`\n]*[^`\s][^`\n]*\n?")
_MAYBE_NESTED = re.compile(r" {0,3}`{3,}[^`\n]*")
_MADE_UP = "[result of "
_INFO = re.compile(r"run[ \t]+([^\s`]+)")


class Piece(NamedTuple):
    """Words, the name of a block that opens, some of its body, or its end."""

    kind: PieceKind
    text: str


class _Fence(NamedTuple):
    """A fence that is open: how it began."""

    indent: int
    ticks: str
    is_run: bool

    def is_closed_by(self, line: str) -> bool:
        """Whether a line ends it."""
        ticks = line.lstrip(" ").rstrip(" \t\r\n")
        indent = len(line) - len(line.lstrip(" "))
        most = self.indent if self.is_run else 3
        return indent <= most and ticks.startswith(self.ticks) and not ticks.strip(self.ticks[0])

    def nested(self, line: str) -> "_Fence | None":
        """The fence that a line opens within it."""
        opening = _NESTED.fullmatch(line)
        if opening is None or len(opening[1]) > self.indent or self.ticks not in opening[2]:
            return None
        return _Fence(self.indent, opening[2], is_run=True)


class FenceReader:
    """Reads one stretch of words; any cut of it gives the same pieces, joined.

    Held back is only the beginning of a line that may be a fence.
    """

    def __init__(self) -> None:
        """Has read nothing."""
        self._fence: _Fence | None = None
        self._inner: _Fence | None = None
        self._has_run = self._is_over = False
        self._line = ""
        self._is_passing = False
        self._newline = ""
        self._pieces: list[Piece] = []

    @property
    def held(self) -> str:
        """The beginning of a line of which nothing is certain yet."""
        return self._line

    def feed(self, text: str) -> list[Piece]:
        """What is certain now."""
        for part in _lines(text):
            self._take(part)
        return self._taken()

    def end(self) -> list[Piece]:
        """What was held back; a last line needs no newline. An open block stays without its end."""
        if self._line:
            line, self._line = self._line, ""
            self._decide(line)
        return self._taken()

    def _taken(self) -> list[Piece]:
        pieces, self._pieces = self._pieces, []
        return pieces

    def _take(self, part: str) -> None:
        is_whole = part.endswith("\n")
        if self._is_over:
            return
        if self._is_passing:
            self._say(part)
            self._is_passing = not is_whole
            return
        self._line += part
        if is_whole:
            line, self._line = self._line, ""
            self._decide(line)
        elif not self._may_be_fence():
            line, self._line = self._line, ""
            self._say(self._unindented(line))
            self._is_passing = True

    def _may_be_fence(self) -> bool:
        if self._fence is None:
            is_made_up = self._has_run and _begins_alike(self._line, _MADE_UP)
            return is_made_up or _MAYBE_OPENING.fullmatch(self._line) is not None
        is_nested = self._fence.is_run and _MAYBE_NESTED.fullmatch(self._line) is not None
        return is_nested or _MAYBE_CLOSING.fullmatch(self._line) is not None

    def _decide(self, line: str) -> None:
        if self._fence is None:
            self._is_over = self._has_run and line.startswith(_MADE_UP)
            if not self._is_over:
                self._open(line)
        elif self._inner is not None:
            self._say(self._unindented(line))
            self._inner = None if self._inner.is_closed_by(line) else self._inner
        elif not self._fence.is_closed_by(line):
            self._say(self._unindented(line))
            self._inner = self._fence.nested(line) if self._fence.is_run else None
        elif self._fence.is_run:
            self._fence, self._newline, self._has_run = None, "", True
            self._pieces.append(Piece("close", ""))
        else:
            self._say(line)
            self._fence = None

    def _open(self, line: str) -> None:
        opening = _OPENING.fullmatch(line)
        if opening is None:
            self._say(line)
            return
        indent, ticks, words, tildes = opening.groups()
        info = _INFO.fullmatch((words or "").strip())
        if info is None:
            self._say(line)
        else:
            self._pieces.append(Piece("open", info[1]))
        self._fence = _Fence(len(indent), ticks or tildes, info is not None)

    def _unindented(self, line: str) -> str:
        if self._fence is None or not self._fence.is_run:
            return line
        spaces = len(line) - len(line.lstrip(" "))
        return line[min(spaces, self._fence.indent) :]

    def _say(self, text: str) -> None:
        if self._fence is None or not self._fence.is_run:
            self._add("text", text)
            return
        # The newline before the closing fence is no part of the body.
        body = self._newline + text
        self._newline = "\n" if body.endswith("\n") else ""
        self._add("body", body.removesuffix("\n"))

    def _add(self, kind: PieceKind, text: str) -> None:
        if not text:
            return
        if self._pieces and self._pieces[-1].kind == kind:
            self._pieces[-1] = Piece(kind, self._pieces[-1].text + text)
        else:
            self._pieces.append(Piece(kind, text))


def _begins_alike(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _lines(text: str) -> list[str]:
    """Lines that end in a newline alone."""
    return [line for line in re.split(r"(?<=\n)", text) if line]
