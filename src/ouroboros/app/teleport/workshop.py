"""A folder to work in beside where the result goes, gone at the end, also after a kill."""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

_PREFIX = ".teleport-"


@contextmanager
def workshop(beside: Path) -> Generator[Path]:
    """Yields a private folder on the disk of ``beside``; blocking.

    Raises:
        OSError: It cannot be made.
    """
    _sweep(beside.parent)
    with TemporaryDirectory(dir=beside.parent, prefix=f"{_PREFIX}{os.getpid()}-") as name:
        yield Path(name)


def _sweep(folder: Path) -> None:
    """Removes what a process that was killed left there."""
    for path in folder.glob(f"{_PREFIX}*-*"):
        pid = path.name.removeprefix(_PREFIX).partition("-")[0]
        if pid.isdecimal() and not _is_alive(int(pid)):
            shutil.rmtree(path, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        try:
            os.kill(pid, 0)
        except PermissionError:
            return True
        return True
    return False
