"""Cuts a stream of Markdown into blocks that will not change any more.

A block is finished when nothing that follows can alter how it looks: at a blank line followed by
an unindented line, at the end of a fence, after a heading. The rest stays open. Each character is
looked at once, however small the pieces are in which it arrives.
"""

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:\s|$)")


class Blocks:
    """Feeds on text, gives finished blocks, and knows the open rest."""

    def __init__(self) -> None:
        """Starts with nothing open."""
        self._lines: list[str] = []
        self._piece: list[str] = []
        self._fence = ""
        self._blank = False

    @property
    def open(self) -> str:
        """The text that is not finished yet."""
        return "\n".join((*self._lines, "".join(self._piece)))

    def open_tail(self, characters: int) -> str:
        """The end of the open text, gathered without touching the rest of it."""
        kept: list[str] = []
        size = 0
        for source, end in ((self._piece, ""), (self._lines, "\n")):
            for text in reversed(source):
                if size >= characters:
                    break
                kept.append(text + end)
                size += len(kept[-1])
        return "".join(reversed(kept))[-characters:]

    def feed(self, text: str) -> list[str]:
        """Takes in a piece; gives the blocks it finished, in order."""
        finished: list[str] = []
        head, *rest = text.split("\n")
        self._piece.append(head)
        for piece in rest:
            line = "".join(self._piece)
            self._piece = [piece]
            self._take(line, finished)
        return finished

    def close(self) -> list[str]:
        """Ends the stream; gives what was open."""
        finished: list[str] = []
        line = "".join(self._piece)
        self._piece = []
        if line:
            self._take(line, finished)
        self._cut(finished)
        self._fence = ""
        return finished

    def _take(self, line: str, finished: list[str]) -> None:
        if self._fence:
            self._lines.append(line)
            if self._closes(line):
                self._fence = ""
                if not self._in_item():
                    self._cut(finished)
            return
        if not line.strip():
            self._blank = bool(self._lines)
            if self._lines:
                self._lines.append(line)
            return
        if self._blank and not self._continues(line):
            self._cut(finished)
        self._blank = False
        self._open_line(line, finished)

    def _open_line(self, line: str, finished: list[str]) -> None:
        fence = _FENCE.match(line) or self._item_fence(line)
        if fence and not (fence[1][0] == "`" and "`" in fence[2]):
            if not line.startswith(" ") and not self._in_item():
                self._cut(finished)
            self._fence = fence[1]
        heading = _HEADING.match(line)
        if heading:
            self._cut(finished)
        self._lines.append(line)
        if heading:
            self._cut(finished)

    def _item_fence(self, line: str) -> "re.Match[str] | None":
        return _FENCE.match(line.lstrip()) if self._in_item() else None

    def _continues(self, line: str) -> bool:
        return self._in_item() and (line.startswith((" ", "\t")) or bool(_ITEM.match(line)))

    def _in_item(self) -> bool:
        return bool(self._lines) and bool(_ITEM.match(self._lines[0].lstrip()))

    def _closes(self, line: str) -> bool:
        stripped = line.strip()
        return len(stripped) >= len(self._fence) and not stripped.strip(self._fence[0])

    def _cut(self, finished: list[str]) -> None:
        text = "\n".join(self._lines).strip("\n")
        self._lines = []
        self._blank = False
        if text.strip():
            finished.append(text)
