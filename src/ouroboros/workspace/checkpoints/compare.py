"""What is different between two trees: only folders that differ are read."""

import os
from collections.abc import Callable, Iterator

from msgspec import Struct

from ouroboros.workspace.checkpoints.objects import Entry, entries_of

type Get = Callable[[bytes], bytes]
"""The content of a tree by its name."""


class Change(Struct, frozen=True, kw_only=True):
    """A name that is different, with how it was and is; folders are changes of their own.

    ``path`` is relative, its undecodable bytes as ``os.fsdecode`` writes them.
    """

    path: str
    before: Entry | None = None
    after: Entry | None = None

    @property
    def is_folder(self) -> bool:
        """Whether it was and is a folder, or nothing."""
        return all(side is None or side.is_folder for side in (self.before, self.after))


def differences(get: Get, before: bytes, after: bytes, at: str = "") -> Iterator[Change]:
    """Every name that differs; an empty sha stands for an empty folder. Folders come before what is in them."""
    if before == after:
        return
    left = {entry.name: entry for entry in _entries(get, before)}
    right = {entry.name: entry for entry in _entries(get, after)}
    for name in sorted(left.keys() | right.keys()):
        old, new = left.get(name), right.get(name)
        if old == new:
            continue
        path = f"{at}{os.fsdecode(name)}"
        was = old if old and old.is_folder else None
        now = new if new and new.is_folder else None
        if (old and not was) or (new and not now) or not (was and now) or was.mode != now.mode:
            yield Change(path=path, before=old, after=new)
        if was or now:
            below = f"{path}/"
            yield from differences(get, was.sha if was else b"", now.sha if now else b"", below)


def _entries(get: Get, tree: bytes) -> Iterator[Entry]:
    return entries_of(get(tree)) if tree else iter(())
