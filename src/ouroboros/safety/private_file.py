"""Files for nobody else to read, replaced at once or not at all."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

OWNER_ONLY = 0o600


@contextmanager
def replacing(target: Path, mode: int = OWNER_ONLY) -> Generator[BinaryIO]:
    """A file beside ``target`` that takes its place at the end, and is gone after an error.

    Until then only the owner can read it. Raises ``OSError``.
    """
    import tempfile  # imports much that a start does not need

    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
