"""Search without ripgrep: a program of its own, with ripgrep's output and exit codes.

It runs in a child process because a bad pattern may keep ``re`` busy for ever; a child can be ended.
"""

import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

SKIPPED = frozenset({
    ".git",
    ".hg",
    ".mypy_cache",
    ".svn",
    ".venv",
    "__pycache__",
    "node_modules",
    "venv",
})
EXTENSIONS = {
    "c": ("c", "h"),
    "cpp": ("cc", "cpp", "cxx", "h", "hh", "hpp"),
    "js": ("cjs", "js", "jsx", "mjs"),
    "markdown": ("markdown", "md"),
    "md": ("markdown", "md"),
    "py": ("py", "pyi"),
    "python": ("py", "pyi"),
    "rust": ("rs",),
    "sh": ("bash", "sh", "zsh"),
    "ts": ("cts", "mts", "ts", "tsx"),
    "yaml": ("yaml", "yml"),
}
LARGEST_BYTES = 16 * 1_048_576
COLUMNS = 300


def glob_expression(pattern: str) -> str:
    """A regular expression for a path glob; without a slash the glob matches at any depth."""
    relative = pattern.removeprefix("./")
    if "/" not in relative:
        relative = f"**/{relative}"
    pieces = re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]/]+\]|\{[^{}]*\})", relative.removeprefix("/"))
    return "".join(_glob_piece(piece) for piece in pieces)


def _glob_piece(piece: str) -> str:
    fixed = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    if piece in fixed:
        return fixed[piece]
    if piece.startswith("[") and piece.endswith("]"):
        negated = piece[1] in "!^"
        inside = piece[2:-1] if negated else piece[1:-1]
        return f"[{'^' if negated else ''}{inside.replace(chr(92), chr(92) * 2)}]"
    if piece.startswith("{") and piece.endswith("}"):
        options = "|".join(
            "".join(_glob_piece(part) for part in re.split(r"(\*\*|\*|\?)", option))
            for option in piece[1:-1].split(",")
        )
        return f"(?:{options})"
    return re.escape(piece)


def walk(root: str) -> Iterator[str]:
    """Regular files below ``root`` in order of their paths; links are not followed."""
    if not Path(root).is_dir():
        yield root
        return
    open_folders = [iter(_entries(root))]
    while open_folders:
        entry = next(open_folders[-1], None)
        if entry is None:
            open_folders.pop()
        elif entry.is_dir(follow_symlinks=False):
            if entry.name not in SKIPPED:
                with suppress(OSError):
                    open_folders.append(iter(_entries(entry.path)))
        elif entry.is_file(follow_symlinks=False):
            yield entry.path


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return sorted(found, key=lambda entry: entry.name)


def text_of(path: str) -> str:
    """A file's text, empty for what is binary, special, unreadable or too large."""
    try:
        with Path(path).open("rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_BYTES:
                return ""
            data = file.read()
    except OSError:
        return ""
    if b"\0" in data[:8192]:
        return ""
    return data.replace(b"\r\n", b"\n").decode("utf-8", "replace")


def search(wanted: dict[str, object], names: Iterator[str]) -> bool:
    """Prints hits as ``path NUL line:text``, or only paths; says whether there were any."""
    pattern = re.compile(
        str(wanted["pattern"]), (re.IGNORECASE if wanted["ignore_case"] else 0) | re.MULTILINE
    )
    beside = int(str(wanted["context"]))
    is_found = False
    for name in names:
        text = text_of(name)
        if not text or pattern.search(text) is None:
            continue
        lines = text.removesuffix("\n").split("\n")
        hits = (number for number, line in enumerate(lines) if pattern.search(line) is not None)
        if wanted["files_only"]:
            if next(hits, None) is not None:
                is_found = True
                sys.stdout.write(f"{name}\0")
            continue
        for group in groups(hits, beside):
            if is_found and beside:
                sys.stdout.write("--\n")
            is_found = True
            show(name, lines, group, beside)
    return is_found


def groups(hits: Iterator[int], beside: int) -> Iterator[list[int]]:
    """Hits in order, those together whose surroundings touch."""
    group: list[int] = []
    for number in hits:
        if group and number - group[-1] > 2 * beside + 1:
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def show(name: str, lines: list[str], group: list[int], beside: int) -> None:
    """Prints some hits of a file and the lines beside them."""
    hits = set(group)
    for number in range(max(0, group[0] - beside), min(len(lines), group[-1] + beside + 1)):
        mark = ":" if number in hits else "-"
        sys.stdout.write(f"{name}\0{number + 1}{mark}{shortened(lines[number])}\n")


def shortened(line: str) -> str:
    """A line, cut when it is very long."""
    return line if len(line) <= COLUMNS else f"{line[:COLUMNS]} [... omitted end of long line]"


def is_wanted(name: str, root: str, glob: re.Pattern[str] | None, endings: tuple[str, ...]) -> bool:
    """Whether glob and type let a file through."""
    relative = os.path.relpath(name, root)
    if glob is not None and glob.fullmatch(relative) is None:
        return False
    return not endings or name.rpartition(".")[2] in endings


def main(wanted: dict[str, object]) -> int:
    """0 when something was found, 1 when nothing, 2 when the question is wrong."""
    root = str(wanted["start"])
    kind = str(wanted["type"] or "")
    try:
        glob = re.compile(glob_expression(str(wanted["glob"]))) if wanted["glob"] else None
        names = (
            name
            for name in walk(root)
            if is_wanted(name, root, glob, EXTENSIONS.get(kind, (kind,)) if kind else ())
        )
        if wanted["pattern"] is not None:
            return 0 if search(wanted, names) else 1
        is_found = False
        for name in names:
            sys.stdout.write(f"{name}\0")
            is_found = True
        return 0 if is_found else 1
    except re.error as broken:
        sys.stderr.write(f"regex parse error: {broken}\n")
        return 2
    except OSError as broken:
        sys.stderr.write(f"{broken.filename}: {broken.strerror}\n")
        return 2


if __name__ == "__main__":
    with open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False) as sys.stdout:
        code = main(json.loads(sys.argv[1]))
    raise SystemExit(code)
