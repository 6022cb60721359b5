"""Files on their way through a bundle: as they are, and as its blocks leave them."""

import unicodedata
from collections.abc import Collection

from msgspec import Struct

from ouroboros.core.errors import OuroborosError
from ouroboros.workspace.artifacts.dogs.plan import Action, FilePlan, Snapshot
from ouroboros.workspace.artifacts.dogs.tree import Seen, Tree

_WHY = {
    "link": "{way!r} is a link, and no change goes through one; name the file itself",
    "special": "{way!r} is no file and no folder",
    "closed": "{way!r} may not be changed: it is read-only, or cannot be read",
    "large": "{way!r} is too large to be changed so",
}


class Unfit(OuroborosError):
    """A change that does not fit the files."""

    def __init__(self, reason: str) -> None:
        """Without the place, which the caller knows."""
        super().__init__(reason)
        self.reason = reason


class Touched(Struct, kw_only=True):
    """A path that a block has named.

    Attributes:
        before: What was there when the bundle began.
        now: What is there by now.
        origin: The name that what is there now had before; empty where it is its own.
        whole: The block that said all of it, 0 for none.
    """

    before: Snapshot | None
    now: Snapshot | None
    origin: str = ""
    blocks: list[int]
    whole: int = 0
    is_merged: bool = False


class Draft:
    """The tree with the changes of a bundle on top, none of which reach it."""

    def __init__(self, tree: Tree) -> None:
        """``tree`` is only read."""
        self._tree = tree
        self._touched: dict[str, Touched] = {}
        self._names: dict[str, dict[str, str]] = {}
        self._folders: set[str] = set()  # that hold a path which a block has named

    def touch(self, path: str, block: int) -> Touched:
        """What is at a path now.

        Raises:
            Unfit: Nothing of a bundle may be there.
        """
        found = self._touched.get(path)
        if found is None:
            snapshot = self._looked(path)
            found = self._touched[path] = Touched(before=snapshot, now=snapshot, blocks=[])
            self._folders.update(_above(path))
        elif found.now is None:
            self._check_ways(path)
        if block not in found.blocks:
            found.blocks.append(block)
        return found

    def is_there(self, path: str) -> bool:
        """Whether anything is at a path, or a block has named it."""
        return path in self._touched or self._tree.look(path).kind != "missing"

    def _looked(self, path: str) -> Snapshot | None:
        self._check_ways(path)
        seen = self._tree.look(path)
        if seen.kind == "file" and seen.way != path and self._is_gone(seen.way):
            seen = Seen("missing", path)
        if seen.kind == "folder" and self._is_emptied(path):
            seen = Seen("missing", path)
        if seen.kind == "file" and seen.way == path:
            return seen.file
        if seen.kind == "missing":
            self._check_likeness(path)
            return None
        if seen.kind == "folder":
            raise Unfit("it is a folder")
        if seen.kind == "file":
            raise Unfit(f"{seen.way!r} is a file, so nothing can be below it")
        raise Unfit(_WHY[seen.kind].format(way=seen.way))

    def _check_ways(self, path: str) -> None:
        """No file of the bundle stands where this path has a folder, or below where it is a file."""
        for above in _above(path):
            there = self._touched.get(above)
            if there is not None and there.now is not None:
                raise Unfit(f"{above!r} is a file of this bundle, so nothing can be below it")
        if path not in self._folders:
            return
        below = f"{path}/"
        for other, there in self._touched.items():
            if there.now is not None and there.before is None and other.startswith(below):
                raise Unfit("it is a folder that this bundle makes")

    def _is_gone(self, path: str) -> bool:
        there = self._touched.get(path)
        return there is not None and there.now is None

    def _is_emptied(self, path: str) -> bool:
        """Whether the bundle takes away all that is in a folder."""
        for name in self._tree.names(path):
            inner = f"{path}/{name}"
            if self._is_gone(inner):
                continue
            if self._tree.look(inner).kind != "folder" or not self._is_emptied(inner):
                return False
        return True

    def _check_likeness(self, path: str) -> None:
        """No name may differ from one that is there by case or form alone: some systems take it for that."""
        folder, rest = "", path
        while rest:
            name, _, rest = rest.partition("/")
            known = self._known(folder)
            other = known.setdefault(_alike(name), name)
            whole = f"{folder}/{other}" if folder else other
            if other != name and not self._is_gone(whole):
                raise Unfit(f"{whole!r} is there, which some systems take for the same name")
            folder = f"{folder}/{name}" if folder else name

    def _known(self, folder: str) -> dict[str, str]:
        if folder not in self._names:
            names: Collection[str] = sorted(self._tree.names(folder))
            found: dict[str, str] = {}
            for name in names:
                found.setdefault(_alike(name), name)
            self._names[folder] = found
        return self._names[folder]

    def files(self) -> tuple[FilePlan, ...]:
        """Every path that was named, before and after."""
        moved = {
            there.origin: path
            for path, there in self._touched.items()
            if there.origin and there.now is not None and there.before is None
        }
        made: list[FilePlan] = []
        for path, there in sorted(self._touched.items()):
            if path in moved and there.now is None:
                continue
            was = there.origin if moved.get(there.origin) == path else ""
            if was and self._touched[was].now is not None:
                was = ""
            before = self._touched[was].before if was else there.before
            made.append(
                FilePlan(
                    path=path,
                    action=_action(before, there.now, was),
                    before=before,
                    after=there.now,
                    was=was,
                    blocks=tuple(there.blocks),
                    is_merged=there.is_merged,
                )
            )
        return tuple(made)


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _action(before: Snapshot | None, after: Snapshot | None, was: str) -> Action:
    if was:
        return "rename"
    if before == after:
        return "none"
    if before is None:
        return "add"
    return "delete" if after is None else "change"


def _alike(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
