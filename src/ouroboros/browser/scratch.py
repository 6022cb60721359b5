"""A folder for what a browser writes outside its profile: sockets, shared memory, half-made files.

The kernel's lock on the folder says that its owner lives; what killed owners left goes with the next start.
"""

import contextlib
import fcntl
import os
import shutil
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread

from ouroboros.browser.errors import BrowserFailed

PREFIX = "ouro-web-"
MARKER = "ouroboros-scratch"
"""A file in every folder of ours, made under the lock; without it nothing is swept."""

_FALLBACK = Path("/", "tmp")

_ROOT_BYTES = 42
"""Of 108 that a socket's name may have: 18 are the folder's own name, and Chromium adds 45."""


@asynccontextmanager
async def scratch(environment: Mapping[str, str]) -> AsyncGenerator[Path]:
    """A new folder below ``TMPDIR``, gone at the end of the block; sweeps those of dead owners first.

    A ``TMPDIR`` that is not there, or too long for a socket in it, gives way to ``/tmp``.

    Raises:
        BrowserFailed: It cannot be made.
    """
    path, lock = await anyio.to_thread.run_sync(_made, _root(environment))
    try:
        yield path
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(lambda: shutil.rmtree(path, ignore_errors=True))
            os.close(lock)


def sweep(root: Path) -> None:
    """Removes folders of ours below ``root`` whose owners are dead. Blocks."""
    for path in root.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            _sweep(path)


def _sweep(path: Path) -> None:
    descriptor = _opened(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_ours = os.fstat(descriptor).st_uid == os.geteuid()
        if is_ours and (path / MARKER).is_file():
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(descriptor)


def _root(environment: Mapping[str, str]) -> Path:
    wanted = environment.get("TMPDIR", "")
    fits = len(wanted.encode("utf-8", "replace")) <= _ROOT_BYTES
    return Path(wanted if wanted and fits and Path(wanted).is_dir() else _FALLBACK)


def _made(root: Path) -> tuple[Path, int]:
    sweep(root)
    path = root / f"{PREFIX}{os.urandom(4).hex()}"
    try:
        path.mkdir(mode=0o700)
        descriptor = _opened(path)
    except OSError as failed:
        raise BrowserFailed(
            f"no folder for temporary files can be made in {root}: {failed.strerror}",
            hint="free some of the disk, or set TMPDIR to a folder that may be written",
        ) from failed
    # Where a folder cannot be locked it stays unmarked, and nobody sweeps it.
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (path / MARKER).touch(mode=0o600)
    return path, descriptor


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
