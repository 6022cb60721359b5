"""Which symbols a file defines, and which names it uses; pure, and quiet about broken files."""

from pathlib import PurePosixPath

from ouroboros.workspace.repomap import lexical
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
