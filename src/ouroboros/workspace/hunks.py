"""Changes of files by hunk, as values that a face can show and a person can take back."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from ouroboros.core.errors import Misuse
from ouroboros.workspace.changes import Side, moves
from ouroboros.workspace.diff import compared, lines_of

type Status = Literal["added", "changed", "removed", "moved"]
type Content = Literal["text", "binary", "large", "same"]

LINES_CHARS = 400_000
"""So much text is in one answer; further files come without their lines."""


class Hunk(Struct, frozen=True, kw_only=True):
    """Lines that changed, with some around them; the first line of a file is 1.

    ``lines`` begin with a blank, ``-`` or ``+`` and end as in the file.
    """

    old_start: int
    new_start: int
    lines: tuple[str, ...]


class FileChange(Struct, frozen=True, kw_only=True):
    """What became of one file.

    Attributes:
        was: Its name before, where it was moved.
        mode: How its mode changed, such as ``100644 100755``; empty where it did not.
        content: ``large`` and ``binary`` have no hunks, ``same`` is a change of name or mode only.
        is_cut: There are hunks, left out as the answer is long enough; ask for this file alone.
    """

    path: str
    status: Status
    was: str = ""
    mode: str = ""
    content: Content = "text"
    added: int = 0
    removed: int = 0
    hunks: tuple[Hunk, ...] = ()
    is_cut: bool = False


class Part(Protocol):
    """Text that stands from a line on, and what stood there before."""

    @property
    def start(self) -> int: ...
    @property
    def new(self) -> str: ...
    @property
    def old(self) -> str: ...


def file_changes(
    changed: Mapping[Path, tuple[Side | None, Side | None]],
    name: Callable[[Path], str],
    *,
    only: Collection[str] = (),
) -> tuple[FileChange, ...]:
    """Each file that was and is at some paths, sorted by name; ``only`` some of them, by name."""
    moved = dict(moves(changed))
    found: list[FileChange] = []
    room = LINES_CHARS
    for path in sorted(changed.keys() - set(moved.values()), key=name):
        if only and name(path) not in only:
            continue
        before, now = changed[path]
        source = moved.get(path)
        if source is not None:
            before = changed[source][0]
        made = _file_change(name(path), name(source) if source else "", before, now)
        size = sum(len(line) for hunk in made.hunks for line in hunk.lines)
        if size > room and not only:
            made = _cut(made)
        else:
            room -= size
        found.append(made)
    return tuple(found)


def without(text: str, pieces: Sequence[Part], name: str) -> str:
    """A text with ``old`` in the place of each piece's ``new``.

    Raises:
        Misuse: A piece does not stand where it should, or pieces overlap.
    """
    lines = lines_of(text)
    above = len(lines) + 1
    for piece in sorted(pieces, key=lambda each: each.start, reverse=True):
        new = lines_of(piece.new)
        first, last = piece.start - 1, piece.start - 1 + len(new)
        if first > len(lines) or last > above or lines[first:last] != new:
            raise Misuse(
                f"{name!r} has changed at line {piece.start} since it was looked at; "
                "nothing was written",
                hint="look at the change again",
            )
        lines[first:last] = lines_of(piece.old)
        above = first
    return "".join(lines)


def _file_change(path: str, was: str, before: Side | None, now: Side | None) -> FileChange:
    status: Status = "changed"
    if was:
        status = "moved"
    elif before is None:
        status = "added"
    elif now is None:
        status = "removed"
    content, old, new = _texts(before, now)
    hunks = _hunks(old, new)
    mode = f"{before.mode} {now.mode}" if before and now and before.mode != now.mode else ""
    lines = [line for hunk in hunks for line in hunk.lines]
    return FileChange(
        path=path,
        status=status,
        was=was,
        mode=mode,
        content=content,
        added=sum(line[0] == "+" for line in lines),
        removed=sum(line[0] == "-" for line in lines),
        hunks=hunks,
    )


def _texts(before: Side | None, now: Side | None) -> tuple[Content, str, str]:
    sides = [side for side in (before, now) if side is not None]
    if len(sides) == 2 and (sides[0].data, sides[0].size) == (sides[1].data, sides[1].size):
        return "same", "", ""
    if any(side.data is None for side in sides):
        return "large", "", ""
    old, new = ("" if side is None else side.text for side in (before, now))
    if old is None or new is None:
        return "binary", "", ""
    return "text", old, new


def _hunks(old: str, new: str) -> tuple[Hunk, ...]:
    if old == new:
        return ()
    found = compared(old, new)
    made: list[Hunk] = []
    for group in found.groups:
        lines: list[str] = []
        for kind, from_old, to_old, from_new, to_new in group:
            if kind == "equal":
                lines += [f" {line}" for line in found.before[from_old:to_old]]
                continue
            lines += [f"-{line}" for line in found.before[from_old:to_old]]
            lines += [f"+{line}" for line in found.after[from_new:to_new]]
        made.append(
            Hunk(
                old_start=found.start + group[0][1] + 1,
                new_start=found.start + group[0][3] + 1,
                lines=tuple(lines),
            )
        )
    return tuple(made)


def _cut(made: FileChange) -> FileChange:
    from msgspec.structs import replace

    return replace(made, hunks=(), is_cut=True)
