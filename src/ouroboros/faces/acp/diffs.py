"""A unified diff as the pieces that an editor shows; pure."""

import re
from pathlib import Path

from ouroboros.faces.acp.frames import Json

MOST = 50
"""Pieces of one change that are shown."""

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NONE = "/dev/null"


def pieces(diff: str, cwd: Path) -> list[Json]:
    """Each hunk of a diff, as what stood there and what stands there now."""
    reader = _Reader(cwd)
    for line in diff.split("\n"):
        reader.take(line)
    return reader.found[:MOST]


class _Reader:
    def __init__(self, cwd: Path) -> None:
        self.found: list[Json] = []
        self._cwd = cwd
        self._path, self._is_new = "", False
        self._old: list[str] = []
        self._new: list[str] = []
        self._left = (0, 0)

    def take(self, line: str) -> None:
        if any(self._left):
            self._within(line)
        elif line.startswith("--- "):
            name = _named(line)
            self._is_new, self._path = name == _NONE, name.removeprefix("a/")
        elif line.startswith("+++ ") and (name := _named(line)) != _NONE:
            self._path = name.removeprefix("b/")
        elif counts := _HUNK.match(line):
            old, new = (1 if each is None else int(each) for each in counts.groups())
            self._left = (old, new)
            self._end_if_whole()

    def _within(self, line: str) -> None:
        """One line of a hunk; the header told how many there are, whatever they look like."""
        old, new = self._left
        sign, text = line[:1], f"{line[1:]}\n"
        if sign != "+" and sign != "\\":
            self._old.append(text)
            old -= 1
        if sign != "-" and sign != "\\":
            self._new.append(text)
            new -= 1
        self._left = (max(old, 0), max(new, 0))
        self._end_if_whole()

    def _end_if_whole(self) -> None:
        if any(self._left) or not (self._old or self._new):
            return
        before = None if self._is_new and not self._old else "".join(self._old)
        path = str(self._cwd / self._path)
        piece: Json = {"type": "diff", "path": path, "oldText": before}
        self.found.append({**piece, "newText": "".join(self._new)})
        self._old, self._new = [], []


def _named(line: str) -> str:
    return line[4:].partition("\t")[0].strip()
