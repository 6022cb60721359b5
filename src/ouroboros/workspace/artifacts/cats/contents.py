"""One file of a tree, read whole: no link followed, nothing waited for, no change overlooked; blocks."""

import errno
import os
import stat
from pathlib import Path

from msgspec import Struct

from ouroboros.safety.paths.beneath import open_plain

MOST_BYTES = 33_554_432
"""Larger files are left out unless the person says otherwise."""

_TRIES = 2


class Content(Struct, frozen=True, kw_only=True):
    """A file's bytes; ``is_torn`` when it was written to all the while it was read."""

    data: bytes
    is_executable: bool = False
    is_torn: bool = False


class Left(Exception):
    """A file is left out; the text says why."""


def content(root: Path, path: str, *, most: int = MOST_BYTES) -> Content:
    """What a regular file below the root holds.

    Args:
        root: A real path.
        path: Below it.
        most: Bytes that it may have.

    Raises:
        Left: It is gone, too large, no regular file any more, or cannot be read.
    """
    for _ in range(_TRIES):
        found = _read(root, path, most)
        if not found.is_torn:
            return found
    return _read(root, path, most)


def _read(root: Path, path: str, most: int) -> Content:
    try:
        descriptor = open_plain(root / path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as failed:
        raise Left(_why(failed)) from None
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise Left("it is no regular file")
        if before.st_size > most:
            raise Left(f"it has {before.st_size:,} bytes, more than {most:,}")
        try:
            data = _all_of(file.fileno(), most)
        except OSError as failed:
            raise Left(_why(failed)) from None
        after = os.fstat(descriptor)
    return Content(
        data=data,
        is_executable=bool(after.st_mode & stat.S_IXUSR),
        is_torn=_look(before) != _look(after) or len(data) != after.st_size,
    )


def _all_of(descriptor: int, most: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := os.read(descriptor, 1_048_576):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise Left(f"it grew beyond {most:,} bytes while it was read")
    return b"".join(pieces)


def _why(failed: OSError) -> str:
    if failed.errno in {errno.ELOOP, errno.ENOTDIR}:
        return "a link was put in its way"
    if failed.errno == errno.ENOENT:
        return "it went away"
    return f"it cannot be read: {failed.strerror or failed}"


def _look(seen: os.stat_result) -> tuple[int, int, int]:
    return seen.st_size, seen.st_mtime_ns, seen.st_ino
