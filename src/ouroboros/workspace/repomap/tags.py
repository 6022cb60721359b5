"""What is known of one file: the symbols it defines and the names it uses; and which files are read."""

from pathlib import PurePosixPath

from msgspec import Struct

MOST_BYTES = 1_000_000
"""Larger files are left out."""

MOST_LINE = 2_000
"""Files with longer lines on the whole were made by programs."""

MOST_DEFINITIONS = 2_000
MOST_NAMES = 4_000

PYTHON = frozenset({".py", ".pyi"})
SCRIPTS = {
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".sh": "bash",
    ".bash": "bash",
}
LEXICAL = {
    ".ts": "typescript",
    ".tsx": "typescript",
    ".mts": "typescript",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".kt": "java",
    ".scala": "java",
    ".cs": "java",
    ".swift": "java",
    ".c": "c",
    ".h": "c",
    ".cc": "c",
    ".cpp": "c",
    ".cxx": "c",
    ".hpp": "c",
    ".rb": "ruby",
    ".php": "php",
}


class Definition(Struct, frozen=True, array_like=True):
    """A symbol where it is made.

    Attributes:
        line: From 1.
        parent: The class that it belongs to; empty for none.
        text: The line or two that say how it is used.
        is_value: No class and no function.
    """

    name: str
    line: int
    parent: str
    text: str
    is_value: bool = False


class Tags(Struct, frozen=True, array_like=True):
    """Of one file.

    Attributes:
        definitions: Its symbols.
        names: Those that it uses by themselves, with how often.
        members: Those that it uses after a dot.
        imported: Names that it has from other files, ``*`` for all there are; None where the language
            does not say.
        offered: Names that it says are for others.
    """

    definitions: tuple[Definition, ...] = ()
    names: dict[str, int] = {}
    members: dict[str, int] = {}
    imported: tuple[str, ...] | None = None
    offered: tuple[str, ...] = ()


def is_read(path: str) -> bool:
    """Whether a file of this name is looked into."""
    suffix = PurePosixPath(path).suffix.lower()
    is_made = path.endswith((".min.js", "_pb2.py", ".d.ts", ".bundle.js"))
    return (suffix in PYTHON or suffix in SCRIPTS or suffix in LEXICAL) and not is_made
