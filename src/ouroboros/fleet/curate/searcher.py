"""The process that searches: reads a wish on standard input, looks into the files it names, and ends.

A pattern may keep ``re`` busy for ever; a process can be ended.
"""

import re
import sys
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.workspace.artifacts.cats.contents import Left, content
from ouroboros.workspace.artifacts.exact import shaped

MOST_HITS = 100
MOST_IN_FILE = 5
MOST_LINE = 160
_MOST_BYTES = 2_097_152


class Wish(Struct, frozen=True, kw_only=True):
    """What to look for, and in which files below the root; no others are opened."""

    root: str
    pattern: str
    paths: tuple[str, ...]


class Hit(Struct, frozen=True, kw_only=True):
    """A line that fits."""

    path: str
    line: int
    text: str


class Found(Struct, frozen=True, kw_only=True):
    """All hits, or why there is no search; ``files`` counts those that hold one."""

    hits: tuple[Hit, ...] = ()
    files: int = 0
    is_cut: bool = False
    error: str = ""


def main() -> int:
    """Answers one wish."""
    wish = msgspec.json.decode(sys.stdin.buffer.read(), type=Wish)
    sys.stdout.buffer.write(msgspec.json.encode(found(wish)))
    return 0


def found(wish: Wish) -> Found:
    """Looks into each file in order; blocks."""
    try:
        pattern = re.compile(wish.pattern, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as broken:
        return Found(error=f"not a regular expression: {broken}")
    hits: list[Hit] = []
    files, is_cut = 0, False
    for path in wish.paths:
        lines = _lines(Path(wish.root), path)
        fitting = [(at, line) for at, line in enumerate(lines, 1) if pattern.search(line)]
        files += bool(fitting)
        room = min(MOST_IN_FILE, MOST_HITS - len(hits))
        hits += [Hit(path=path, line=at, text=line[:MOST_LINE]) for at, line in fitting[:room]]
        is_cut |= len(fitting) > room
    return Found(hits=tuple(hits), files=files, is_cut=is_cut)


def _lines(root: Path, path: str) -> list[str]:
    try:
        text = shaped(content(root, path, most=_MOST_BYTES).data)
    except Left:
        return []
    return [] if text is None else text.text.decode("utf-8", "replace").split("\n")


if __name__ == "__main__":
    sys.exit(main())
