"""Folders for temporary files: of one user, locked as long as they are in use, swept when killed owners left them.

The kernel's lock on a folder says that its owner lives; what killed owners left goes with the next start.
"""

import contextlib
import fcntl
import os
from pathlib import Path

from msgspec import Struct

MARKER = "ouroboros-scratch"
"""A file in every folder of ours, made under the lock; without it nothing is swept."""


class Scratch(Struct, frozen=True):
    """A folder of our own; ``lock`` is a descriptor of it, held open as long as it is in use."""

    path: Path
    lock: int

    def remove(self) -> None:
        """Takes it away with all that is in it. Blocks."""
        import shutil  # late: no start waits for it

        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.lock)


def make(root: Path, prefix: str) -> Scratch:
    """A new folder below ``root``; first sweeps those with the same prefix whose owners are dead. Blocks.

    Raises:
        OSError: It cannot be made.
    """
    sweep(root, prefix)
    path = root / f"{prefix}{os.urandom(4).hex()}"
    path.mkdir(mode=0o700)
    descriptor = _opened(path)
    # Where a folder cannot be locked it stays unmarked, and nobody sweeps it.
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (path / MARKER).touch(mode=0o600)
    return Scratch(path, descriptor)


def sweep(root: Path, prefix: str) -> None:
    """Removes folders of ours below ``root`` whose owners are dead. Blocks."""
    for path in root.glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            _sweep(path)


def _sweep(path: Path) -> None:
    descriptor = _opened(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_ours = os.fstat(descriptor).st_uid == os.geteuid()
        if is_ours and (path / MARKER).is_file():
            import shutil

            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
