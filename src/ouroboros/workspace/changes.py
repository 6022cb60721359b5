"""The net change of files over a while, without git: what each was when first touched, against now.

Only paths that somebody touches are looked at: the tools that write files say which before they do. What
a command changes elsewhere is not seen. The text is git's. Source: codex, section 22.
"""

import os
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePath

from msgspec import Struct

from ouroboros.safety.steering import steers
from ouroboros.workspace.diff import lines_of, quoted_name, unified

LARGEST_BYTES = 2_097_152
"""Larger files are told by their names only."""

DIFF_CHARS = 1_000_000
"""Larger diffs end with a line that says what is left out."""

MOST_FOLDERS = 2_000
"""So many folders are looked into for files that steer, the upper ones first."""

_FILLED = frozenset({
    *("node_modules", "site-packages", "__pycache__", "venv", ".venv", ".tox", ".nox", ".paws"),
})
"""Not looked into: programs fill them."""

_ALIKE = 0.5
_PAIRS = 2_500
_NAMED = 20
_NOTHING = "0" * 40


class Side(Struct, frozen=True, kw_only=True):
    """A file at one time; ``data`` is None where it is too large, or cannot be read."""

    mode: str
    data: bytes | None = None
    size: int = 0

    @property
    def blob(self) -> str:
        """The name that git would give the content."""
        import hashlib  # a run that changes nothing never loads it

        data = self.data or b""
        return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()

    @property
    def text(self) -> str | None:
        """None where it is no text."""
        if self.data is None or b"\0" in self.data:
            return None
        try:
            return self.data.decode()
        except UnicodeDecodeError:
            return None


class Changes:
    """Keeps what files were when they were first touched; ``touch`` and ``diff`` read the disk."""

    def __init__(self, root: Path) -> None:
        """Paths are shown as they lie under ``root``."""
        self._root = root
        self._before: dict[Path, Side | None] = {}

    @property
    def has_any(self) -> bool:
        """Whether anything was touched."""
        return bool(self._before)

    def touch(self, paths: Iterable[Path]) -> None:
        """These are about to be changed."""
        for path in paths:
            if path not in self._before:
                self._before[path] = side_of(path)

    def clear(self) -> None:
        """Begins anew."""
        self._before.clear()

    def diff(self) -> str:
        """What came of it all, sorted by name; empty when everything is as it was."""
        changed = {
            path: (before, now)
            for path, before in self._before.items()
            if (now := side_of(path)) != before
        }
        return told(changed, self._name)

    def _name(self, path: Path) -> str:
        shown = path.relative_to(self._root) if path.is_relative_to(self._root) else path
        return shown.as_posix().lstrip("/").encode("utf-8", "replace").decode()


class SteeringFiles:
    """The files below a folder that steer later runs, looked at before and after; reads the disk."""

    def __init__(self, root: Path, home: Path) -> None:
        """Looks at nothing yet, and never below ``home``, where the product keeps what it does itself."""
        self._root, self._home = root, str(home)
        self._before: dict[str, bytes] | None = None

    @property
    def has_begun(self) -> bool:
        """Whether they were looked at."""
        return self._before is not None

    def begin(self) -> None:
        """They are as they are before anything happens."""
        self._before = self._now()

    def changed(self) -> tuple[str, ...]:
        """Which of them came, went or are others since; begins anew."""
        before, self._before = self._before or {}, None
        now = self._now()
        return tuple(sorted(path for path in before | now if before.get(path) != now.get(path)))

    def _now(self) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        waiting, looked = deque([""]), 0
        while waiting and looked < MOST_FOLDERS:
            folder, looked = waiting.popleft(), looked + 1
            # Of a repository its settings and hooks: what git writes at each commit steers nothing.
            is_git = PurePath(folder).name == ".git"
            for entry in _entries(self._root / folder):
                if is_git and entry.name not in {"config", "config.worktree", "hooks"}:
                    continue
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in _FILLED and entry.path != self._home:
                        waiting.append(path)
                elif steers(path) and (side := side_of(Path(entry.path))) is not None:
                    size = f"{side.mode} {side.size} ".encode()
                    found[path.encode("utf-8", "replace").decode()] = size + (side.data or b"")
        return found


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def told(
    changed: Mapping[Path, tuple[Side | None, Side | None]], name: Callable[[Path], str]
) -> str:
    """What was and is at some paths, as git shows it, sorted by ``name``; what moved as a rename."""
    moved = dict(moves(changed))
    blocks: list[tuple[str, str]] = []
    for path, (before, now) in changed.items():
        if path in moved.values():
            continue
        source = moved.get(path)
        old = path if source is None else source
        was = before if source is None else changed[source][0]
        blocks.append((name(path), _block(name(old), name(path), was, now)))
    return _bounded(sorted(blocks))


def side_of(path: Path) -> Side | None:
    """What is at a path, links not followed; None where there is nothing, or no file."""
    try:
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            target = os.fsencode(path.readlink())
            return Side(mode="120000", data=target, size=len(target))
        if not stat.S_ISREG(found.st_mode):
            return None
        mode = "100755" if found.st_mode & stat.S_IXUSR else "100644"
        if found.st_size > LARGEST_BYTES:
            # Its time stands for its content.
            return Side(mode=mode, size=found.st_size ^ found.st_mtime_ns)
        return Side(mode=mode, data=path.read_bytes(), size=found.st_size)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return Side(mode="100644")


def moves(changed: Mapping[Path, tuple[Side | None, Side | None]]) -> Iterator[tuple[Path, Path]]:
    """New paths whose text is that of a path that is gone, or much like it: new, then old."""
    gone = {path: before for path, (before, now) in changed.items() if before and now is None}
    made = {path: now for path, (before, now) in changed.items() if now and before is None}
    if len(gone) * len(made) > _PAIRS:
        return
    for path, now in made.items():
        likeness = {old: _likeness(before, now) for old, before in gone.items()}
        best = max(likeness, key=lambda old: likeness[old], default=None)
        if best is not None and likeness[best] >= _ALIKE:
            del gone[best]
            yield path, best


def _likeness(one: Side, other: Side) -> float:
    if one.data is not None and one.data == other.data:
        return 1.0
    first, second = one.text, other.text
    if first is None or second is None:
        return 0.0
    left, right = set(lines_of(first)), set(lines_of(second))
    return len(left & right) / max(1, len(left), len(right))


def _block(old: str, new: str, before: Side | None, now: Side | None) -> str:
    lines = [f"diff --git {quoted_name(old, 'a/')} {quoted_name(new, 'b/')}"]
    if before is None and now is not None:
        lines.append(f"new file mode {now.mode}")
    elif before is not None and now is None:
        lines.append(f"deleted file mode {before.mode}")
    elif before is not None and now is not None and before.mode != now.mode:
        lines += [f"old mode {before.mode}", f"new mode {now.mode}"]
    if old != new:
        lines += [f"rename from {quoted_name(old)}", f"rename to {quoted_name(new)}"]
    head = "\n".join(lines) + "\n"
    if (
        before is not None
        and now is not None
        and (before.data, before.size) == (now.data, now.size)
    ):
        return head
    return head + _body(old, new, before, now)


def _body(old: str, new: str, before: Side | None, now: Side | None) -> str:
    left, right = (
        ("/dev/null" if before is None else quoted_name(old, "a/")),
        ("/dev/null" if now is None else quoted_name(new, "b/")),
    )
    was, is_now = _text(before), _text(now)
    names = [_NOTHING if side is None else side.blob for side in (before, now)]
    mode = f" {now.mode}" if before and now and before.mode == now.mode else ""
    index = f"index {names[0]}..{names[1]}{mode}\n"
    if was is None or is_now is None:
        return f"{index}Binary files {left} and {right} differ\n"
    hunks = unified(was, is_now, new).split("\n", 2)
    if len(hunks) < 3:
        return index  # an empty file that came or went
    return f"{index}--- {left}\n+++ {right}\n{hunks[2]}"


def _text(side: Side | None) -> str | None:
    return "" if side is None else side.text


def _bounded(blocks: list[tuple[str, str]]) -> str:
    kept: list[str] = []
    left: list[str] = []
    size = 0
    for name, block in blocks:
        if size + len(block) > DIFF_CHARS:
            left.append(quoted_name(name))
            continue
        size += len(block)
        kept.append(block)
    if left:
        names = ", ".join(left[:_NAMED]) + (", ..." if len(left) > _NAMED else "")
        what = "one more file" if len(left) == 1 else f"{len(left)} more files"
        kept.append(f"[the changes of {what} are too large to show: {names}]\n")
    return "".join(kept)
