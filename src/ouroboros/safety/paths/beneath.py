"""Opening a path so that no part of it is a link: what was judged is what is opened."""

import contextlib
import errno
import functools
import os
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctypes import CDLL

_OPENAT2 = 437
_HERE = -100
_NO_MAGIC, _NO_LINKS = 0x02, 0x04
_ABSENT = frozenset({errno.ENOSYS, errno.EPERM, errno.EINVAL, errno.E2BIG})


@functools.cache
def _libc() -> "CDLL":
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def open_plain(path: Path, flags: int) -> int:
    """A descriptor of an absolute path; it blocks.

    Raises:
        OSError: ``ELOOP`` when any part of it is a link; else as ``os.open``.
    """
    flags |= os.O_CLOEXEC | os.O_NOCTTY
    if sys.platform == "linux":
        import ctypes  # a run that opens no file never loads it

        how = struct.pack("=QQQ", flags, 0, _NO_MAGIC | _NO_LINKS)
        found = _libc().syscall(
            ctypes.c_long(_OPENAT2),
            ctypes.c_long(_HERE),
            ctypes.c_char_p(os.fsencode(path)),
            ctypes.c_char_p(how),
            ctypes.c_size_t(len(how)),
        )
        if found >= 0:
            return int(found)
        number = ctypes.get_errno()
        if number not in _ABSENT:
            raise OSError(number, os.strerror(number), str(path))
    return walk_plain(path, flags)


def walk_plain(path: Path, flags: int) -> int:
    """The same step by step, for a kernel without ``openat2``."""
    folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in path.parts[1:-1]:
            below = _open_folder(folder, part)
            os.close(folder)
            folder = below
        return os.open(path.name or ".", flags | os.O_NOFOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def open_folder(path: Path, *, make: bool = False) -> int:
    """A descriptor of a folder, which is made with those above it where that is wished for.

    Raises:
        OSError: As ``open_plain``.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY
    try:
        return open_plain(path, flags)
    except FileNotFoundError:
        if not make or path.parent == path:
            raise
    above = open_folder(path.parent, make=True)
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(path.name, dir_fd=above)
        return _open_folder(above, path.name)
    finally:
        os.close(above)


def _open_folder(above: int, name: str) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(name, flags, dir_fd=above)
    except NotADirectoryError as failed:
        raise OSError(failed.errno, "a link or a file stands in its way", name) from failed
