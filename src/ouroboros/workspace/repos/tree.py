"""The files of a repository as a compact tree: sizes, languages, what its readme begins with."""

import os
from collections import Counter
from pathlib import Path

from msgspec import Struct

MOST_NAMES = 100_000
"""Names that are looked at."""

README_BYTES = 1200

MOST_LEVELS = 60
"""How deep folders are followed."""

_SKIPPED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", "dist"})
_LANGUAGES = {
    ".py": "Python",
    ".js": "JavaScript",
    ".mjs": "JavaScript",
    ".jsx": "JavaScript",
    ".ts": "TypeScript",
    ".tsx": "TypeScript",
    ".rs": "Rust",
    ".go": "Go",
    ".java": "Java",
    ".kt": "Kotlin",
    ".c": "C",
    ".h": "C",
    ".cc": "C++",
    ".cpp": "C++",
    ".hpp": "C++",
    ".cs": "C#",
    ".rb": "Ruby",
    ".php": "PHP",
    ".swift": "Swift",
    ".scala": "Scala",
    ".sh": "Shell",
    ".sql": "SQL",
    ".html": "HTML",
    ".css": "CSS",
    ".md": "Markdown",
    ".rst": "reStructuredText",
}


class Branch(Struct, kw_only=True):
    """A folder: its files by name with their bytes, and what is below."""

    files: dict[str, int]
    folders: dict[str, "Branch"]
    count: int = 0
    bytes: int = 0


class Tree(Struct, frozen=True, kw_only=True):
    """What was found below a folder; ``is_cut`` where there was more than is looked at."""

    top: Branch
    languages: tuple[tuple[str, int], ...]
    readme: str = ""
    is_cut: bool = False


def read_tree(root: Path) -> Tree:
    """Looks through a folder without following links; blocks."""
    found: Counter[str] = Counter()
    left = [MOST_NAMES]
    top = _branch(root, found, left)
    return Tree(
        top=top,
        languages=tuple(found.most_common(5)),
        readme=_readme(root, top),
        is_cut=left[0] <= 0,
    )


def compact(tree: Tree, *, most_chars: int) -> str:
    """The tree in at most so many characters: all folders of a depth, or none but their number."""
    total = sum(count for _, count in tree.languages) or 1
    shares = ", ".join(f"{name} {count * 100 // total}%" for name, count in tree.languages)
    more = "more than " if tree.is_cut else ""
    head = [f"{more}{tree.top.count:,} files, {_size(tree.top.bytes)}"]
    head += [f"by bytes: {shares}"] if shares else []
    room = most_chars - sum(len(line) + 1 for line in head)
    readme = tree.readme[: max(0, min(README_BYTES, room // 3))].rstrip()
    room -= len(readme) + 20
    depth, lines = 1, _lines(tree.top, 1)
    while depth < 12:
        deeper = _lines(tree.top, depth + 1)
        if len(deeper) == len(lines) or sum(len(line) + 1 for line in deeper) > room:
            break
        depth, lines = depth + 1, deeper
    shown = _fitting(lines, room)
    return "\n".join([*head, *shown, *(["", "readme:", readme] if readme else [])])


def _branch(folder: Path, found: Counter[str], left: list[int], level: int = 1) -> Branch:
    branch = Branch(files={}, folders={})
    if level > MOST_LEVELS:
        return branch
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError:
        return branch
    for entry in entries:
        left[0] -= 1
        if left[0] < 0:
            break
        _add(branch, entry, found, left, level)
    return branch


def _add(
    branch: Branch, entry: "os.DirEntry[str]", found: Counter[str], left: list[int], level: int
) -> None:
    try:
        if entry.is_dir(follow_symlinks=False):
            if entry.name in _SKIPPED:
                return
            below = _branch(Path(entry.path), found, left, level + 1)
            branch.folders[entry.name] = below
            branch.count, branch.bytes = branch.count + below.count, branch.bytes + below.bytes
            return
        size = entry.stat(follow_symlinks=False).st_size
    except OSError:
        return
    branch.files[entry.name] = size
    branch.count, branch.bytes = branch.count + 1, branch.bytes + size
    language = _LANGUAGES.get(Path(entry.name).suffix.lower())
    if language:
        found[language] += size


def _lines(branch: Branch, depth: int, indent: str = "") -> list[str]:
    lines: list[str] = []
    for name, below in branch.folders.items():
        shown, inner = plain(name), below
        while not inner.files and len(inner.folders) == 1:
            ((step, inner),) = inner.folders.items()
            shown += f"/{plain(step)}"
        counted = f"{below.count:,} file{'' if below.count == 1 else 's'}, {_size(below.bytes)}"
        lines.append(f"{indent}{shown}/ ({counted})")
        if depth > 1:
            lines += _lines(inner, depth - 1, indent + "  ")
    lines += [f"{indent}{plain(name)}" for name in branch.files]
    return lines


def _fitting(lines: list[str], room: int) -> list[str]:
    shown: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 30:
            shown.append(f"… and {len(lines) - len(shown)} more")
            break
        shown.append(line)
    return shown


def plain(name: str) -> str:
    """A name as one line that a person may see."""
    readable = name.encode("utf-8", "replace").decode()
    return "".join(char if char.isprintable() else "?" for char in readable)[:120]


def _readme(root: Path, top: Branch) -> str:
    for name in top.files:
        if name.lower().startswith("readme"):
            path = root / name
            try:
                if path.is_symlink() or not path.is_file():
                    continue
                with path.open("rb") as file:
                    text = file.read(README_BYTES * 4).decode("utf-8", "replace")
            except OSError:
                continue
            lines = [line.rstrip() for line in text.splitlines() if line.strip()]
            return "\n".join("".join(c for c in line if c.isprintable()) for line in lines)
    return ""


def _size(count: int) -> str:
    return f"{count / 1_048_576:,.1f} MB" if count >= 1_048_576 else f"{max(1, count // 1024):,} kB"
