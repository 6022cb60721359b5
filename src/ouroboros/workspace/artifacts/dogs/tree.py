"""The files that a bundle meets, on the disk or on paper."""

import errno
import os
import stat
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from ouroboros.core.limits import WRITE_BYTES
from ouroboros.safety.paths.beneath import open_folder
from ouroboros.workspace.artifacts.dogs.plan import Snapshot

type Kind = Literal["missing", "file", "folder", "link", "special", "large", "closed"]


class Seen(NamedTuple):
    """What a path is. ``way`` is the part of it that the kind is about; a link's is told with it.

    A file has a snapshot. What is below a file or a link is of their kind, with their path as way;
    ``closed`` is what may not be read or written, ``large`` what is over the limit.
    """

    kind: Kind
    way: str = ""
    file: Snapshot | None = None


class Tree(Protocol):
    """Files by path, relative and with ``/``."""

    def look(self, path: str) -> Seen:
        """What is there."""
        ...

    def names(self, folder: str) -> Collection[str]:
        """What a folder holds; nothing where there is none. The root is an empty path."""
        ...


class Sketch:
    """Files on paper."""

    def __init__(self, files: Mapping[str, Snapshot]) -> None:
        """By path."""
        self._files = files
        self._folders: dict[str, set[str]] = {}
        for path in files:
            while path:
                path, name = path.rpartition("/")[::2]
                self._folders.setdefault(path, set()).add(name)

    def look(self, path: str) -> Seen:
        """Files, and folders as far as files are in them."""
        parts = path.split("/")
        for count in range(1, len(parts)):
            if (way := "/".join(parts[:count])) in self._files:
                return Seen("file", way)
        if path in self._files:
            return Seen("file", path, self._files[path])
        return Seen("folder" if path in self._folders else "missing", path)

    def names(self, folder: str) -> Collection[str]:
        """The names in a folder."""
        return self._folders.get(folder, ())


class Folder:
    """Files on the disk below a folder; it blocks, and follows no link."""

    def __init__(self, root: Path, *, limit: int = WRITE_BYTES) -> None:
        """``root`` itself may be a link; a file of more than ``limit`` bytes is ``large``."""
        self._root, self._limit = Path(os.path.realpath(root)), limit

    def look(self, path: str) -> Seen:
        """What is there, found part by part."""
        folder = open_folder(self._root)
        parts = path.split("/")
        try:
            for count, part in enumerate(parts, start=1):
                way = "/".join(parts[:count])
                kind = _kind_of(folder, part)
                if count == len(parts) or kind != "folder":
                    return (
                        self._file(folder, part, way)
                        if kind == "file" and way == path
                        else Seen(kind, way)
                    )
                try:
                    below = os.open(part, _INTO, dir_fd=folder)
                except PermissionError:
                    return Seen("closed", way)
                os.close(folder)
                folder = below
        finally:
            os.close(folder)
        return Seen("missing", path)

    def _file(self, folder: int, name: str, path: str) -> Seen:
        try:
            descriptor = os.open(name, _READ, dir_fd=folder)
        except PermissionError:
            return Seen("closed", path)
        except OSError as failed:
            if failed.errno == errno.ELOOP:
                return Seen("link", path)
            raise
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                return Seen("special", path)
            content = file.read(self._limit + 1) or b""
        if len(content) > self._limit:
            return Seen("large", path)
        if not found.st_mode & 0o200:
            return Seen("closed", path)
        return Seen(
            "file", path, Snapshot(content=content, mode=stat.S_IMODE(found.st_mode) & 0o777)
        )

    def names(self, folder: str) -> Collection[str]:
        """The names in a folder."""
        try:
            opened = open_folder(self._root / folder if folder else self._root)
        except OSError:
            return ()
        try:
            with os.scandir(opened) as entries:
                return [entry.name for entry in entries]
        finally:
            os.close(opened)


_INTO = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def _kind_of(folder: int, name: str) -> Kind:
    with suppress(FileNotFoundError):
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISREG(mode):
            return "file"
        if stat.S_ISDIR(mode):
            return "folder"
        return "link" if stat.S_ISLNK(mode) else "special"
    return "missing"
