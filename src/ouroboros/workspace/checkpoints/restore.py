"""Puts files back: planned on paper first, so that it can be finished after a crash.

Each name is changed in one step and only if it still is what the plan says; whatever else is found
there stays and is told. No link is followed on the way.
"""

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, field

from ouroboros.workspace.checkpoints.compare import Change
from ouroboros.workspace.checkpoints.objects import LINK, NOT_KEPT, Entry, name_of
from ouroboros.workspace.checkpoints.scan import TEMPORARY

SYNCED_ONE_BY_ONE = 64
"""More files than this are made durable together."""

_INTO = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MADE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ENTERED = 0o700

type Blob = Callable[[bytes], bytes]
type Step = Callable[[str], None]
"""Hears of each step before it is done."""


class Restored(Struct, kw_only=True):
    """What became of a plan; ``left`` are paths that were not changed, and why."""

    changed: list[str] = field(default_factory=list[str])
    left: dict[str, str] = field(default_factory=dict[str, str])


class Restorer:
    """Carries changes out below a folder; it blocks."""

    def __init__(
        self,
        root: Path,
        blob: Blob,
        *,
        mark: str,
        entered: Mapping[str, int] | None = None,
        step: Step = lambda _: None,
    ) -> None:
        """``mark`` is in the names of temporary files; ``entered`` are modes as ``to_enter`` found them."""
        self._root, self._blob, self._step = root, blob, step
        self._prefix = f"{TEMPORARY}{mark}-"
        self._entered = dict(entered or {})
        self._number = 0
        self._together = False
        self.result = Restored()

    def run(self, changes: Sequence[Change]) -> Restored:
        """Makes every ``before`` the ``after``.

        Raises:
            OSError: The disk refused; what was done stays, and running it again goes on.
        """
        wanted = [change for change in changes if self._is_possible(change)]
        self._together = len(wanted) > SYNCED_ONE_BY_ONE
        files = [change for change in wanted if _is_file(change.after)]
        gone = [
            change for change in wanted if _is_file(change.before) and not _is_file(change.after)
        ]
        left = [change for change in wanted if _is_folder(change.before)]
        made = [change for change in wanted if _is_folder(change.after)]
        try:
            self._each("remove", gone, self._unlink)
            emptied = [change for change in reversed(left) if not _is_folder(change.after)]
            self._each("remove folders", emptied, self._rmdir)
            new = [change for change in made if not _is_folder(change.before)]
            self._each("make folders", new, self._mkdir)
            self._each("put", files, self._put)
            self._each("set modes", list(reversed(made)), self._set_mode)
        finally:
            self._leave_folders({change.path for change in made})
        if self._together:
            os.sync()
        return self.result

    def _each(
        self, step: str, changes: list[Change], act: Callable[[int, str, Change], None]
    ) -> None:
        self._step(step)
        for change in changes:
            self._do(change, act)

    def clean(self, changes: Iterable[Change]) -> None:
        """Removes what an earlier process left half written."""
        for path in {change.path.rpartition("/")[0] for change in changes}:
            with suppress(OSError):
                folder = self._open(path)
                try:
                    with os.scandir(folder) as entries:
                        names = [entry.name for entry in entries]
                    for name in names:
                        if name.startswith(self._prefix):
                            os.unlink(name, dir_fd=folder)
                finally:
                    os.close(folder)

    def _is_possible(self, change: Change) -> bool:
        for side in (change.before, change.after):
            if side is not None and side.mode == NOT_KEPT:
                self.result.left[change.path] = "its content was not kept"
                return False
        return True

    def _do(self, change: Change, act: Callable[[int, str, Change], None]) -> None:
        """One change, if what is there is what the plan says."""
        above, _, name = change.path.rpartition("/")
        if change.path in self.result.left:
            return
        try:
            folder = self._open(above)
        except OSError as failed:
            if change.after is not None:
                self.result.left[change.path] = f"its folder: {failed.strerror}"
            return
        try:
            found = state_of(folder, name)
            if found != change.after or _is_folder(change.after):
                self._enter(folder, above)
                act(folder, name, change)
        finally:
            os.close(folder)

    def _unlink(self, folder: int, name: str, change: Change) -> None:
        self._step(f"remove {change.path}")
        if self._is_as_planned(folder, name, change):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
                self._note(change.path)

    def _rmdir(self, folder: int, name: str, change: Change) -> None:
        try:
            os.rmdir(name, dir_fd=folder)
            self._note(change.path)
        except FileNotFoundError:
            pass
        except OSError:
            if change.after is not None:
                self.result.left[change.path] = "a folder with files that are not kept is there"

    def _mkdir(self, folder: int, name: str, change: Change) -> None:
        try:
            os.mkdir(name, _ENTERED, dir_fd=folder)
            self._note(change.path)
        except FileExistsError:
            if not _is_folder(state_of(folder, name)):
                self.result.left[change.path] = "something else is there that is not kept"

    def _put(self, folder: int, name: str, change: Change) -> None:
        after = change.after
        if after is None:
            return
        data = self._blob(after.sha)
        self._number += 1
        beside = f"{self._prefix}{self._number}"
        try:
            if after.mode == LINK:
                os.symlink(os.fsdecode(data), beside, dir_fd=folder)
            else:
                self._write(folder, beside, data, after.mode)
            self._step(f"put {change.path}")
            if self._is_as_planned(folder, name, change):
                os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
                self._note(change.path)
        finally:
            with suppress(OSError):
                os.unlink(beside, dir_fd=folder)

    def _write(self, folder: int, name: str, data: bytes, mode: int) -> None:
        descriptor = os.open(name, _MADE, 0o600, dir_fd=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(descriptor, stat.S_IMODE(mode))
            if not self._together:
                os.fsync(descriptor)

    def _set_mode(self, folder: int, name: str, change: Change) -> None:
        after = change.after
        found = state_of(folder, name)
        if after is None or not _is_folder(found):
            return
        assert found is not None
        self._entered.pop(change.path, None)
        if found.mode != after.mode:
            inner = os.open(name, _INTO, dir_fd=folder)
            try:
                os.fchmod(inner, stat.S_IMODE(after.mode))
            finally:
                os.close(inner)
            self._note(change.path)

    def _is_as_planned(self, folder: int, name: str, change: Change) -> bool:
        """Whether what is there may go; anything that was not seen before stays."""
        found = state_of(folder, name)
        if found in {None, change.before}:
            return True
        why = "it was changed meanwhile" if change.before else "something is there that is not kept"
        self.result.left[change.path] = why
        return False

    def _open(self, path: str) -> int:
        """A folder below the root, no part of whose way is a link; raises ``OSError``."""
        folder = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for part in path.split("/") if path else ():
            try:
                below = os.open(part, _INTO, dir_fd=folder)
            finally:
                os.close(folder)
            folder = below
        return folder

    def _enter(self, folder: int, path: str) -> None:
        """Makes a folder writable for us for as long as this goes on."""
        mode = stat.S_IMODE(os.fstat(folder).st_mode)
        if mode & _ENTERED != _ENTERED:
            # Of what is finished after a crash the plan knows the modes, whatever they are now.
            self._entered.setdefault(path, mode)
            os.fchmod(folder, mode | _ENTERED)

    def _leave_folders(self, made: set[str]) -> None:
        for path, mode in self._entered.items():
            if path in made:
                continue
            with suppress(OSError):
                folder = self._open(path)
                try:
                    os.fchmod(folder, mode)
                finally:
                    os.close(folder)

    def _note(self, path: str) -> None:
        if path not in self.result.changed:
            self.result.changed.append(path)


def state_of(folder: int, name: str) -> Entry | None:
    """What a name in a folder is now, as a tree would say it; None where nothing is.

    A folder has no sha, and what is neither file, link nor folder no mode.
    """
    encoded = os.fsencode(name)
    try:
        seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISDIR(seen.st_mode):
            return Entry(name=encoded, mode=seen.st_mode, sha=b"")
        if stat.S_ISLNK(seen.st_mode):
            data = os.fsencode(os.readlink(name, dir_fd=folder))
            return Entry(name=encoded, mode=LINK, sha=name_of("blob", data))
        if not stat.S_ISREG(seen.st_mode):
            return Entry(name=encoded, mode=0, sha=b"")
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, dir_fd=folder), "rb") as file:
            return Entry(name=encoded, mode=seen.st_mode, sha=name_of("blob", file.read()))
    except FileNotFoundError:
        return None


def to_enter(root: Path, changes: Iterable[Change]) -> dict[str, int]:
    """The modes of folders that must be made writable for these changes."""
    found: dict[str, int] = {}
    for path in {change.path.rpartition("/")[0] for change in changes}:
        with suppress(OSError):
            mode = stat.S_IMODE((root / path).lstat().st_mode)
            if path and mode & _ENTERED != _ENTERED:
                found[path] = mode
    return found


def _is_folder(entry: Entry | None) -> bool:
    return entry is not None and entry.is_folder


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and not entry.is_folder
