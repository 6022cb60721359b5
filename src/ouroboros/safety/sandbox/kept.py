"""What commands may not change, where nothing keeps them from it: looked at before and put back after.

No mount lies over a name that does not exist, and Landlock cannot leave anything out of a folder.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Lock
from weakref import WeakSet

from msgspec import Struct

from ouroboros.safety.sandbox.policy import PROTECTED_NAMES, Policy, lies_in

MOST_ENTRIES, MOST_BYTES = 5_000, 16 * 1024 * 1024
"""What lies below one protected place is remembered up to here."""


_MADE_BY_GIT = frozenset({"modules", "worktrees", "rebase-merge", "rebase-apply"})
"""The person's own git makes these at any time, so a new one is nobody's fault."""

_PLACEHOLDERS: dict[str, bytes | None] = {
    "commondir": b".\n",
    "config.worktree": b"",
    "hooks": None,
}
"""Of a repository, what git reads as if it were not there; None for a folder."""


class _KeptEntry(Struct, frozen=True):
    """One file, link or folder; ``stamp`` changes with everything that is done to it.

    ``content`` is None where there was too much to remember it.
    """

    stamp: tuple[int, ...]
    mode: int
    content: bytes | None = b""


def aside(policy: Policy, notes: list[str]) -> Callable[[], None] | None:
    """What to do once a command has ended, so that no protected name came into being by it.

    ``notes`` gets a line for each that did.
    """
    absent = _absent(policy)
    return (lambda: notes.extend(_set_aside(absent, policy.writable))) if absent else None


def _absent(policy: Policy) -> tuple[Path, ...]:
    """Protected names that are not there, but could be made by a command."""
    if policy.reach == "read-only":
        return ()
    return tuple(
        place
        for place in policy.protected
        if any(lies_in(place, root) for root in policy.writable)
        and not os.path.lexists(place)
        and os.access(place.parent, os.W_OK)
        and place.parent.name != ".git"
    )


def _set_aside(absent: Iterable[Path], roots: tuple[Path, ...]) -> Iterator[str]:
    """Gives what a command made under these names another one."""
    for place in absent:
        if place in _made or not os.path.lexists(place) or _link_above(place, roots) is not None:
            continue
        other = _free_name(place)
        try:
            place.rename(other)
        except OSError as failed:
            yield f"{place} was made in the sandbox and stays: {failed.strerror}"
        else:
            yield f"{place} is {other.name} now: none can be made from inside the sandbox"


def _free_name(place: Path) -> Path:
    names = (
        f"{place.name}.from-sandbox{number}" for number in ("", *(f"-{n}" for n in range(2, 99)))
    )
    free = (name for name in names if not os.path.lexists(place.with_name(name)))
    return place.with_name(next(free, f"{place.name}.from-sandbox-{os.getpid()}"))


class KeptPlaces:
    """What is protected in writable folders, as it was before the commands that run now."""

    def __init__(self, policy: Policy) -> None:
        """Looks at nothing yet."""
        self._places = tuple(
            place
            for place in policy.protected
            if policy.reach == "workspace-write"
            and any(lies_in(place, root) for root in policy.writable)
            # What is hidden no command changes: whoever does that meanwhile is us, as in our own home.
            and not any(lies_in(place, hidden) for hidden in policy.hidden)
        )
        self._roots = policy.writable
        self._once = Lock()
        self._running = 0
        self._before: dict[Path, _KeptEntry] = {}
        _living.add(self)

    def begin(self) -> None:
        """A command is about to start; what has not changed since the last one is not read again. Blocks."""
        with self._once:
            if self._running == 0:
                self._before = self._now()
            self._running += 1

    def end(self, notes: list[str]) -> None:
        """One has ended: makes everything as it was, and notes what was not. Blocks.

        What stood there instead is kept beside it, since somebody else may have written it.
        """
        with self._once:
            self._running -= 1
            now = self._now()
            changed = {
                path
                for path in {**self._before, **now}
                if not _is_same(self._before.get(path), now.get(path))
            }
            for place in self._places:
                own = sorted(path for path in changed if path.is_relative_to(place))
                is_made = place.name in _MADE_BY_GIT and place not in self._before
                if own and not is_made:
                    notes.append(self._put_back(place, own))
            # What others write meanwhile is never taken over.
            same = {path: e for path, e in self._now().items() if path in self._before}
            for path, entry in same.items():
                if _is_same(self._before[path], entry):
                    self._before[path] = entry

    def renew(self, path: Path) -> None:
        """Takes over what we changed ourselves."""
        with self._once:
            for place in self._places:
                if path.is_relative_to(place):
                    kept = {e: v for e, v in self._before.items() if not e.is_relative_to(place)}
                    self._before = kept | self._below(place)

    def _put_back(self, place: Path, changed: list[Path]) -> str:
        told = f"{place} was changed and is put back"
        if (link := _link_above(place, self._roots)) is not None:
            return f"{place} was changed and is not put back: {link} is a link now"
        aside = _free_name(place)
        try:
            for path in changed:
                before = self._before.get(path)
                if os.path.lexists(path) and not (before and _are_folders(path, before)):
                    other = aside / path.relative_to(place) if path != place else aside
                    other.parent.mkdir(parents=True, exist_ok=True)
                    path.rename(other)
                if before is not None:
                    _restore(path, before)
        except OSError as failed:
            told += f", but not all of it: {failed.strerror} ({failed.filename})"
        return f"{told}; what was there is {aside.name}" if os.path.lexists(aside) else told

    def _now(self) -> dict[Path, _KeptEntry]:
        found: dict[Path, _KeptEntry] = {}
        for place in self._places:
            found |= self._below(place)
        return found

    def _below(self, place: Path) -> dict[Path, _KeptEntry]:
        found: dict[Path, _KeptEntry] = {}
        waiting, size = [place], 0
        while waiting and len(found) < MOST_ENTRIES:
            path = waiting.pop()
            try:
                status = path.lstat()
                entry = self._entry(path, status, room=MOST_BYTES - size)
                if stat.S_ISDIR(status.st_mode) and path.name != "objects":
                    waiting += path.iterdir()
            except OSError:
                continue
            size += len(entry.content or b"")
            found[path] = entry
        return found

    def _entry(self, path: Path, status: os.stat_result, *, room: int) -> _KeptEntry:
        mode = status.st_mode
        if stat.S_ISDIR(mode):
            return _KeptEntry((stat.S_IFMT(mode), mode), mode)
        stamp = (status.st_ino, status.st_size, mode, status.st_mtime_ns, status.st_ctime_ns)
        known = self._before.get(path)
        if known is not None and known.stamp == stamp:
            return known
        content: bytes | None = b""
        if stat.S_ISLNK(mode):
            content = os.fsencode(path.readlink())
        elif stat.S_ISREG(mode):
            content = path.read_bytes() if status.st_size <= room else None
        return _KeptEntry(stamp, mode, content)


def _is_same(one: _KeptEntry | None, other: _KeptEntry | None) -> bool:
    if one is None or other is None:
        return one is other
    if one.stamp == other.stamp:
        return True
    return one.content is not None and (one.mode, one.content) == (other.mode, other.content)


def _link_above(place: Path, roots: Iterable[Path]) -> Path | None:
    """A link on the way to a place, below the folder that commands may write: it leads elsewhere."""
    held = tuple(roots)
    above = (
        each for each in place.parents if any(each != r and each.is_relative_to(r) for r in held)
    )
    return next((each for each in above if each.is_symlink()), None)


def _are_folders(path: Path, before: _KeptEntry) -> bool:
    return stat.S_ISDIR(before.mode) and path.is_dir() and not path.is_symlink()


def _restore(path: Path, entry: _KeptEntry) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)  # all around it may be gone as well
    if stat.S_ISDIR(entry.mode):
        path.mkdir(exist_ok=True)
        path.chmod(stat.S_IMODE(entry.mode))
    elif entry.content is None:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    elif stat.S_ISLNK(entry.mode):
        path.symlink_to(os.fsdecode(entry.content))
    elif stat.S_ISREG(entry.mode):
        path.write_bytes(entry.content)
        path.chmod(stat.S_IMODE(entry.mode))


_living: WeakSet[KeptPlaces] = WeakSet()
_made: set[Path] = set()


def changed_by_us(path: Path) -> None:
    """This path was written by us just now, and not by a command."""
    _made.update(each for each in (path, *path.parents) if each.name in PROTECTED_NAMES)
    for each in tuple(_living):
        each.renew(path)


class Placeholders:
    """What a command is kept from making in a repository, in its place while commands run.

    A mount needs something to lie over. Git reads each as if it were not there, so one that a kill
    leaves changes nothing, and the next command takes it away.
    """

    def __init__(self, policy: Policy) -> None:
        """Makes nothing yet."""
        self._places = tuple(
            place
            for place in policy.protected
            if place.name in _PLACEHOLDERS
            and place.parent.name == ".git"
            and any(lies_in(place, root) for root in policy.writable)
        )
        self._once = Lock()
        self._running = 0
        self._ours: set[Path] = set()

    def begin(self) -> None:
        """A command is about to start. Blocks."""
        with self._once:
            self._running += 1
            for place in self._places:
                try:
                    if not os.path.lexists(place) and place.parent.is_dir():
                        _make(place, _PLACEHOLDERS[place.name])
                        self._ours.add(place)
                    elif _is_left(place):
                        self._ours.add(place)
                except OSError:
                    continue

    def end(self) -> None:
        """One has ended. Blocks."""
        with self._once:
            self._running -= 1
            while self._running == 0 and self._ours:
                place = self._ours.pop()
                try:
                    if place.is_dir():
                        place.rmdir()
                    elif _is_left(place):
                        place.unlink()
                except OSError:
                    continue


def _make(place: Path, content: bytes | None) -> None:
    if content is None:
        place.mkdir()
    else:
        with place.open("xb") as file:
            file.write(content)


def _is_left(place: Path) -> bool:
    """Whether a file is one of a run that was killed: git itself writes none like it."""
    content = _PLACEHOLDERS[place.name]
    return content is not None and place.is_file() and place.read_bytes() == content
