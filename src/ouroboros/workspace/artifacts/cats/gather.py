"""Which files a bundle is made of: paths, folders and globs, without what is ignored; blocks."""

import os
import stat
from pathlib import Path

from msgspec import Struct

from ouroboros.core.errors import Misuse
from ouroboros.safety.paths.patterns import alternatives, fixed_part
from ouroboros.workspace.artifacts.paths import fault_of, is_git
from ouroboros.workspace.checkpoints.ignored import Ignored
from ouroboros.workspace.checkpoints.scan import outer_rules, pattern_lines
from ouroboros.workspace.files import near_names

IGNORE_FILE = ".pawsignore"
"""At the project's root; what it says goes before what a ``.gitignore`` says."""

DEFAULT_OUTPUT = "cats.md"
PART = ".cats-part"
"""How the names of bundles end that are not finished yet."""

OWN_FOLDER = ".paws"
"""At the project's root: work sessions, plans and answers; never taken with the folder it lies in."""

EXCLUDES = (
    *(".git", ".hg", ".svn", "node_modules", ".venv", "venv", ".tox", ".nox", ".eggs"),
    *("__pycache__", "*.pyc", "*.pyo", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".cache"),
    *(".DS_Store", "Thumbs.db", ".ouroboros/", DEFAULT_OUTPUT, "dogs.md"),
)
"""Left out unless the person says otherwise, as lines of an ignore file."""

MOST_FILES = 500_000
_IGNORE_BYTES = 1_048_576
_MARKS = frozenset("*?[{")


class Wish(Struct, frozen=True, kw_only=True):
    """What to look for.

    Attributes:
        root: The project's folder, a real path.
        cwd: Where names and patterns are counted from, a real path at or below the root.
        paths: Files, folders and globs as the person wrote them.
        listed: Files and folders as a program wrote them: no globs, and what is gone is left out.
        exclude: Patterns of what is left out whoever names it, as lines of an ignore file.
        own: Files that we write, real paths.
        is_ignoring: Ignore files count.
        has_defaults: ``EXCLUDES`` count.
    """

    root: Path
    cwd: Path
    paths: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    own: tuple[Path, ...] = ()
    is_ignoring: bool = True
    has_defaults: bool = True


class Listed(Struct, frozen=True, kw_only=True):
    """One file below the root; ``is_named`` when the person named it, and not only a folder of it."""

    path: str
    size: int
    is_executable: bool = False
    is_named: bool = False


class Gathered(Struct, frozen=True, kw_only=True):
    """The files in order of their paths, and what was left out and why."""

    files: tuple[Listed, ...]
    left: dict[str, str]


def gather(wish: Wish) -> Gathered:
    """Looks for files; links are not followed, but one that is named stands for what it leads to.

    Raises:
        Misuse: A path is missing, outside of the project or no file; a glob fits nothing.
    """
    search = _Search(wish)
    for path in wish.paths:
        search.add(path)
    for path in wish.listed:
        search.add(path, is_listed=True)
    files = tuple(search.found[path] for path in sorted(search.found))
    return Gathered(files=files, left=dict(sorted(search.left.items())))


class _NoFile(Misuse):
    """A name that stands for nothing that can be taken; ``why`` without the name."""

    def __init__(self, message: str, why: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.why = why


class _Search:
    """What was found so far."""

    def __init__(self, wish: Wish) -> None:
        self.wish = wish
        self.found: dict[str, Listed] = {}
        self.left: dict[str, str] = {}
        inside = wish.cwd.relative_to(wish.root).as_posix()
        self._here = "" if inside == "." else f"{inside}/"
        lines = pattern_lines(wish.exclude)
        self._excluded = Ignored(Ignored(None, "", lines), self._here, lines)
        self._rules = _Rules(wish)
        self._own = {(seen.st_dev, seen.st_ino) for seen in map(_status, wish.own) if seen}

    def add(self, path: str, *, is_listed: bool = False) -> None:
        """Takes one path, folder or glob; what of a list cannot be taken is noted."""
        if not path or "\0" in path:
            raise Misuse(f"{path!r} names no file")
        place = Path(os.path.normpath(self.wish.cwd / path))
        try:
            if os.path.lexists(place):
                self._add(path, place)
            elif is_listed:
                self.left[path] = "it is not there"
            elif _MARKS & set(path):
                self._glob(path)
            else:
                raise Misuse(f"there is no {path!r}{near_names(place)}")
        except _NoFile as wrong:
            if not is_listed:
                raise
            self.left[path] = wrong.why

    def _add(self, path: str, place: Path) -> None:
        real = Path(os.path.realpath(place))
        if not real.is_relative_to(self.wish.root):
            raise _NoFile(
                f"{path!r} lies outside of the project {str(self.wish.root)!r}",
                "it leads out of the project",
                hint="run it in that project, or name another root: `--root FOLDER`",
            )
        inside = real.relative_to(self.wish.root).as_posix()
        seen = _status(real)
        if seen is not None and stat.S_ISDIR(seen.st_mode):
            base = "" if inside == "." else f"{inside}/"
            if not self._is_excluded_above(base):
                self._walk(base)
        elif seen is not None and stat.S_ISREG(seen.st_mode):
            if not self._is_excluded_above(inside):
                self._take(inside, seen, is_named=True)
        else:
            why = "is neither a file nor a folder"
            raise _NoFile(f"{path!r} {why}", f"it {why}")

    def _glob(self, path: str) -> None:
        before = len(self.found)
        count = 0
        for glob in alternatives(path):
            whole = os.path.normpath(f"{self._here}{glob}")
            if glob.startswith("/") or whole.startswith("../") or whole == "..":
                raise Misuse(f"{path!r} leads out of the project", hint="name folders below it")
            start = fixed_part(whole)
            base = "" if start == "." else f"{start}/"
            fits = Ignored(None, "", pattern_lines((f"/{whole}",)))
            count += self._walk(base, fits)
        if not count and len(self.found) == before:
            raise Misuse(f"nothing fits {path!r}", hint="`**/` stands for folders of any depth")

    def _walk(self, base: str, fits: Ignored | None = None) -> int:
        """Takes what is below a folder, as far as it fits; says how many files that were."""
        taken = 0
        waiting: list[tuple[str, Ignored | None]] = [(base, fits)]
        while waiting:
            folder, wanted = waiting.pop()
            for entry in self._entries(folder):
                path = f"{folder}{entry.name}"
                try:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if self._is_left(path, is_folder=is_folder):
                        continue
                    does_fit = wanted is None or bool(wanted.verdict(path, is_folder=is_folder))
                    if is_folder:
                        waiting.append((f"{path}/", None if does_fit else wanted))
                    elif does_fit:
                        seen = entry.stat(follow_symlinks=False)
                        taken += self._take(path, seen, is_named=fits is not None)
                except OSError as failed:
                    self.left[path] = failed.strerror or "it cannot be read"
        return taken

    def _entries(self, folder: str) -> list["os.DirEntry[str]"]:
        try:
            with os.scandir(self.wish.root / folder) as entries:
                return list(entries)
        except OSError as failed:
            self.left[folder] = failed.strerror or "it cannot be read"
            return []

    def _take(self, path: str, seen: os.stat_result, *, is_named: bool) -> bool:
        if (seen.st_dev, seen.st_ino) in self._own or path.endswith(PART):
            return False
        if stat.S_ISLNK(seen.st_mode):
            self.left[path] = "it is a link"
        elif not stat.S_ISREG(seen.st_mode):
            self.left[path] = "it is no regular file"
        elif fault := fault_of(path):
            self.left[path] = f"its path cannot be told: {fault}"
        elif len(self.found) >= MOST_FILES:
            raise Misuse(f"there are more than {MOST_FILES} files", hint="name fewer, or use -x")
        else:
            had = self.found.get(path)
            self.found[path] = Listed(
                path=path,
                size=seen.st_size,
                is_executable=bool(seen.st_mode & stat.S_IXUSR),
                is_named=is_named or (had is not None and had.is_named),
            )
            return True
        return False

    def _is_excluded_above(self, path: str) -> bool:
        """Whether a pattern of the person's leaves out a path, or a folder above it."""
        parts = path.split("/")
        above = ("/".join(parts[:count]) for count in range(1, len(parts)))
        if any(self._excluded.verdict(folder, is_folder=True) for folder in above):
            return True
        return bool(parts[-1]) and bool(self._excluded.verdict(path, is_folder=False))

    def _is_left(self, path: str, *, is_folder: bool) -> bool:
        if path == OWN_FOLDER or is_git(path.rpartition("/")[2]):
            return True
        if self._excluded.verdict(path, is_folder=is_folder):
            return True
        return self._rules.is_left(path, is_folder=is_folder)


class _Rules:
    """What ignore files and our own list leave out."""

    def __init__(self, wish: Wish) -> None:
        self._root, self._is_ignoring = wish.root, wish.is_ignoring
        lines = pattern_lines(EXCLUDES) if wish.has_defaults else b""
        self._defaults = Ignored(None, "", lines)
        own = _bytes(wish.root / IGNORE_FILE) if wish.is_ignoring else b""
        self._own = Ignored(None, "", own)
        outer = outer_rules(wish.root, ()) if wish.is_ignoring else None
        self._by_folder: dict[str, Ignored | None] = {"": self._with(outer, "")}

    def is_left(self, path: str, *, is_folder: bool) -> bool:
        """Whether a name is left out whose folder is not."""
        said = self._own.verdict(path, is_folder=is_folder)
        if said is None and self._is_ignoring:
            above = path.rpartition("/")[0]
            rules = self._of(f"{above}/" if above else "")
            said = rules.verdict(path, is_folder=is_folder) if rules else None
        if said is None:
            said = self._defaults.verdict(path, is_folder=is_folder)
        return bool(said)

    def _of(self, folder: str) -> Ignored | None:
        """The rules of a folder's ``.gitignore`` and those above."""
        missing: list[str] = []
        at = folder
        while at not in self._by_folder:
            missing.append(at)
            above = at[:-1].rpartition("/")[0]
            at = f"{above}/" if above else ""
        for each in reversed(missing):
            self._by_folder[each] = self._with(self._by_folder[at], each)
            at = each
        return self._by_folder[folder]

    def _with(self, above: Ignored | None, folder: str) -> Ignored | None:
        data = _bytes(self._root / folder / ".gitignore") if self._is_ignoring else b""
        return Ignored(above, folder, data) if data else above


def _bytes(path: Path) -> bytes:
    """What an ignore file says; nothing where it is a link, special or not there, as for git."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return b""
        with path.open("rb") as file:
            return file.read(_IGNORE_BYTES)
    except OSError:
        return b""


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
