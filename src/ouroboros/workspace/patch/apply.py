"""Simulating a patch on a file system, and carrying it out."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.limits import WRITE_BYTES
from ouroboros.workspace.files import bytes_of, regular_size, writable, write_atomic
from ouroboros.workspace.patch.locate import changed
from ouroboros.workspace.patch.syntax import AddFile, DeleteFile, Hunk, UpdateFile
from ouroboros.workspace.ranges import Lines, spelled
from ouroboros.workspace.seen import Seen

type Kind = Literal["A", "M", "D"]


class PatchFailed(ToolFailed):
    """A patch does not fit the files."""


class Change(Struct, frozen=True, kw_only=True):
    """One file before and after; None means it is not there.

    ``name`` is the path as the patch spells it (the destination of a move), ``source`` where a
    moved file came from, ``ranges`` the lines of an updated file that are new.
    """

    kind: Kind
    name: str
    path: Path
    before: str | None
    after: str | None
    source: Path | None = None
    ranges: tuple[Lines, ...] = ()


class Files(Protocol):
    """The file system a patch acts on; raises ``OSError`` and ``ToolFailed``."""

    def read(self, path: Path) -> str:
        """The text of a regular file."""
        ...

    def write(self, path: Path, text: str) -> None:
        """Makes or replaces a file, and its folders."""
        ...

    def remove(self, path: Path) -> None:
        """Takes away a regular file."""
        ...

    def check(self, path: Path) -> None:
        """Raises when the path cannot be written."""
        ...

    def is_same(self, one: Path, other: Path) -> bool:
        """Whether two spellings lead to one file."""
        ...


class Disk:
    """The real one; it blocks."""

    def __init__(self, *, admitted: tuple[Path, ...] = (), seen: Seen | None = None) -> None:
        """``admitted`` are the real paths that may be written, any when empty; ``seen`` hears of writes."""
        self._admitted, self._seen = admitted, seen

    def read(self, path: Path) -> str:
        """The text of a regular file, which must be UTF-8."""
        try:
            return bytes_of(path).decode()
        except UnicodeDecodeError as broken:
            raise ToolFailed(f"{path} is not UTF-8 text") from broken

    def write(self, path: Path, text: str) -> None:
        """Replaces in one step; mode bits are kept."""
        data = text.encode()
        before = bytes_of(path) if self._seen is not None and path.is_file() else None
        write_atomic(path, data, admitted=self._admitted)
        if self._seen is not None and before is None:
            self._seen.wrote(path, data)
        elif self._seen is not None and before is not None:
            self._seen.changed(path, before, data)

    def remove(self, path: Path) -> None:
        """Takes away a file; a symbolic link, not what it points at."""
        if not path.is_symlink():
            regular_size(path)
        path.unlink()

    def check(self, path: Path) -> None:
        """Looks at the file, or at the folder it would be in."""
        writable(path)

    def is_same(self, one: Path, other: Path) -> bool:
        """Also where names differ in case only and the file system does not care."""
        with suppress(OSError):
            return one.samefile(other)
        return os.path.realpath(one) == os.path.realpath(other)


class Overlay:
    """Another file system with changes on top that never reach it."""

    def __init__(self, below: Files, *, limit: int = WRITE_BYTES) -> None:
        """``below`` is only read; ``limit`` is the largest file that may come of it, in bytes."""
        self._below, self._limit = below, limit
        self._texts: dict[Path, str | None] = {}

    def read(self, path: Path) -> str:
        """The text as it would be."""
        if path not in self._texts:
            return self._below.read(path)
        text = self._texts[path]
        if text is None:
            raise ToolFailed(f"{path} does not exist")
        return text

    def write(self, path: Path, text: str) -> None:
        """Notes the text, once the path is found to be one that can be written."""
        if (size := len(text.encode())) > self._limit:
            raise ToolFailed(f"{path} would have {size} bytes; the limit is {self._limit}")
        self.check(path)
        self._texts[path] = text

    def remove(self, path: Path) -> None:
        """Notes that the file is gone."""
        self.read(path)
        self._texts[path] = None

    def check(self, path: Path) -> None:
        """Files that the patch makes are no folders, and those it takes away are not in the way."""
        touched = [place for place in (path, *path.parents) if place in self._texts]
        for place in touched:
            if place != path and self._texts[place] is not None:
                raise ToolFailed(f"{path} cannot be made: {place} is a file")
        if not touched:
            self._below.check(path)

    def is_same(self, one: Path, other: Path) -> bool:
        """As it is below."""
        return self._below.is_same(one, other)


class Applied(Struct, frozen=True, kw_only=True):
    """What was really committed.

    ``is_exact`` is False when a write broke off midway or a target was no plain file, so that the
    changes may not tell all; ``failure`` is why it stopped, ``hint`` what may help.
    """

    changes: tuple[Change, ...]
    failure: str = ""
    hint: str = ""
    is_exact: bool = True


def verify(
    hunks: Sequence[Hunk], cwd: Path, files: Files, *, limit: int = WRITE_BYTES
) -> tuple[Change, ...]:
    """What the patch would do, having found every old line; nothing is written.

    Raises:
        PatchFailed: It is empty, does not fit, or makes a file of more than ``limit`` bytes.
    """
    applied = apply_patch(hunks, cwd, Overlay(files, limit=limit))
    if applied.failure:
        raise PatchFailed(applied.failure, hint=applied.hint)
    return applied.changes


def apply_patch(hunks: Sequence[Hunk], cwd: Path, files: Files) -> Applied:
    """Carries the hunks out one by one; what came before a failure stays."""
    if not hunks:
        return Applied(changes=(), failure="No files were modified.")
    done: list[Change] = []
    is_exact = True
    for hunk in hunks:
        try:
            is_exact = is_exact and not located(hunk.path, cwd).is_symlink()
            done.append(_step(hunk, cwd, files))
        except ToolFailed as failed:
            return Applied(
                changes=tuple(done), failure=failed.message, hint=failed.hint, is_exact=is_exact
            )
        except OSError as failed:
            reason = f"{_VERBS[type(hunk)]} {hunk.path}: {failed.strerror or failed}"
            return Applied(changes=tuple(done), failure=reason, is_exact=False)
    return Applied(changes=tuple(done), is_exact=is_exact)


def located(path: str, cwd: Path) -> Path:
    """Where a path of a patch points, without looking at the disk.

    Raises:
        PatchFailed: No path can be spelled like this.
    """
    if "\0" in path:
        raise PatchFailed(f"not a path: {path!r}")
    return Path(os.path.normpath(cwd / path))


def summary(changes: Sequence[Change], *, with_lines: bool = False) -> str:
    """Which files were added, modified and deleted, in this order; perhaps on which lines."""
    # Lines of an earlier change may have moved since.
    latest = {change.path: change for change in changes}
    lines = [
        f"{kind} {change.name}"
        + (f" ({spelled(change.ranges)})\n" if told and change.ranges else "\n")
        for kind in "AMD"
        for change in changes
        if change.kind == kind
        for told in [with_lines and latest[change.path] is change]
    ]
    return "Success. Updated the following files:\n" + "".join(lines)


_VERBS: dict[type[Hunk], str] = {
    AddFile: "Failed to write file",
    DeleteFile: "Failed to delete file",
    UpdateFile: "Failed to update file",
}


def _step(hunk: Hunk, cwd: Path, files: Files) -> Change:
    path = located(hunk.path, cwd)
    match hunk:
        case AddFile(content=content):
            before = _existing(files, path)
            files.write(path, content)
            return Change(kind="A", name=hunk.path, path=path, before=before, after=content)
        case DeleteFile():
            before = _existing(files, path)
            files.remove(path)
            return Change(kind="D", name=hunk.path, path=path, before=before, after=None)
        case UpdateFile():
            return _update(hunk, path, cwd, files)


def _update(hunk: UpdateFile, path: Path, cwd: Path, files: Files) -> Change:
    before = files.read(path)
    after, ranges = changed(before, hunk.chunks, hunk.path)
    target = path if hunk.move_to is None else located(hunk.move_to, cwd)
    files.write(target, after)
    if files.is_same(target, path):
        return Change(
            kind="M", name=hunk.path, path=path, before=before, after=after, ranges=ranges
        )
    files.remove(path)
    return Change(
        kind="M",
        name=hunk.move_to or hunk.path,
        path=target,
        before=before,
        after=after,
        source=path,
        ranges=ranges,
    )


def _existing(files: Files, path: Path) -> str | None:
    """The text before, for the record only; None when there is none to show."""
    try:
        return files.read(path)
    except (ToolFailed, OSError):
        return None
