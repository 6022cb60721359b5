"""Where it is noted what is being written to a folder, for who comes after a process that was killed."""

from hashlib import sha256
from pathlib import Path


def journal_of(home: Path, root: Path) -> Path:
    """The journal of a folder, one whoever writes; it need not be there."""
    name = sha256(str(root.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return home / "paws" / "journals" / f"{name}.json"
