"""A copy of the project that planned changes are made to, so that later reads see them."""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from threading import Lock

from ouroboros.core.errors import ToolFailed

LEFT_OUT = frozenset({
    *(".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".paws"),
    *(".mypy_cache", ".pytest_cache", ".ruff_cache"),
})
"""Folders that are not copied; what is in them is read where it is."""

_PREFIX = "ouro-plan-"
MOST_BYTES = 1_073_741_824
MOST_FILES = 100_000


type Changed = tuple[str, bytes | None, bytes | None]
"""A file by its path: what it is, and what it would be; None for nothing."""


class Overlay:
    """The project as the plan would leave it; copied when something is planned to be written.

    Every method blocks.
    """

    def __init__(self, root: Path) -> None:
        """``root`` is the project, a real path; it is only ever read."""
        self.root = root
        self._folder: Path | None = None
        self._one = Lock()  # two calls at a time must not copy twice

    @property
    def is_there(self) -> bool:
        """Whether anything was planned to be written yet."""
        return self._folder is not None

    @property
    def top(self) -> Path:
        """Where the project is read: the copy, or the project itself while nothing is planned."""
        return self._folder or self.root

    def ready(self) -> Path:
        """The copy, made now if it is not there.

        Raises:
            ToolFailed: The project is too large, or there is no room.
        """
        with self._one:
            if self._folder is None:
                _tidied()
                above = Path(mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")).resolve()
                folder = above / self.root.name if self.root.name else above / "root"
                try:
                    _copied(self.root, folder)
                except (OSError, ToolFailed) as failed:
                    shutil.rmtree(above, ignore_errors=True)
                    why = failed.message if isinstance(failed, ToolFailed) else str(failed)
                    raise ToolFailed(f"the plan cannot hold this change: {why}") from failed
                self._folder = folder
        return self._folder

    def close(self) -> None:
        """Removes the copy."""
        if self._folder is not None:
            shutil.rmtree(self._folder.parent, ignore_errors=True)

    def inside(self, path: Path) -> bool:
        """Whether a path of the copy stays in it, links followed."""
        return Path(os.path.realpath(path)).is_relative_to(self.top)

    def to_copy(self, text: str) -> str:
        """A text with the project's path replaced by that of the copy."""
        return _replaced(text, str(self.root), str(self.top))

    def to_project(self, text: str) -> str:
        """A text with the copy's path replaced by that of the project."""
        return _replaced(text, str(self.top), str(self.root))

    def real(self, path: Path) -> Path:
        """A path of the copy as it is called in the project."""
        return self.root / path.relative_to(self.top) if path.is_relative_to(self.top) else path

    def changed(self) -> Iterator[Changed]:
        """Each file that differs."""
        if self._folder is None:
            return
        names = sorted({*_names(self.root), *_names(self._folder)} - {".git"})
        for name in names:
            before, after = _content(self.root / name), _content(self._folder / name)
            if before != after:
                yield name, before, after


def _tidied() -> None:
    """Removes copies of processes that were killed."""
    for path in Path(gettempdir()).glob(f"{_PREFIX}*-*"):
        pid = path.name.removeprefix(_PREFIX).partition("-")[0]
        if not pid.isdecimal():
            continue
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            with suppress(OSError):
                if path.lstat().st_uid == os.getuid():
                    shutil.rmtree(path)
        except OSError:
            continue  # it lives, and is somebody else's


def _replaced(text: str, old: str, new: str) -> str:
    """The path where it stands as a whole one, and not as the beginning of another name."""
    if old == new or old == "/":
        return text
    pieces = text.split(old)
    found = pieces[0]
    for piece in pieces[1:]:
        is_whole = not piece or not (piece[0].isalnum() or piece[0] in "_.-")
        found += (new if is_whole else old) + piece
    return found


def _names(top: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        at = Path(folder)
        links = [name for name in folders if (at / name).is_symlink()]
        for name in (*files, *links):
            yield str((at / name).relative_to(top))


def _content(path: Path) -> bytes | None:
    with suppress(OSError):
        if path.is_symlink():
            return os.fsencode(path.readlink())
        if stat.S_ISREG(path.stat().st_mode):
            return path.read_bytes()
    return None


def _copied(root: Path, folder: Path) -> None:
    size = count = 0
    for at, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        here = folder / Path(at).relative_to(root)
        here.mkdir(parents=True, exist_ok=True)
        for name in (*files, *folders):
            source, target = Path(at) / name, here / name
            seen = source.lstat()
            if stat.S_ISLNK(seen.st_mode):
                _linked(root, source, target)
            elif stat.S_ISREG(seen.st_mode):
                size, count = size + seen.st_size, count + 1
                if size > MOST_BYTES or count > MOST_FILES:
                    raise ToolFailed(f"{str(root)!r} holds more than a plan copies")
                with suppress(PermissionError):
                    shutil.copy2(source, target)
    git = root / ".git"
    if git.is_dir():
        (folder / ".git").write_text(f"gitdir: {git}\n", "utf-8")
    elif git.is_file():
        shutil.copy2(git, folder / ".git")


def _linked(root: Path, source: Path, target: Path) -> None:
    """The link again; an absolute one into the project leads into the copy, so that no write leaves it."""
    goal = source.readlink()
    if goal.is_absolute() and goal.is_relative_to(root):
        goal = Path(os.path.relpath(goal, source.parent))
    target.symlink_to(goal)
