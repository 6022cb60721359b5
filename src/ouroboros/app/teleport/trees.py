"""Checkpoints that travel: without secrets on the way out, and checked name by name on the way in."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from ouroboros.app.export.cleaning import Clean
from ouroboros.app.teleport.manifest import ENDING, LARGEST_BYTES
from ouroboros.core.errors import Misuse
from ouroboros.workspace.checkpoints.library import Library
from ouroboros.workspace.checkpoints.objects import (
    NOT_KEPT,
    Entry,
    Kind,
    entries_of,
    name_of,
    tree_in,
    tree_of,
)

type Put = Callable[[Kind, bytes, bytes], None]
type Get = Callable[[bytes, Kind], bytes]

_LOOKED_AT = 4_194_304
"""Larger files are not looked through for secrets; they are named instead."""

_MOST_NAMES = 300_000
"""Trees that name each other over and over would unpack to more than any disk holds."""

_DEEPEST = 200

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
        unseen: Paths that may have secrets: they are too large to be looked through, or no text.
        stayed: Paths that may not travel, and why; an archive with them would be refused.
    """

    def __init__(self, library: Library, put: Put, clean: Clean | None) -> None:
        """``clean`` is None where everything is to stay as it is."""
        self._library, self._put, self._clean = library, put, clean
        self._made: dict[bytes, bytes] = {}
        # Where a link leads depends on how deep it stands, so a tree may differ with its place.
        self._trees: dict[tuple[bytes, int], bytes] = {}
        self.redacted: set[str] = set()
        self.unseen: set[str] = set()
        self.stayed: dict[str, str] = {}

    def commit(self, sha: bytes) -> bytes:
        """The name of the copy; raises ``CheckpointLost`` where something is missing."""
        data = self._library.get(sha, "commit")
        tree = self._tree(tree_in(data), "")
        _, _, rest = data.partition(b"\n")
        return self._keep("commit", b"tree %s\n%s" % (tree.hex().encode(), rest))

    def tree(self, sha: bytes) -> bytes:
        """The name that a tree has in the copy."""
        return self._trees.get((sha, 0), sha)

    def _tree(self, sha: bytes, above: str) -> bytes:
        place = sha, above.count("/")
        if place in self._trees:
            return self._trees[place]
        entries: list[Entry] = []
        for entry in entries_of(self._library.get(sha, "tree")):
            path = f"{above}{os.fsdecode(entry.name)}"
            fault = (
                _name_fault(entry.name) or _archive_fault(entry) or self._link_fault(entry, path)
            )
            if fault:
                self.stayed[path] = fault
            else:
                entries.append(self._entry(entry, path))
        self._trees[place] = made = self._keep("tree", tree_of(entries))
        return made

    def _link_fault(self, entry: Entry, path: str) -> str:
        if not _is_link(entry):
            return ""
        return _leads_out(os.fsdecode(self._library.get(entry.sha, "blob")), path)

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
        if self._clean is None:
            return data
        if len(data) > _LOOKED_AT:
            self.unseen.add(path)
            return data
        text = data.decode("utf-8", "surrogateescape")
        cleaned = self._clean(text).encode("utf-8", "surrogateescape")
        if cleaned != data and b"\0" in data:  # it would be broken
            self.unseen.add(path)
            return data
        return cleaned

    def _keep(self, kind: Kind, data: bytes) -> bytes:
        sha = name_of(kind, data)
        self._put(kind, sha, data)
        return sha


def checked(get: Get, tree: bytes, known: "Known | None" = None) -> None:
    """Sees to it that a tree leads nowhere but below itself, and is not too large to be laid out.

    Args:
        get: Gives objects by their names.
        tree: The name of the tree.
        known: What was found of the trees of other checkpoints of the same archive.

    Raises:
        Misuse: A name in it, or a link, leads elsewhere, one is there twice, or there is too much.
        CheckpointLost: An object is missing or damaged.
    """
    _extent(get, tree, "", 0, {} if known is None else known)


type Known = dict[tuple[bytes, int], tuple[int, int]]
"""How many names and bytes are below a tree, by its name and how deep it stands."""


def _extent(get: Get, tree: bytes, above: str, depth: int, known: Known) -> tuple[int, int]:
    found = known.get((tree, depth))
    if found is not None:
        return found
    names: set[bytes] = set()
    count = size = 0
    for entry in entries_of(get(tree, "tree")):
        path = above + os.fsdecode(entry.name)
        fault = _entry_fault(get, entry, path)
        if fault or entry.name in names:
            raise Misuse(f"{path!r} in the archive: {fault or 'it is there twice'}")
        names.add(entry.name)
        below, large = 0, 0
        if entry.is_folder and depth < _DEEPEST:
            below, large = _extent(get, entry.sha, f"{path}/", depth + 1, known)
        elif entry.mode != NOT_KEPT:
            large = _size(get, entry.sha, known)
        count, size = count + 1 + below, size + large
        if depth >= _DEEPEST or count > _MOST_NAMES or size > LARGEST_BYTES:
            raise Misuse("the files of the archive are too deep, too many, or too large")
    known[tree, depth] = count, size
    return count, size


def _size(get: Get, blob: bytes, known: Known) -> int:
    if (blob, -1) not in known:
        known[blob, -1] = 0, len(get(blob, "blob"))
    return known[blob, -1][1]


def _entry_fault(get: Get, entry: Entry, path: str) -> str:
    fault = _name_fault(entry.name)
    if not fault and _is_link(entry):
        fault = _leads_out(os.fsdecode(get(entry.sha, "blob")), path)
    is_known = entry.is_folder or _is_link(entry) or stat.S_ISREG(entry.mode)
    return fault or ("" if is_known or entry.mode == NOT_KEPT else "it is no file, folder or link")


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
        elif _is_link(entry):
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


def _is_link(entry: Entry) -> bool:
    return entry.mode != NOT_KEPT and stat.S_ISLNK(entry.mode)


def _archive_fault(entry: Entry) -> str:
    """Nobody looks into it for secrets, and it would hold the one before it."""
    is_archive = stat.S_ISREG(entry.mode) and entry.name.endswith(os.fsencode(ENDING))
    return "an archive of a session does not travel" if is_archive else ""


def _name_fault(name: bytes) -> str:
    plain = os.fsdecode(name).translate(_IGNORABLE).rstrip(". ").casefold()
    if not name or b"/" in name or b"\0" in name or name in {b".", b".."}:
        return "its name leads out of the folder"
    if plain in {".git", "git~1", ".ouroboros"}:
        return "a folder that steers programs does not travel"
    return ""


def _leads_out(target: str, path: str) -> str:
    """Why a link may not be; ``..`` after a name would lead on from wherever another link goes."""
    parts = [part for part in target.split("/") if part not in {"", "."}]
    up = next((at for at, part in enumerate(parts) if part != ".."), len(parts))
    is_out = not target or target.startswith("/") or up > path.count("/") or ".." in parts[up:]
    return "a link that leads out of the folder" if is_out else ""
