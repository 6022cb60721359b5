"""Blobs, trees and commits as Git writes them; functions over bytes."""

import stat
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

type Kind = Literal["blob", "tree", "commit"]

NOT_KEPT = 0o160000
"""The mode of what is there but not kept: too large, or not readable. Git takes it for a submodule."""

LINK = 0o120000
FOLDER = 0o040000
_USUAL = 0o755
NAME_BYTES = 20


class Entry(Struct, frozen=True, kw_only=True, gc=False):
    """One name in a folder; the mode is that of the file system, with all its bits."""

    name: bytes
    mode: int
    sha: bytes

    @property
    def is_folder(self) -> bool:
        """Whether it names a tree."""
        return stat.S_ISDIR(self.mode)


def name_of(kind: Kind, data: bytes) -> bytes:
    """The 20 bytes that Git names this content by."""
    from hashlib import sha1  # loads a large library that runs without checkpoints never need

    found = sha1(b"%s %d\0" % (kind.encode(), len(data)), usedforsecurity=False)
    found.update(data)
    return found.digest()


def tree_of(entries: Iterable[Entry]) -> bytes:
    """A folder's content. Git reads any mode, and takes it for the nearest that it would have written."""
    ordered = sorted(entries, key=_place)
    return b"".join(
        b"%o %s\0%s" % (_swapped(entry.mode), entry.name, entry.sha) for entry in ordered
    )


def entries_of(tree: bytes) -> Iterator[Entry]:
    """What stands in a tree; raises ``ValueError`` for what is none."""
    at = 0
    while at < len(tree):
        end = tree.index(b"\0", at)
        mode, _, name = tree[at:end].partition(b" ")
        at = end + 1 + NAME_BYTES
        if at > len(tree):
            raise ValueError("a tree that is cut off")
        yield Entry(name=name, mode=_swapped(int(mode, 8)), sha=tree[end + 1 : at])


def commit_of(tree: bytes, message: str, seconds: float) -> bytes:
    """A commit without parents, so that each can be let go by itself."""
    who = f"Ouroboros <checkpoints@localhost> {int(seconds)} +0000"
    text = f"tree {tree.hex()}\nauthor {who}\ncommitter {who}\n\n{message}\n"
    return text.encode("utf-8", "replace")


def tree_in(commit: bytes) -> bytes:
    """The tree that a commit names; raises ``ValueError`` for what is none."""
    first = commit.partition(b"\n")[0]
    if not first.startswith(b"tree "):
        raise ValueError("not a commit")
    return bytes.fromhex(first[5:].decode("ascii", "replace"))


def _place(entry: Entry) -> bytes:
    return entry.name + b"/" if entry.is_folder else entry.name


def _swapped(mode: int) -> int:
    """Git writes folders without any bits, and means the usual ones: those two change places."""
    bits = mode & 0o7777
    if not stat.S_ISDIR(mode) or bits not in {0, _USUAL}:
        return mode
    return FOLDER | (_USUAL - bits)
