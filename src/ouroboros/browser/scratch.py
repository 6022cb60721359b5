"""A folder for what a browser writes outside its profile: sockets, shared memory, half-made files."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread

from ouroboros.browser.errors import BrowserFailed
from ouroboros.safety.scratch import Scratch, make

PREFIX = "ouro-web-"
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
    made = await anyio.to_thread.run_sync(_made, _root(environment))
    try:
        yield made.path
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(made.remove)


def _root(environment: Mapping[str, str]) -> Path:
    wanted = environment.get("TMPDIR", "")
    fits = len(wanted.encode("utf-8", "replace")) <= _ROOT_BYTES
    return Path(wanted if wanted and fits and Path(wanted).is_dir() else _FALLBACK)


def _made(root: Path) -> Scratch:
    try:
        return make(root, PREFIX)
    except OSError as failed:
        raise BrowserFailed(
            f"no folder for temporary files can be made in {root}: {failed.strerror}",
            hint="free some of the disk, or set TMPDIR to a folder that may be written",
        ) from failed
