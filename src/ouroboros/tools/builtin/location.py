"""Paths as a model writes them and as a person reads them."""

from pathlib import Path

from ouroboros.core.errors import ToolFailed


def located(path: str, cwd: Path) -> Path:
    """The absolute path a model meant.

    Raises:
        ToolFailed: No path can be spelled like this.
    """
    if not path.strip() or "\0" in path:
        raise ToolFailed(f"not a path: {path!r}")
    try:
        path.encode()
        return cwd / Path(path).expanduser()
    except (UnicodeEncodeError, RuntimeError) as broken:
        raise ToolFailed(f"not a path: {path!r}") from broken


def shown(path: Path, cwd: Path) -> str:
    """The path from the working folder when it lies below it, else whole."""
    return str(path.relative_to(cwd)) if path.is_relative_to(cwd) else str(path)
