"""Files that a person names on a command line: read whole, within bounds; blocking."""

from pathlib import Path
from typing import BinaryIO

from ouroboros.core.errors import Misuse


def bytes_of(name: str, *, most: int, start: Path = Path(), stdin: BinaryIO | None = None) -> bytes:
    """What a file holds.

    Args:
        name: As the person wrote it; with ``stdin``, ``-`` stands for that.
        most: Bytes that it may have.
        start: Where its name counts from.
        stdin: Standard input, where it may be named.

    Raises:
        Misuse: It cannot be read, or is too large.
    """
    try:
        if name == "-" and stdin is not None:
            data = stdin.read(most + 1)
        else:
            with (start / name).open("rb") as file:
                data = file.read(most + 1)
    except (OSError, ValueError) as failed:
        why = failed.strerror if isinstance(failed, OSError) else str(failed)
        raise Misuse(f"{name!r} cannot be read: {why}") from failed
    if len(data) > most:
        raise Misuse(f"{name!r} has more than {most:,} bytes")
    return data
