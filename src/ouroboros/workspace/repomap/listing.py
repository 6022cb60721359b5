"""The files of a folder that a map is made of; blocks."""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from ouroboros.workspace.checkpoints.ignored import Ignored
from ouroboros.workspace.repomap.tags import MOST_BYTES, is_read

MOST_FILES = 50_000
MOST_LEVELS = 60
_SKIPPED = frozenset({
    *(".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache"),
    *("site-packages", "vendor", "third_party", ".ouroboros", "dist", "build", "target"),
})


class Listed(Struct, frozen=True):
    """A file by its path below the root, and what tells that it changed."""

    path: str
    size: int
    changed: int


def listed(root: Path) -> list[Listed]:
    """Files of known languages that no ``.gitignore`` leaves out; links are not followed."""
    found: list[Listed] = []
    for one in _below(root, "", None, 0):
        found.append(one)
        if len(found) >= MOST_FILES:
            break
    return found


def _below(root: Path, base: str, above: Ignored | None, level: int) -> Iterator[Listed]:
    try:
        with os.scandir(root / base) as scanned:
            entries = sorted(scanned, key=lambda entry: entry.name)
    except OSError:
        return
    names = {entry.name for entry in entries}
    rules = _rules(root, base, above) if ".gitignore" in names else above
    folders: list[str] = []
    for entry in entries:
        path = f"{base}{entry.name}"
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
            if _is_left(entry, path, rules, is_folder=is_folder):
                continue
            if is_folder:
                folders.append(path)
            elif is_read(path) and entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                if status.st_size <= MOST_BYTES:
                    yield Listed(path, status.st_size, status.st_mtime_ns)
        except OSError:
            continue
    if level < MOST_LEVELS:
        for folder in folders:
            yield from _below(root, f"{folder}/", rules, level + 1)


def _is_left(
    entry: "os.DirEntry[str]", path: str, rules: Ignored | None, *, is_folder: bool
) -> bool:
    if is_folder and entry.name in _SKIPPED:
        return True
    return rules is not None and bool(rules.verdict(path, is_folder=is_folder))


def _rules(root: Path, base: str, above: Ignored | None) -> Ignored | None:
    path = root / base / ".gitignore"
    try:
        if path.is_symlink() or path.stat().st_size > MOST_BYTES:
            return above
        return Ignored(above, base, path.read_bytes())
    except OSError:
        return above
