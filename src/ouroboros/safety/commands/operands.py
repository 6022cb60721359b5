"""Whether the paths that a command names may be read without asking."""

import os
import posixpath
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from ouroboros.safety.commands.grammar import Word
from ouroboros.safety.commands.verdict import Doubt
from ouroboros.safety.paths import Places, real
from ouroboros.safety.paths.secret_names import is_secret_name

_SYSTEM = tuple(
    map(
        Path,
        (
            "/usr/include",
            "/usr/lib",
            "/usr/local/include",
            "/usr/local/lib",
            "/usr/share",
            "/usr/bin",
            "/usr/local/bin",
            "/usr/sbin",
            "/bin",
            "/lib",
            "/sbin",
        ),
    )
)
_FILES = frozenset({
    "/dev/null",
    "/etc/debian_version",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/issue",
    "/etc/lsb-release",
    "/etc/os-release",
    "/etc/timezone",
    "/proc/cpuinfo",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/uptime",
    "/proc/version",
})
"""Places of the system that hold nothing of a person's."""

_MACHINE = ("/dev/", "/proc/", "/sys/", "//")
_NEVER_ROOTS = frozenset(
    map(Path, ("/", "/etc", "/proc", "/sys", "/dev", "/root", "/home", "/var", "/boot", "/run"))
)
_COMMON = re.compile(r"(^|/)\*\.(json|ya?ml|toml|txt|ini|xml|csv)$")
"""Patterns for any file of a common kind; what they stand for is looked at one by one."""

_DELETES_FILES = re.compile(r"-[fivI]+|--|--force|--verbose|--interactive(=\w+)?")
"""Options of ``rm`` that leave folders alone."""

_DEEPEST = 16
_MOST = 400
_MOST_FOLDERS = 16


class Ground:
    """Where a command stands: its folders, as a text may have changed them, and the places."""

    def __init__(self, cwd: Path, places: Places) -> None:
        """``cwd`` and ``places`` are resolved."""
        self.cwds = (cwd,)
        self.places = places
        self.repositories: set[Path] = set()
        self._left: tuple[Path, ...] = ()
        self._home = str(places.home) if places.home else "\0"
        self._parents: dict[str, str] = {}
        self._roots = tuple(
            f"{root}/"
            for root in (*places.roots, *places.readable, *_SYSTEM)
            if root not in _NEVER_ROOTS
        )

    def check(self, words: Iterable[Word]) -> None:
        """Holds each word to be a path that is read.

        Raises:
            Doubt: One leads to where a person has to be asked.
        """
        for word in words:
            for cwd in self.cwds:
                self._check(word, cwd)

    def enter(self, word: Word | None, *, certain: bool) -> None:
        """Follows ``cd``; when it need not succeed, both folders count.

        Raises:
            Doubt: It leads outside, or nobody knows where.
        """
        if word is None or word.is_pattern or word.is_home or word.text.startswith("-"):
            raise Doubt("ask.folder", "it goes to a folder that is not named")
        self.check([word])
        after = tuple(Path(os.path.normpath(cwd / word.text)) for cwd in self.cwds)
        if any(real(path) != path for path in after):
            raise Doubt("ask.folder", f"{word.text} is reached through a link")
        if certain:
            self._left, self.cwds = tuple(dict.fromkeys((*self._left, *self.cwds))), after
        else:
            self.cwds = tuple(dict.fromkeys((*self.cwds, *after)))
        if len(self.cwds) > _MOST_FOLDERS:
            raise Doubt("ask.folder", "it may stand in too many folders")

    def rejoin(self) -> None:
        """A chain of ``&&`` is over: it may have ended at any of its folders."""
        self.cwds, self._left = tuple(dict.fromkeys((*self.cwds, *self._left))), ()

    def deleted(self, words: Sequence[Word]) -> tuple[Path, ...] | None:
        """The files that ``rm`` deletes with these words; None for folders, and for what lies elsewhere."""
        found: list[Path] = []
        is_option = True
        for word in words:
            if is_option and word.text.startswith("-") and not word.is_pattern:
                if not _DELETES_FILES.fullmatch(word.text):
                    return None
                is_option = word.text != "--"
            elif word.is_home or (files := self._deleted(word)) is None:
                return None
            else:
                found += files
        return tuple(dict.fromkeys(found))

    def _deleted(self, word: Word) -> list[Path] | None:
        found: list[Path] = []
        try:
            meant = [
                path for cwd in self.cwds for path in self._meant(word, cwd)[word.is_pattern :]
            ]
        except Doubt:
            return None
        for each in meant:
            folder, _, name = each.rpartition("/")
            if name in {"", ".", ".."}:
                return None
            try:
                path = real(Path(folder or "/")) / name
                mode = path.lstat().st_mode
            except FileNotFoundError:
                path, mode = real(Path(folder or "/")) / name, 0
            except (OSError, ValueError):
                return None
            if not self.places.is_inside(path) or self.places.protected_by(path):
                return None
            if mode and not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
                return None
            found += [path] if mode else []
        return found

    def _check(self, word: Word, cwd: Path) -> None:
        if word.text == "-":
            return
        if word.is_home:
            person = self.places.person
            if person is None:
                raise Doubt("ask.outside", f"{word.text} is outside the workspace")
            word = Word(text=f"{person}{word.text[1:]}", is_pattern=word.is_pattern)
        is_common = word.is_pattern and _COMMON.search(word.text) is not None
        if not is_common and is_secret_name(word.text, is_pattern=word.is_pattern):
            raise Doubt("ask.secret", f"{word.text} may hold keys")
        for path in self._meant(word, cwd):
            self._visit(path, word.text)

    def _meant(self, word: Word, cwd: Path) -> list[str]:
        # Joined as text: a command may name hundreds of files, and paths as values cost most of all.
        if not word.is_pattern:
            return [word.text if word.text.startswith("/") else f"{cwd}/{word.text}"]
        if word.text.count("/") > _DEEPEST or len(re.findall(r"[*?\[]", word.text)) > _DEEPEST:
            raise Doubt("ask.pattern", "a pattern is too long to be followed")
        # .* and .? also stand for the folder above.
        if any(piece == ".." or re.match(r"\.[*?\[]", piece) for piece in word.text.split("/")):
            raise Doubt("ask.pattern", f"{word.text} may mean any file")
        fixed = re.split(r"[*?\[]", word.text)[0].rpartition("/")[0]
        start = Path("/") if word.text.startswith("/") else cwd
        pattern = re.sub(r"\*+", "*", word.text.lstrip("/"))
        try:
            found = list(islice(_shown(start, pattern), _MOST + 1))
        except (OSError, ValueError, NotImplementedError) as error:
            raise Doubt("ask.pattern", f"{word.text} cannot be followed") from error
        if len(found) > _MOST:
            raise Doubt("ask.pattern", f"{word.text} means more than {_MOST} files")
        return [str(start / fixed.lstrip("/")), *map(str, found)]

    def _visit(self, path: str, said: str) -> None:
        plain = posixpath.normpath(path)
        if plain.startswith(_MACHINE) and plain not in _FILES:
            raise Doubt("ask.device", f"{said} is no ordinary file")
        try:
            where, mode = self._followed(path)
        except OSError as error:
            raise Doubt(
                "ask.path", f"{said} cannot be looked at ({error.strerror or error})"
            ) from error
        is_home = where.startswith(self._home) and self.places.is_secret(Path(where))
        if is_home or is_secret_name(where):
            raise Doubt("ask.secret", f"{said} may hold keys")
        if where in _FILES:
            return
        if not f"{where}/".startswith(self._roots):
            raise Doubt("ask.outside", f"{said} is outside the workspace")
        if mode and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise Doubt("ask.device", f"{said} is no file and no folder")

    def _followed(self, path: str) -> tuple[str, int]:
        """Where a path leads and what is there, 0 for nothing; folders are followed once."""
        folder, _, name = path.rstrip("/").rpartition("/")
        if name in {"", ".", ".."}:
            where = str(real(Path(path)))
        else:
            parent = self._parents.get(folder)
            if parent is None:
                parent = self._parents[folder] = str(real(Path(folder or "/"))).rstrip("/")
            where = f"{parent}/{name}"
        try:
            mode = os.lstat(where).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return where, 0
        except ValueError as broken:  # a NUL byte
            raise OSError(f"not a path: {path!r}") from broken
        if not stat.S_ISLNK(mode):
            return where, mode
        target = real(Path(where))
        return str(target), target.stat().st_mode if target.exists() else 0


def _shown(start: Path, pattern: str) -> Iterator[Path]:
    """The files a pattern stands for; a hidden one only where the pattern begins with a dot."""
    wanted = [piece for piece in pattern.split("/") if piece not in {"", "."}]
    for path in start.glob(pattern):
        own = path.relative_to(start).parts
        if all(a[:1] != "." or b[:1] == "." for a, b in zip(own, wanted, strict=False)):
            yield path
