"""Which branch a folder is on, read from git's own files."""

from pathlib import Path

_LONGEST = 4_096


def branch(folder: Path) -> str:
    """The branch, the beginning of a commit's name, or nothing; blocking."""
    for each in (folder, *folder.parents):
        found = each / ".git"
        try:
            if found.is_dir():
                return _head(found)
            if found.is_file():
                where = found.read_text("utf-8", "replace")[:_LONGEST].strip()
                return _head(each / where.removeprefix("gitdir:").strip())
        except OSError:
            return ""
    return ""


def _head(folder: Path) -> str:
    try:
        with (folder / "HEAD").open(encoding="utf-8", errors="replace") as file:
            head = file.read(_LONGEST).strip()
    except OSError:
        return ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else head[:7]
