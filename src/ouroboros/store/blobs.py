"""Large payloads as files named by their own hash."""

import errno
import os
import re
from pathlib import Path
from typing import BinaryIO

from ouroboros.core.errors import StoreFailed, StoreFull
from ouroboros.store.layout import Layout, make_private, put_whole, sync_folder

_NAME = re.compile(r"[0-9a-f]{64}")
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class BlobLost(StoreFailed):
    """A blob that an event names is missing or not what it was."""


class Blobs:
    """Bytes in, their SHA-256 out, and back; every method blocks on the disk."""

    def __init__(self, home: Path) -> None:
        """Nothing is created before the first ``put``."""
        self._folder = Layout(home).blobs

    def put(self, content: bytes) -> str:
        """Keeps ``content``; it is durable under the returned name when this returns.

        Raises:
            StoreFull: No room on the disk.
            StoreFailed: The disk refused.
        """
        name = _hashed(content)
        self._put(name, content, len(content))
        return name

    def copy(self, source: Path, name: str) -> None:
        """Keeps the content of a file whose SHA-256 is ``name``, piece by piece; raises as ``put``."""
        try:
            with source.open("rb") as file:
                self._put(name, file, source.stat().st_size)
        except OSError as error:
            raise refused(error, source) from error

    def _put(self, name: str, content: bytes | BinaryIO, size: int) -> None:
        path = self._path(name)
        make_private(path.parent)
        try:
            if not _has_size(path, size):
                beside = f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}"
                put_whole(path, content, path.with_name(beside))
            sync_folder(path.parent)
        except OSError as error:
            raise refused(error, path) from error

    def get(self, name: str) -> bytes:
        """The bytes kept under ``name``.

        Raises:
            BlobLost: There are none, or they are not what was put in.
            StoreFailed: They cannot be read.
        """
        path = self._path(name)
        try:
            content = path.read_bytes()
        except FileNotFoundError as error:
            raise BlobLost(
                f"Blob {name!r} is missing.",
                hint=f"Bring {str(path)!r} back from a backup.",
            ) from error
        except OSError as error:
            raise refused(error, path) from error
        if _hashed(content) != name:
            raise BlobLost(
                f"Blob {name!r} is damaged.",
                hint=f"Bring {str(path)!r} back from a backup.",
            )
        return content

    def discard(self, name: str) -> None:
        """Removes a blob nobody names any more; a missing one is fine."""
        path = self._path(name)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise refused(error, path) from error

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise BlobLost(
                f"{name!r} does not name a blob.", hint="A blob's name is 64 hexadecimal digits."
            )
        return self._folder / name[:2] / name


def refused(error: OSError, path: Path) -> StoreFailed:
    """What the operating system said, as the error of ours that decides what happens next."""
    if error.errno in _NO_ROOM:
        return StoreFull(
            f"No room on the disk for {str(path)!r}.",
            hint="Free some space, then resume the session.",
        )
    return StoreFailed(
        f"Cannot use {str(path)!r}: {error.strerror or error}.",
        hint="Check the disk and the rights of the folder, then resume the session.",
    )


def _hashed(content: bytes) -> str:
    # Imported here: it loads a large library that most sessions never need.
    from hashlib import sha256

    return sha256(content).hexdigest()


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except FileNotFoundError:
        return False
