"""Finding the lines of a chunk in a file, from exact to forgiving."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ouroboros.core.errors import ToolFailed
from ouroboros.workspace.patch.syntax import Chunk

_FOLDED = str.maketrans(
    dict.fromkeys("‐‑‒–—―−", "-")
    | dict.fromkeys("‘’‚‛", "'")
    | dict.fromkeys("“”„‟", '"')
    | dict.fromkeys(
        "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    )
)


class Edit(NamedTuple):
    """Replace ``length`` lines from ``start`` on."""

    start: int
    length: int
    lines: tuple[str, ...]


def seek(
    lines: Sequence[str], pattern: Sequence[str], start: int, *, at_end: bool = False
) -> int | None:
    """Where ``pattern`` stands at or after ``start``; a whole pass is made per level of likeness."""
    if not pattern:
        return start
    last = len(lines) - len(pattern)
    if last < 0:
        return None
    first = last if at_end else start
    for alike in _LEVELS:
        wanted = [alike(line) for line in pattern]
        for position in range(first, last + 1):
            if alike(lines[position]) == wanted[0] and wanted == [
                alike(line) for line in lines[position : position + len(wanted)]
            ]:
                return position
    return None


def edits_of(lines: Sequence[str], chunks: Sequence[Chunk], path: str) -> list[Edit]:
    """What the chunks change, in file order.

    Raises:
        ToolFailed: A context line or a chunk's old lines are not in the file where they should be.
    """
    edits: list[Edit] = []
    cursor = 0
    for chunk in chunks:
        if chunk.context is not None:
            found = seek(lines, (chunk.context,), cursor)
            if found is None:
                raise ToolFailed(f"Failed to find context '{chunk.context}' in {path}")
            cursor = found + 1
        if not chunk.old:
            end = len(lines) - 1 if lines and not lines[-1] else len(lines)
            edits.append(Edit(end, 0, chunk.new))
            continue
        edit = _found(lines, chunk, cursor)
        if edit is None:
            wanted = "\n".join(chunk.old)
            raise ToolFailed(f"Failed to find expected lines in {path}:\n{wanted}")
        edits.append(edit)
        cursor = edit.start + edit.length
    return sorted(edits, key=lambda edit: edit.start)


def changed(text: str, chunks: Sequence[Chunk], path: str) -> str:
    """The text after all chunks; it ends with a line end, and a CRLF text stays one."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    end = "\r" if lines and all(line.endswith("\r") for line in lines) else ""
    for start, length, new in reversed(edits_of(lines, chunks, path)):
        lines[start : start + length] = [f"{line.removesuffix(end)}{end}" for line in new]
    if not lines or lines[-1]:
        lines.append("")
    return "\n".join(lines)


def _found(lines: Sequence[str], chunk: Chunk, cursor: int) -> Edit | None:
    old, new = chunk.old, chunk.new
    start = seek(lines, old, cursor, at_end=chunk.at_end)
    if start is None and not old[-1]:
        # The last empty line of a patch often stands for the end of the file, which is no line.
        old = old[:-1]
        new = new[:-1] if new and not new[-1] else new
        start = seek(lines, old, cursor, at_end=chunk.at_end)
    return None if start is None else Edit(start, len(old), new)


def _exact(line: str) -> str:
    return line


def _folded(line: str) -> str:
    return line.strip().translate(_FOLDED)


_LEVELS: tuple[Callable[[str], str], ...] = (_exact, str.rstrip, str.strip, _folded)
