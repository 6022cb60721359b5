"""What is under way in a folder, and how it is taken back. Everything here blocks; no link is followed."""

import errno
import hashlib
import os
import stat
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ouroboros.safety.paths.beneath import open_folder
from ouroboros.workspace.checkpoints.scan import TEMPORARY

_MADE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_NONE = ""
_OTHER = "no file"


class Step(Struct, frozen=True, kw_only=True):
    """One name that changes.

    Attributes:
        number: In the names of what is put aside for it.
        aside: The folder where that is, one that is there from beginning to end.
        before: The digest of what must be there; empty for nothing.
        after: The digest of what will be.
    """

    path: str
    number: int
    aside: str
    before: str
    after: str


class Journal(Struct, frozen=True, kw_only=True):
    """All that is needed to take changes back.

    Attributes:
        folders: Were not there before.
        emptied: Gave way to a file, with their modes.
    """

    mark: str
    state: Literal["going", "done"]
    steps: tuple[Step, ...]
    folders: tuple[str, ...] = ()
    emptied: tuple[tuple[str, int], ...] = ()


class Place:
    """A folder, and files that are put aside in it under names of their own."""

    def __init__(self, root: Path, mark: str) -> None:
        """``root`` is a real path; ``mark`` tells these names from others."""
        self.root, self.mark = root, mark

    def folder(self, path: str, *, make: bool = False) -> int:
        """A descriptor of a folder by its path; the caller closes it.

        Raises:
            OSError: It is missing, or a link stands in its way.
        """
        return open_folder(self.root / path if path else self.root, make=make)

    def aside(self, step: Step, kind: Literal["new", "old"]) -> str:
        """The name of a step's new text, or of what was there."""
        return f"{TEMPORARY}{self.mark}-{step.number}.{kind}"

    def undo(self, journal: Journal) -> list[str]:
        """Puts back what was there; paths that somebody has changed meanwhile stay, and are given."""
        left: list[str] = []
        for step in reversed(journal.steps):
            if not step.before:
                self._undo_added(step, left)
        for path in sorted(journal.folders, key=len, reverse=True):
            self._remove_folder(path)
        for path, mode in sorted(journal.emptied):
            self._remake(path, mode)
        for step in reversed(journal.steps):
            if step.before:
                self._undo_changed(step, left)
        for step in journal.steps:
            self._drop(step, "new")
        return list(dict.fromkeys(left))

    def tidy(self, journal: Journal) -> None:
        """Removes what was kept for taking back, and folders that files have left empty."""
        for step in journal.steps:
            self._drop(step, "old")
            self._drop(step, "new")
        gone = {folder for step in journal.steps if not step.after for folder in above(step.path)}
        for path in sorted(gone, key=len, reverse=True):
            self._remove_folder(path)

    @contextmanager
    def _both(self, step: Step, left: list[str]) -> Generator[tuple[int, int] | None]:
        """The folder of a step's path and the one where things are aside; None where one is not there."""
        with ExitStack() as opened:
            found: list[int] = []
            for way in (step.path.rpartition("/")[0], step.aside):
                try:
                    found.append(self.folder(way))
                except (FileNotFoundError, NotADirectoryError):
                    break
                except OSError as failed:
                    if failed.errno != errno.ELOOP:
                        raise
                    left.append(f"{step.path} (a link was put in its way)")
                    break
                opened.callback(os.close, found[-1])
            yield (found[0], found[1]) if len(found) > 1 else None

    def _undo_added(self, step: Step, left: list[str]) -> None:
        name = step.path.rpartition("/")[2]
        with self._both(step, left) as folders:
            if folders is None:
                return
            there, new = status(folders[0], name), status(folders[1], self.aside(step, "new"))
            if there is None or (new is not None and not os.path.samestat(there, new)):
                return
            if digest_of(folders[0], name) == step.after:
                os.unlink(name, dir_fd=folders[0])
            elif new is not None:
                left.append(step.path)

    def _undo_changed(self, step: Step, left: list[str]) -> None:
        name, old = step.path.rpartition("/")[2], self.aside(step, "old")
        with self._both(step, left) as folders:
            if folders is None or status(folders[1], old) is None:
                return
            folder, beside = folders
            found = digest_of(folder, name)
            if found == step.before and step.before != step.after:
                os.unlink(old, dir_fd=beside)
            elif found in {_NONE, step.after}:
                os.rename(old, name, src_dir_fd=beside, dst_dir_fd=folder)
                # Renaming one of two names of a file to the other does nothing.
                with suppress(FileNotFoundError):
                    os.unlink(old, dir_fd=beside)
            else:
                left.append(f"{step.path} (what was there before is kept as {old})")

    def _drop(self, step: Step, kind: Literal["new", "old"]) -> None:
        beside = self._beside(step)
        if beside is None:
            return
        try:
            with suppress(FileNotFoundError):
                os.unlink(self.aside(step, kind), dir_fd=beside)
        finally:
            os.close(beside)

    def _beside(self, step: Step) -> int | None:
        try:
            return self.folder(step.aside)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as failed:
            if failed.errno != errno.ELOOP:
                raise
            return None

    def _remake(self, path: str, mode: int) -> None:
        with suppress(FileExistsError, FileNotFoundError):
            way, _, name = path.rpartition("/")
            folder = self.folder(way)
            try:
                os.mkdir(name, dir_fd=folder)
                os.chmod(name, mode, dir_fd=folder)
            finally:
                os.close(folder)

    def _remove_folder(self, path: str) -> None:
        with suppress(OSError):
            way, _, name = path.rpartition("/")
            folder = self.folder(way)
            try:
                os.rmdir(name, dir_fd=folder)
            finally:
                os.close(folder)


def above(path: str) -> list[str]:
    """The folders that a path is in, the outermost first, the root left out."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def status(folder: int, name: str) -> os.stat_result | None:
    """What a name is, itself; None for nothing."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def digest(content: bytes) -> str:
    """Of a file's bytes."""
    return hashlib.sha256(content).hexdigest()


def digest_of(folder: int, name: str) -> str:
    """Of the file that has this name now; empty for nothing, another word for no regular file."""
    try:
        descriptor = os.open(name, READ, dir_fd=folder)
    except FileNotFoundError:
        return _NONE
    except OSError as failed:
        if failed.errno in {errno.ELOOP, errno.ENXIO}:
            return _OTHER
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return _OTHER
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    finally:
        os.close(descriptor)


def liken(old: int, new: int) -> None:
    """Gives an open file the owner and the attributes of another."""
    found = os.fstat(old)
    with suppress(PermissionError):
        os.fchown(new, found.st_uid, found.st_gid)
    if sys.platform == "linux":
        with suppress(OSError):
            for attribute in os.listxattr(old):
                with suppress(OSError):
                    os.setxattr(new, attribute, os.getxattr(old, attribute))


def copy_beside(folder: int, name: str, beside: int, old: str) -> None:
    """A file's second name where it can have one only: a copy."""
    with os.fdopen(os.open(name, READ, dir_fd=folder), "rb") as file:
        content, mode = file.read(), os.fstat(file.fileno()).st_mode
    descriptor = os.open(old, _MADE, 0o600, dir_fd=beside)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fchmod(descriptor, stat.S_IMODE(mode))
        os.fsync(descriptor)
