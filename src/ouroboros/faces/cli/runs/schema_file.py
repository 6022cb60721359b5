"""The file of ``--output-schema``."""

from pathlib import Path

from ouroboros.core.errors import Misuse


def schema_of(name: str, cwd: Path) -> bytes:
    """What is in the file; nothing without a name; raises ``Misuse`` where it cannot be read."""
    if not name:
        return b""
    path = cwd / Path(name).expanduser()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Misuse(f"--output-schema: {str(path)!r} cannot be read: {error.strerror}") from None
    if not data.strip():
        raise Misuse(f"--output-schema: {str(path)!r} is empty", hint="`true` fits everything")
    return data
