"""What a call would change, as a diff, for the person who is asked about it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import msgspec
from msgspec import Struct

_LARGEST = 2_000_000
_DIFF_CHARACTERS = 60_000


def preview(tool: str, arguments: Struct, paths: Sequence[Path]) -> str:
    """A unified diff, or a patch as it was written; empty for other tools; blocking.

    ``arguments`` are the ones of the call, ``paths`` the files of its effect.
    """
    return shown(tool, msgspec.to_builtins(arguments), paths)


def shown(tool: str, arguments: Mapping[str, object], paths: Sequence[Path]) -> str:
    """The same of arguments by name."""
    match tool, arguments:
        case "write", {"content": str(content)} if paths:
            return _diff(_read(paths[0]), content, paths[0])
        case "edit", {"old_text": str(old), "new_text": str(new)} if paths:
            return _replaced(paths[0], [(old, new)], every=bool(arguments.get("replace_all")))
        case "multi_edit", _ if paths:
            edits = cast("Sequence[object]", arguments.get("edits", ()))
            return _replaced(paths[0], [_pair(each) for each in edits])
        case "apply_patch", {"patch": str(patch)} | {"input": str(patch)}:
            return patch[:_DIFF_CHARACTERS]
        case _:
            return ""


def _pair(edit: object) -> tuple[str, str]:
    match edit:
        case {"old_text": str(old), "new_text": str(new)}:
            return old, new
        case _:
            return "", ""


def _replaced(path: Path, edits: Sequence[tuple[str, str]], *, every: bool = False) -> str:
    before = after = _read(path)
    for old, new in edits:
        if old and old in after:
            after = after.replace(old, new, -1 if every else 1)
        else:  # not a plain match: what was written is shown by itself
            return "".join(_diff(one, other, path) for one, other in edits)
    return _diff(before, after, path)


def _read(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return ""
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def _diff(before: str, after: str, path: Path) -> str:
    import difflib  # only a question about a file needs it

    name = path.name
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}"
    )
    text = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
    return text[:_DIFF_CHARACTERS]
