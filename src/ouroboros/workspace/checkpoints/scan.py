"""One look at a folder: what is new is read into a pack, and out comes the tree that it is now."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol
from zlib import crc32

from msgspec import Struct, field

from ouroboros.workspace.checkpoints.faults import CheckpointFailed, Stopped
from ouroboros.workspace.checkpoints.ignored import Ignored
from ouroboros.workspace.checkpoints.index import File, Folder
from ouroboros.workspace.checkpoints.objects import (
    LINK,
    NOT_KEPT,
    Entry,
    Kind,
    name_of,
    tree_of,
)

TEMPORARY = ".ouro-restoring-"
"""How the names of files begin that are being put in place."""

FRESH_NS = 2_000_000_000
"""What changed so lately is read again next time: its times may not tell another change from this one."""

_READS = 3
_IGNORE_BYTES = 1_048_576
_INTO = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OUT_OF = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


class Sink(Protocol):
    """Where objects go; knows those that are kept already."""

    def put(self, kind: Kind, sha: bytes, data: bytes) -> None:
        """Keeps an object unless it is kept; raises ``OSError`` when there is no room."""
        ...


class Bounds(Struct, frozen=True, kw_only=True):
    """What is looked at, and what is left out.

    Attributes:
        file_bytes: Larger files are named but not kept.
        entries: More names than this are too many.
        new_bytes: More than this is not read at once.
        keep: Patterns of what is kept although it is ignored, as lines of a ``.gitignore``.
        skip: Patterns of what is left out besides, unless a ``.gitignore`` says otherwise.
        apart: Folders that are not entered, such as our own home.
        without: Names that are not looked at wherever they are.
    """

    file_bytes: int = 33_554_432
    entries: int = 200_000
    new_bytes: int = 2_147_483_648
    keep: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    apart: tuple[Path, ...] = ()
    without: frozenset[str] = frozenset()


class Look(Struct, kw_only=True):
    """What a look found; ``left`` are paths that are there but not kept, and why.

    ``odd`` are sockets, pipes and devices, ``inner`` the ``.git`` of repositories below the folder.
    """

    root: Folder
    entries: int = 0
    left: dict[str, str] = field(default_factory=dict[str, str])
    odd: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()


class Scan:
    """Looks at everything below a folder once; it blocks."""

    def __init__(
        self,
        root: Path,
        sink: Sink,
        bounds: Bounds,
        *,
        now: float,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """``now`` in seconds since the epoch; ``stop`` is asked now and then."""
        self._root, self._sink, self._bounds, self._stop = root, sink, bounds, stop
        self._fresh = int(now * 1_000_000_000) - FRESH_NS
        self._keep = Ignored(None, "", pattern_lines(bounds.keep))
        self._apart = set(_places(bounds.apart))
        self._device = 0
        self.entries = self.new_bytes = 0
        self.left: dict[str, str] = {}
        self._odd: set[str] = set()
        self._inner: set[str] = set()

    def look(self, known: Folder | None) -> Look:
        """The folder as it is now, given what it was.

        Raises:
            CheckpointFailed: There are too many names, or the folder is gone.
            Stopped: ``stop`` said so.
            OSError: The sink has no room.
        """
        try:
            descriptor = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as gone:
            raise CheckpointFailed(f"the folder {str(self._root)!r} cannot be read") from gone
        try:
            self._device = os.fstat(descriptor).st_dev
            root = self._folder(
                descriptor, "", known, (outer_rules(self._root, self._bounds.skip), False)
            )
        except RecursionError as deep:
            raise CheckpointFailed(f"folders in {str(self._root)!r} lie too deep") from deep
        finally:
            os.close(descriptor)
        return Look(
            root=root,
            entries=self.entries,
            left=self.left,
            odd=frozenset(self._odd),
            inner=frozenset(self._inner),
        )

    def _folder(
        self, descriptor: int, path: str, known: Folder | None, ignoring: tuple[Ignored, bool]
    ) -> Folder:
        """One folder and all below; ``ignoring`` are the patterns, and whether it is itself ignored."""
        if self._stop():
            raise Stopped("it took too long to look at all files")
        found = _names(descriptor)
        self.entries += len(found)
        if self.entries > self._bounds.entries:
            raise CheckpointFailed(
                f"there are more than {self._bounds.entries} names in {str(self._root)!r}",
                hint="leave some out by a .gitignore, or raise checkpoints.max_entries",
            )
        rules, is_out = ignoring
        if ".gitignore" in found:
            rules = Ignored(rules, path, _content_at(descriptor, ".gitignore"))
        known = known or Folder(mode=0, tree=b"")
        new = Folder(
            mode=os.fstat(descriptor).st_mode,
            tree=b"",
            mark=crc32(self._keep.mark.to_bytes(4), rules.mark),
            is_out=is_out,
        )
        here = _Here(descriptor, path, known, new, rules)
        for name, seen in found.items():
            if name == ".git" and path:
                self._inner.add(f"{path}{name}")
            if name == ".git" or name in self._bounds.without or name.startswith(TEMPORARY):
                continue
            if stat.S_ISDIR(seen.st_mode):
                self._take_folder(here, name, seen)
            elif stat.S_ISREG(seen.st_mode) or stat.S_ISLNK(seen.st_mode):
                self._take_file(here, name, seen)
            else:
                self._odd.add(f"{path}{name}")
        return self._finished(known, new)

    def _take_folder(self, here: "_Here", name: str, seen: os.stat_result) -> None:
        below = here.known.folders.get(name)
        is_out = self._is_out(here, name, below)
        if is_out and below is None:
            here.new.ignored.add(f"{name}/")
            return
        if (seen.st_dev, seen.st_ino) in self._apart:
            return
        if seen.st_dev != self._device:
            self._leave(here, name, seen, "it is another file system")
            return
        try:
            inner = os.open(name, _INTO, dir_fd=here.descriptor)
        except FileNotFoundError:
            return  # it went meanwhile
        except OSError as failed:
            self._leave(here, name, seen, failed.strerror or "it cannot be read")
            return
        try:
            found = self._folder(inner, f"{here.path}{name}/", below, (here.rules, is_out))
        finally:
            os.close(inner)
        if is_out and not found.files and not found.folders:
            here.new.ignored.add(f"{name}/")
        else:
            here.new.folders[name] = found

    def _take_file(self, here: "_Here", name: str, seen: os.stat_result) -> None:
        known = here.known.files.get(name)
        if known is None:
            if self._is_out(here, name, None, is_folder=False):
                here.new.ignored.add(name)
                return
        elif (
            known.changed == seen.st_ctime_ns
            and known.modified == seen.st_mtime_ns
            and known.size == seen.st_size
            and known.mode == seen.st_mode
            and known.number == seen.st_ino
        ):
            here.new.files[name] = known
            return
        if seen.st_size > self._bounds.file_bytes:
            self._leave(here, name, seen, f"it has {seen.st_size} bytes")
            return
        self._read(here, name, seen)

    def _is_out(
        self, here: "_Here", name: str, below: Folder | None, *, is_folder: bool = True
    ) -> bool:
        """Whether a name is ignored, looked up where it was judged by the same patterns before."""
        if here.new.is_out:
            return True
        if here.known.mark == here.new.mark:
            if below is not None:
                return below.is_out
            if (f"{name}/" if is_folder else name) in here.known.ignored:
                return True
        path = f"{here.path}{name}"
        if self._keep.verdict(path, is_folder=is_folder):
            return False
        return bool(here.rules.verdict(path, is_folder=is_folder))

    def _read(self, here: "_Here", name: str, seen: os.stat_result) -> None:
        before = seen
        data = b""
        try:
            for _ in range(_READS):
                before = seen
                data, seen = _content(here.descriptor, name, self._bounds.file_bytes)
                if _look(before) == _look(seen):
                    break
        except FileNotFoundError:
            return  # it went meanwhile
        except OSError as failed:
            self._leave(here, name, seen, failed.strerror or "it cannot be read")
            return
        self.new_bytes += len(data)
        if self.new_bytes > self._bounds.new_bytes:
            raise CheckpointFailed(
                f"there are more than {self._bounds.new_bytes} bytes in {str(self._root)!r}",
                hint="leave some out by a .gitignore, or raise checkpoints.max_bytes",
            )
        sha = name_of("blob", data)
        self._sink.put("blob", sha, data)
        is_sure = max(seen.st_ctime_ns, seen.st_mtime_ns) < self._fresh
        here.new.files[name] = File(
            mode=seen.st_mode,
            size=seen.st_size,
            modified=seen.st_mtime_ns,
            changed=seen.st_ctime_ns if is_sure and _look(before) == _look(seen) else -1,
            number=seen.st_ino,
            sha=sha,
        )

    def _leave(self, here: "_Here", name: str, seen: os.stat_result, why: str) -> None:
        """Notes that something is there whose content is not kept."""
        self.left[f"{here.path}{name}"] = why
        is_folder = stat.S_ISDIR(seen.st_mode)
        times = "" if is_folder else f"{seen.st_size} {seen.st_mtime_ns} {seen.st_ino}"
        here.new.files[name] = File(
            mode=NOT_KEPT,
            size=seen.st_size,
            modified=seen.st_mtime_ns,
            changed=-1,
            number=seen.st_ino,
            sha=name_of("blob", f"not kept {times}".encode()),
        )

    def _finished(self, known: Folder, new: Folder) -> Folder:
        """The folder with its tree: the known one, where all is as it was."""
        if (
            known.tree
            and known.mode == new.mode
            and known.files == new.files
            and known.folders.keys() == new.folders.keys()
            and all(new.folders[name] is below for name, below in known.folders.items())
        ):
            known.ignored, known.mark, known.is_out = new.ignored, new.mark, new.is_out
            return known
        data = tree_of(entries_in(new))
        new.tree = name_of("tree", data)
        self._sink.put("tree", new.tree, data)
        return new


def outer_rules(root: Path, skip: tuple[str, ...]) -> Ignored:
    """What is ignored from outside of the root: by us, by Git's own list, by folders above."""
    rules = Ignored(None, "", pattern_lines(skip))
    around = (root, *root.parents)
    top = next((folder for folder in around if (folder / ".git").exists()), None)
    if top is None:
        return rules
    above = [folder for folder in reversed(around[1:]) if folder.is_relative_to(top)]
    files = [(top, top / ".git" / "info" / "exclude")]
    files += [(folder, folder / ".gitignore") for folder in above]
    for folder, file in files:
        inside = root.relative_to(folder).as_posix()
        rules = Ignored(rules, "", _bytes(file), outer="" if inside == "." else f"{inside}/")
    return rules


class _Here(NamedTuple):
    """The folder that is being looked at."""

    descriptor: int
    path: str
    known: Folder
    new: Folder
    rules: Ignored


def entries_in(folder: Folder) -> Iterator[Entry]:
    """What a tree says of a folder; of its own bits a link has none."""
    for name, file in folder.files.items():
        mode = LINK if stat.S_ISLNK(file.mode) else file.mode
        yield Entry(name=os.fsencode(name), mode=mode, sha=file.sha)
    for name, below in folder.folders.items():
        yield Entry(name=os.fsencode(name), mode=below.mode, sha=below.tree)


def _names(descriptor: int) -> dict[str, os.stat_result]:
    found: dict[str, os.stat_result] = {}
    with os.scandir(descriptor) as entries:
        for entry in entries:
            try:
                found[entry.name] = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # it went meanwhile
    return found


def _content(folder: int, name: str, most: int) -> tuple[bytes, os.stat_result]:
    """A file's bytes or a link's target, and how it looked right after; raises ``OSError``."""
    seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISLNK(seen.st_mode):
        return os.fsencode(os.readlink(name, dir_fd=folder)), seen
    descriptor = os.open(name, _OUT_OF, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no file any more", name)
        data = file.read(most + 1)
        if len(data) > most:
            raise OSError(errno.EFBIG, f"it has over {most} bytes", name)
        return data, os.fstat(descriptor)


def _content_at(folder: int, name: str) -> bytes:
    """What an ignore file says; nothing when it is a link or cannot be read, as for Git."""
    try:
        descriptor = os.open(name, _OUT_OF, dir_fd=folder)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return file.read(_IGNORE_BYTES) if is_file else b""


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()[:_IGNORE_BYTES]
    except OSError:
        return b""


def _look(seen: os.stat_result) -> tuple[int, int, int, int]:
    return seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino


def pattern_lines(patterns: tuple[str, ...]) -> bytes:
    """Patterns as the content of an ignore file."""
    return "\n".join(patterns).encode("utf-8", "surrogateescape")


def _places(folders: tuple[Path, ...]) -> Iterator[tuple[int, int]]:
    for folder in folders:
        with suppress(OSError):
            found = folder.stat()
            yield found.st_dev, found.st_ino
