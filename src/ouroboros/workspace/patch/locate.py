"""Finding the lines of a chunk in a file, and putting others in their place."""

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from ouroboros.core.errors import ToolFailed
from ouroboros.workspace.patch.likeness import seek
from ouroboros.workspace.patch.nearest import about_header, about_lines
from ouroboros.workspace.patch.syntax import Chunk
from ouroboros.workspace.ranges import Lines


class Edit(NamedTuple):
    """Replace ``length`` lines from ``start`` on."""

    start: int
    length: int
    lines: tuple[str, ...]


class Changed(NamedTuple):
    """A text after all chunks, and the lines of it that are new."""

    text: str
    ranges: tuple[Lines, ...]


def changed(text: str, chunks: Sequence[Chunk], path: str) -> Changed:
    """The text after all chunks; it ends with a line end, and a CRLF text stays one.

    Raises:
        ToolFailed: A context line or a chunk's old lines are not in the file where they should be.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = text.removeprefix(mark).split("\n")
    # The last piece is empty, or a line that has no end yet.
    end = "\r" if lines[:-1] and all(line.endswith("\r") for line in lines[:-1]) else ""
    if not lines[-1]:
        lines.pop()
    else:
        lines[-1] = f"{lines[-1].removesuffix(end)}{end}"
    edits = [
        edit._replace(lines=tuple(f"{line.removesuffix(end)}{end}" for line in edit.lines))
        for edit in _edits(lines, chunks, path)
    ]
    ranges = _ranges(lines, edits)
    for start, length, new in reversed(edits):
        lines[start : start + length] = new
    if not lines or lines[-1]:
        lines.append("")
    return Changed(mark + "\n".join(lines), ranges)


def _edits(lines: Sequence[str], chunks: Sequence[Chunk], path: str) -> list[Edit]:
    edits: list[Edit] = []
    cursor = 0
    for number, chunk in enumerate(chunks, start=1):
        which = f"Chunk {number} of {len(chunks)}: "
        if chunk.context is not None:
            found = _header(lines, chunk.context, cursor)
            if found is None:
                raise ToolFailed(
                    f"Failed to find context '{chunk.context}' in {path}",
                    hint=which + about_header(lines, chunk.context, cursor),
                )
            cursor = found + 1
        if not chunk.old:
            end = len(lines) - 1 if lines and not lines[-1] else len(lines)
            edits.append(Edit(end, 0, chunk.new))
            continue
        edit = _found(lines, chunk, cursor)
        if edit is None:
            wanted = "\n".join(chunk.old)
            raise ToolFailed(
                f"Failed to find expected lines in {path}:\n{wanted}",
                hint=which + about_lines(lines, chunk, cursor),
            )
        edits.append(edit)
        cursor = edit.start + edit.length
    return sorted(edits, key=lambda edit: edit.start)


def _header(lines: Sequence[str], header: str, cursor: int) -> int | None:
    """The line a chunk's header names: whole, else the only one that begins with it or holds it."""
    found = seek(lines, (header,), cursor)
    if found is not None:
        return found
    part = header.strip()
    below = range(cursor, len(lines))
    for places in (
        [place for place in below if lines[place].lstrip().startswith(part)],
        [place for place in below if part in lines[place]],
    ):
        if len(places) == 1:
            return places[0]
    return None


def _ranges(lines: Sequence[str], edits: Sequence[Edit]) -> tuple[Lines, ...]:
    """Where the new lines will stand, without what is the same before and after."""
    total = max(1, len(lines) + sum(len(edit.lines) - edit.length for edit in edits))
    found: list[Lines] = []
    growth = 0
    for start, length, new in edits:
        old = tuple(lines[start : start + length])
        head = _alike(old, new)
        tail = min(_alike(old[::-1], new[::-1]), min(length, len(new)) - head)
        first = start + growth + head + 1
        last = max(first, start + growth + len(new) - tail)
        found.append(Lines(min(first, total), min(last, total)))
        growth += len(new) - length
    return tuple(found)


def _alike(left: Sequence[str], right: Sequence[str]) -> int:
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _found(lines: Sequence[str], chunk: Chunk, cursor: int) -> Edit | None:
    old, new = chunk.old, chunk.new
    start = seek(lines, old, cursor, at_end=chunk.at_end)
    if start is None and not old[-1]:
        # The last empty line of a patch often stands for the end of the file, which is no line.
        old = old[:-1]
        new = new[:-1] if new and not new[-1] else new
        start = seek(lines, old, cursor, at_end=chunk.at_end)
    return None if start is None else Edit(start, len(old), new)
