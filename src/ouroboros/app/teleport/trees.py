"""Checkpoints that travel: without secrets on the way out, and checked name by name on the way in."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from ouroboros.core.errors import Misuse
from ouroboros.workspace.checkpoints.library import Library
from ouroboros.workspace.checkpoints.objects import (
    LINK,
    NOT_KEPT,
    Entry,
    Kind,
    entries_of,
    name_of,
    tree_in,
    tree_of,
)

type Clean = Callable[[str], str]
type Put = Callable[[Kind, bytes, bytes], None]
type Get = Callable[[bytes, Kind], bytes]

_LOOKED_AT = 4_194_304
"""Larger files are not looked through for secrets; they are named instead."""

_IGNORABLE = dict.fromkeys([
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x206A, 0x2070),
    0xFEFF,
])


class Cleaning:
    """Copies commits into another place, with secrets taken out of the files.

    Attributes:
        redacted: Paths whose content was changed.
        unseen: Paths that were too large to be looked through.
    """

    def __init__(self, library: Library, put: Put, clean: Clean | None) -> None:
        """``clean`` is None where everything is to stay as it is."""
        self._library, self._put, self._clean = library, put, clean
        self._made: dict[bytes, bytes] = {}
        self.redacted: set[str] = set()
        self.unseen: set[str] = set()

    def commit(self, sha: bytes) -> bytes:
        """The name of the copy; raises ``CheckpointLost`` where something is missing."""
        data = self._library.get(sha, "commit")
        tree = self._tree(tree_in(data), "")
        _, _, rest = data.partition(b"\n")
        return self._keep("commit", b"tree %s\n%s" % (tree.hex().encode(), rest))

    def tree(self, sha: bytes) -> bytes:
        """The name that a tree has in the copy."""
        return self._made.get(sha, sha)

    def _tree(self, sha: bytes, above: str) -> bytes:
        if sha in self._made:
            return self._made[sha]
        entries = [
            self._entry(entry, f"{above}{os.fsdecode(entry.name)}")
            for entry in entries_of(self._library.get(sha, "tree"))
        ]
        self._made[sha] = made = self._keep("tree", tree_of(entries))
        return made

    def _entry(self, entry: Entry, path: str) -> Entry:
        if entry.mode == NOT_KEPT:
            return entry
        sha = self._tree(entry.sha, f"{path}/") if entry.is_folder else self._blob(entry.sha, path)
        return Entry(name=entry.name, mode=entry.mode, sha=sha)

    def _blob(self, sha: bytes, path: str) -> bytes:
        if sha not in self._made:
            data = self._library.get(sha, "blob")
            self._made[sha] = self._keep("blob", self._cleaned(data, path))
        if self._made[sha] != sha:
            self.redacted.add(path)
        return self._made[sha]

    def _cleaned(self, data: bytes, path: str) -> bytes:
        if self._clean is None or b"\0" in data[:8192]:
            return data
        if len(data) > _LOOKED_AT:
            self.unseen.add(path)
            return data
        text = data.decode("utf-8", "surrogateescape")
        return self._clean(text).encode("utf-8", "surrogateescape")

    def _keep(self, kind: Kind, data: bytes) -> bytes:
        sha = name_of(kind, data)
        self._put(kind, sha, data)
        return sha


def checked(get: Get, tree: bytes) -> None:
    """Sees to it that a tree leads nowhere but below itself.

    Raises:
        Misuse: A name in it, or a link, does; or two names are one where case does not count.
    """
    waiting = [(tree, "", 0)]
    seen: set[tuple[bytes, str]] = set()
    while waiting:
        sha, above, depth = waiting.pop()
        names: set[str] = set()
        if depth > 200:
            raise Misuse(f"{above!r} is too deep")
        for entry in entries_of(get(sha, "tree")):
            path = above + os.fsdecode(entry.name)
            _check_name(entry.name, path)
            folded = os.fsdecode(entry.name).casefold()
            if folded in names:
                raise Misuse(f"{path!r} is there twice, but for the case of its letters")
            names.add(folded)
            if entry.is_folder and (entry.sha, path) not in seen:
                seen.add((entry.sha, path))
                waiting.append((entry.sha, f"{path}/", depth + 1))
            elif entry.mode & 0o170000 == LINK and entry.mode != NOT_KEPT:
                _check_link(os.fsdecode(get(entry.sha, "blob")), path)
            elif not (entry.is_folder or stat.S_ISREG(entry.mode) or entry.mode == NOT_KEPT):
                raise Misuse(f"{path!r} is no file, folder or link")


def lay_out(get: Get, tree: bytes, folder: Path) -> None:
    """Writes a checked tree into a fresh folder of ours; blocking.

    Raises:
        OSError: There is no room, or a name cannot be.
    """
    later: list[tuple[Path, int]] = []
    for path, entry in _below(get, tree, folder):
        if entry.is_folder:
            path.mkdir(mode=0o700)
            later.append((path, stat.S_IMODE(entry.mode) & 0o777))
        elif entry.mode & 0o170000 == LINK:
            path.symlink_to(os.fsdecode(get(entry.sha, "blob")))
        else:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
                file.write(get(entry.sha, "blob"))
                # Bits that lend somebody's rights are not taken from an archive.
                os.fchmod(file.fileno(), stat.S_IMODE(entry.mode) & 0o777)
    for path, mode in reversed(later):
        path.chmod(mode)


def _below(get: Get, tree: bytes, folder: Path) -> Iterator[tuple[Path, Entry]]:
    waiting = [(tree, folder)]
    while waiting:
        sha, above = waiting.pop()
        for entry in entries_of(get(sha, "tree")):
            if entry.mode == NOT_KEPT:
                continue
            path = above / os.fsdecode(entry.name)
            yield path, entry
            if entry.is_folder:
                waiting.append((entry.sha, path))


def _check_name(name: bytes, path: str) -> None:
    plain = os.fsdecode(name).translate(_IGNORABLE).rstrip(". ").casefold()
    if not name or b"/" in name or b"\0" in name or name in {b".", b".."}:
        raise Misuse(f"{path!r} leads out of the folder")
    if plain in {".git", "git~1", ".ouroboros"}:
        raise Misuse(f"{path!r} would steer programs", hint="such folders do not travel")


def _check_link(target: str, path: str) -> None:
    at = [part for part in path.split("/")[:-1] if part]
    for part in target.split("/"):
        if part == "..":
            if not at:
                raise Misuse(f"the link {path!r} leads out of the folder, to {target!r}")
            at.pop()
        elif part not in {"", "."}:
            at.append(part)
    if target.startswith("/") or not target:
        raise Misuse(f"the link {path!r} leads out of the folder, to {target!r}")
