"""Patches between ``*** Begin Patch`` and ``*** End Patch``. Pure."""

from collections.abc import Sequence

from ouroboros.workspace.artifacts.dogs.change import (
    Change,
    Delete,
    Edit,
    Hunk,
    Rename,
    Whole,
)
from ouroboros.workspace.artifacts.dogs.readers.hunks import signed
from ouroboros.workspace.artifacts.dogs.readers.page import BlockBroken, Found, Wish
from ouroboros.workspace.artifacts.fenced import outdented
from ouroboros.workspace.patch.syntax import (
    BEGIN,
    END,
    AddFile,
    Chunk,
    DeleteFile,
    PatchBroken,
    UpdateFile,
    parse,
)
from ouroboros.workspace.patch.syntax import Hunk as File


def is_sign(line: str) -> bool:
    """Whether a line begins a patch."""
    return line.strip() == BEGIN


class PatchBlocks:
    """Reads patch by patch; a fault refuses its whole patch."""

    def __init__(self, lines: Sequence[str], wish: Wish) -> None:
        """Nothing is read yet."""
        self.found = Found()
        self._lines, self._wish = lines, wish

    def begins(self, number: int) -> bool:
        """Whether a patch begins in a line."""
        return is_sign(self._lines[number])

    def step(self, at: int) -> int:
        """Reads the patch that begins in a line, and gives the line behind it."""
        lines = self._lines
        width = _width(lines[at])
        end = next(
            (
                number
                for number in range(at + 1, len(lines))
                # One that is indented further is a line of context: a patch may be about patches.
                if lines[number].strip() in {BEGIN, END} and _width(lines[number]) <= width
            ),
            None,
        )
        is_whole = end is not None and lines[end].strip() == END
        stop = end + 1 if end is not None and is_whole else (len(lines) if end is None else end)
        _patch(_bare(lines[at:stop]), at, self.found, self._wish, is_whole=is_whole)
        self.found.spans.append((at, stop))
        return stop


def _width(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _bare(lines: Sequence[str]) -> list[str]:
    """Without returns, and without the blanks of a list that stand before every line."""
    width = len(lines[0]) - len(lines[0].lstrip(" "))
    plain = [line.removesuffix("\r") for line in lines]
    is_hung = width and all(line.startswith(" " * width) for line in plain if line.strip())
    return outdented(plain, width) if is_hung else plain


def _patch(lines: list[str], at: int, found: Found, wish: Wish, *, is_whole: bool) -> None:
    if not is_whole:
        if not wish.allow_truncated:
            found.begin()
            found.refuse(BlockBroken(f"the patch is cut off: no '{END}' ends it", line=at + 1))
            return
        while lines and lines[-1].strip() in {"", "```"}:
            lines.pop()
        lines.append(END)
    try:
        files = parse("\n".join(lines))
    except PatchBroken as broken:
        found.begin()
        found.refuse(BlockBroken(broken.reason, line=at + max(1, broken.line)))
        return
    if not files:
        found.begin()
        found.refuse(BlockBroken("the patch changes no file", line=at + 1))
    number = 0
    for file in files:
        block = found.begin()
        number = _line_of(file, lines, number + 1)
        line = at + 1 + number
        found.changes += _changes(file, block, line)


def _line_of(file: File, lines: Sequence[str], start: int) -> int:
    """Where a file begins; they are in order, so the search goes on from the one before."""
    words = f" File: {file.path.strip()}"
    return next(
        (number for number in range(start, len(lines)) if lines[number].strip().endswith(words)),
        start,
    )


def _changes(file: File, block: int, line: int) -> list[Change]:
    path = file.path.strip()
    match file:
        case AddFile(content=content):
            return [
                Whole(block=block, line=line, path=path, text=content, is_new=True, is_open=False)
            ]
        case DeleteFile():
            return [Delete(block=block, line=line, path=path)]
        case UpdateFile(chunks=chunks, move_to=to):
            edit = Edit(
                block=block,
                line=line,
                path=path,
                hunks=tuple(_hunk(chunk, line) for chunk in chunks),
            )
            if to is None:
                return [edit]
            return [edit, Rename(block=block, line=line, path=path, to=to.strip())]


def _hunk(chunk: Chunk, line: int) -> Hunk:
    """Common lines at both ends are context; between them the old go and the new come."""
    old, new = chunk.old, chunk.new
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    lines = [*signed(" ", old[:head]), *signed("-", old[head : len(old) - tail])]
    lines += [*signed("+", new[head : len(new) - tail]), *signed(" ", old[len(old) - tail :])]
    # Lines without any context go to the end of the file, as the format has it.
    at_end = chunk.at_end or (not old and chunk.context is None)
    return Hunk(lines=tuple(lines), line=line, anchor=chunk.context or "", at_end=at_end)
