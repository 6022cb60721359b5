"""Which symbols a file defines, and which names it uses; pure, and quiet about broken files."""

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


def tags_of(path: str, data: bytes) -> Tags:
    """What is in a file; what is binary, huge, made by a program or not understood has nothing."""
    if not data or len(data) > MOST_BYTES or b"\0" in data[:8192]:
        return Tags()
    if len(data) / (data.count(b"\n") + 1) > MOST_LINE / 4:
        return Tags()
    from ouroboros.workspace.repomap import lexical

    source = data.decode("utf-8", "replace")
    suffix = PurePosixPath(path).suffix.lower()
    definitions: list[Definition] | None = None
    if suffix in PYTHON:
        from ouroboros.workspace.repomap.python_tags import python_definitions

        definitions, language = python_definitions(source), "python"
    elif suffix in SCRIPTS:
        from ouroboros.workspace.repomap.script_tags import script_definitions

        language = SCRIPTS[suffix]
        definitions = script_definitions(data, language)
    else:
        language = LEXICAL[suffix]
    bare = lexical.stripped(source, language)
    if definitions is None:
        definitions = lexical.definitions(bare, language)
    names, members = lexical.uses(bare)
    return Tags(
        definitions=tuple(definitions[:MOST_DEFINITIONS]),
        names=dict(names.most_common(MOST_NAMES)),
        members=dict(members.most_common(MOST_NAMES)),
        imported=lexical.imported(bare) if language == "python" else None,
        offered=lexical.offered(source) if language == "python" else (),
    )
