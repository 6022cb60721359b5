"""Where a path really leads, and whether that place is the workspace or a protected one."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.safety.paths.secret_names import is_secret_name
from ouroboros.safety.paths.spelling import folded

PROTECTED = (".git", ".ouroboros", ".agents")
"""Folders (or files, as in a work tree) that hold control data in any project."""


class Places(Struct, frozen=True, kw_only=True):
    """The folders that rules speak of.

    Attributes:
        roots: Workspace folders; the first is what relative rules start from.
        readable: More folders that may be read without asking, such as kept outputs.
        home: The product's own state folder.
        person: The person's home folder, what ``~`` means in a rule.
        search: The entries of the PATH that commands get, in order; empty where it is not known.
        written: More folders that commands may write, such as the one for temporary files.
    """

    roots: tuple[Path, ...]
    readable: tuple[Path, ...] = ()
    home: Path | None = None
    person: Path | None = None
    search: tuple[str, ...] = ()
    written: tuple[Path, ...] = ()

    def resolved(self) -> "Places":
        """The same places with symbolic links resolved, to compare with resolved paths."""
        return Places(
            roots=tuple(real(root) for root in self.roots),
            readable=tuple(real(root) for root in self.readable),
            home=self.home and real(self.home),
            person=self.person and real(self.person),
            search=self.search,
            written=tuple(real(folder) for folder in self.written),
        )

    def widened(self, readable: Iterable[Path], writable: Iterable[Path]) -> "Places":
        """The same with more folders; those that may be written are as the workspace is."""
        return replace(self, roots=(*self.roots, *writable), readable=(*self.readable, *readable))

    def is_inside(self, path: Path) -> bool:
        """Whether a resolved path lies in the workspace."""
        return any(path.is_relative_to(root) for root in self.roots)

    def is_readable(self, path: Path) -> bool:
        """Whether a resolved path may be read without asking."""
        return self.is_inside(path) or any(path.is_relative_to(root) for root in self.readable)

    def is_secret(self, path: Path) -> bool:
        """Whether a resolved path may hold the product's keys, or a process's environment."""
        if path.is_relative_to("/proc") and path.name in {"environ", "mem"}:
            return True
        home = self.home
        if home is None or not path.is_relative_to(home):
            return False
        # Only places inside the home open a part of it; a workspace around it does not.
        inner = (place for place in (*self.roots, *self.readable) if home in place.parents)
        return not any(path.is_relative_to(place) for place in inner)

    def may_hold_keys(self, path: Path) -> bool:
        """Whether a resolved path is such a place, or a file that usually holds credentials."""
        return self.is_secret(path) or is_secret_name(self.below(path))

    def below(self, path: Path) -> str:
        """The path as the workspace sees it: the folders above say nothing of a file."""
        for root in self.roots:
            if path.is_relative_to(root):
                return str(path.relative_to(root))
        return str(path)

    def protected_by(self, path: Path) -> str:
        """The name of what protects a resolved path from being written, empty when nothing does."""
        inside = [root for root in self.roots if path.is_relative_to(root)]
        root = max(inside, key=lambda root: len(root.parts), default=None)
        own = path if root is None else path.relative_to(root)
        for part in own.parts:
            if (name := folded(part)) in PROTECTED:
                return name
        if self.home is not None and path.is_relative_to(self.home):
            # A work tree may live below the home; then the home is no reason to protect it.
            return "" if root is not None and root.is_relative_to(self.home) else self.home.name
        return ""


def real(path: Path, *, base: Path | None = None) -> Path:
    """The absolute path behind ``..`` and symbolic links; what does not exist is kept as written.

    Raises:
        OSError: A loop of links, or a name the file system cannot hold.
    """
    whole = path if base is None else base / path
    try:
        return Path(os.path.realpath(whole, strict=False))
    except ValueError as broken:  # a NUL byte
        raise OSError(f"not a path: {str(path)!r}") from broken


class Glob:
    """A path pattern of a rule.

    ``//x`` is absolute, ``~/x`` starts at the person's home, ``/x`` is absolute or starts at a
    workspace root, ``a/b`` starts at a workspace root, and a name without a slash matches at any
    depth. ``**`` crosses folders, ``*`` and ``?`` do not. A pattern also covers everything below.
    """

    def __init__(self, pattern: str, places: Places, *, narrow: bool = False) -> None:
        """Compiles the pattern; a ``narrow`` one that may mean the whole disk means the workspace."""
        self.pattern = pattern
        is_local = narrow and re.match(r"/[^/]*[*?]", pattern) is not None
        self._starts = [
            (root, rest) for root, rest in _starts(pattern, places) if root or not is_local
        ]
        starts = [re.escape(root) + _expression(rest) for root, rest in self._starts]
        self._matcher = re.compile("|".join(starts) or r"(?!)", re.DOTALL)

    def matches(self, path: Path) -> bool:
        """Whether a resolved path is meant."""
        return self._matcher.fullmatch(str(path)) is not None

    def starts(self) -> tuple[tuple[Path, bool], ...]:
        """Folders that all it means lies in, or the one path that it means (and then True)."""
        found: dict[tuple[Path, bool], None] = {}
        for root, rest in self._starts:
            plain = rest.rstrip("/").removesuffix("/**")
            marked = re.search(r"[*?]", plain)
            fixed = plain[: plain.rfind("/", 0, marked.start())] if marked else plain
            found[Path(f"{root}{fixed}" or "/"), marked is None] = None
        return tuple(found)

    def names(self, protected: str) -> bool:
        """Whether the pattern spells out this protected folder."""
        return protected in re.split(r"[/\\]", self.pattern.lower())


def _starts(pattern: str, places: Places) -> list[tuple[str, str]]:
    """Fixed beginnings and the pattern that follows each."""
    roots = [str(root).rstrip("/") for root in places.roots]
    if pattern.startswith("//"):
        return [("", pattern[1:])]
    if pattern.startswith("~"):
        return [(str(places.person), pattern[1:])] if places.person else []
    if pattern.startswith("/"):
        return [(root, pattern) for root in ("", *roots)]
    relative = pattern.removeprefix("./")
    if "/" not in relative.rstrip("/"):
        relative = f"**/{relative}"
    return [(root, f"/{relative}") for root in roots]


_GLOBS = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _expression(pattern: str) -> str:
    pattern = pattern.rstrip("/").removesuffix("/**")
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    expression = "".join(_GLOBS.get(piece) or re.escape(piece) for piece in pieces)
    return f"{expression}(?:/.*)?"
