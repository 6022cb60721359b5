"""Which symbols a file defines, and which names it uses; pure, and quiet about broken files."""

from collections import Counter
from pathlib import PurePosixPath

from ouroboros.workspace.repomap import lexical
from ouroboros.workspace.repomap.python_tags import python_definitions
from ouroboros.workspace.repomap.tags import (
    LEXICAL,
    MOST_BYTES,
    MOST_DEFINITIONS,
    MOST_LINE,
    MOST_NAMES,
    PYTHON,
    SCRIPTS,
    Definition,
    Tags,
)


def tags_of(path: str, data: bytes) -> Tags:
    """What is in a file; what is binary, huge, made by a program or not understood has nothing."""
    if not data or len(data) > MOST_BYTES or b"\0" in data[:8192]:
        return Tags()
    if len(data) / (data.count(b"\n") + 1) > MOST_LINE / 4:
        return Tags()
    source = data.decode("utf-8", "replace")
    suffix = PurePosixPath(path).suffix.lower()
    language = "python" if suffix in PYTHON else SCRIPTS.get(suffix) or LEXICAL[suffix]
    bare = lexical.stripped(source, language)
    definitions: list[Definition] | None = None
    if suffix in PYTHON:
        definitions = python_definitions(source, bare)
    elif suffix in SCRIPTS:
        from ouroboros.workspace.repomap.script_tags import script_definitions

        definitions = script_definitions(data, language)
    if definitions is None:
        definitions = lexical.definitions(source, bare, language)
    names, members = lexical.uses(bare)
    return Tags(
        definitions=tuple(definitions[:MOST_DEFINITIONS]),
        names=_most(names),
        members=_most(members),
        imported=lexical.imported(bare) if language == "python" else None,
        offered=lexical.offered(source) if language == "python" else (),
    )


def _most(counted: Counter[str]) -> dict[str, int]:
    return dict(counted if len(counted) <= MOST_NAMES else counted.most_common(MOST_NAMES))
