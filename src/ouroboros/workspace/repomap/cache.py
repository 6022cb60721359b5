"""What was found in the files of a folder, kept from one map to the next; blocks."""

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.workspace.repomap.tags import Tags

VERSION = 3
"""A file of another version is made anew."""


class Kept(Struct, frozen=True, array_like=True):
    """Of one file: what tells that it changed, and what was in it."""

    size: int
    changed: int
    mark: bytes
    tags: Tags


class _Stored(Struct, frozen=True, array_like=True):
    version: int
    root: str
    files: dict[str, Kept]


def file_of(home: Path, root: Path) -> Path:
    """Where the tags of a folder are kept."""
    name = blake2b(os.fsencode(root), digest_size=12).hexdigest()
    return home / "cache" / "repomap" / f"{name}.tags"


def load(path: Path, root: Path) -> dict[str, Kept]:
    """What is known; nothing where it is damaged, of another version, or of another folder."""
    try:
        stored = msgspec.msgpack.decode(path.read_bytes(), type=_Stored)
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}
    is_ours = stored.version == VERSION and stored.root == str(root)
    return stored.files if is_ours else {}


def save(path: Path, root: Path, files: dict[str, Kept]) -> None:
    """Keeps it; where there is no room, or no right to, the next map is made anew."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    stored = _Stored(VERSION, str(root), files)
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            unfinished.write_bytes(msgspec.msgpack.encode(stored))
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)


def mark_of(data: bytes) -> bytes:
    """Tells contents apart."""
    return blake2b(data, digest_size=12).digest()
