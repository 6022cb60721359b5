"""What a call would change, as a diff, for the person who is asked about it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

import msgspec
from msgspec import Struct

from ouroboros.tools.registry import AnyTool
from ouroboros.workspace.diff import lines_of

_LARGEST = 2_000_000
_DIFF_CHARACTERS = 60_000


class Unsaved(Protocol):
    """What of a file no disk has yet."""

    def unsaved(self, path: Path) -> bytes | None:
        """None where the disk has it all; may block."""
        ...


def preview(tool: AnyTool, arguments: Struct, paths: Sequence[Path]) -> str:
    """A unified diff, or a patch as it was written; empty for other tools; blocking.

    ``arguments`` are the ones of the call, ``paths`` the files of its effect.
    """
    texts = cast("Unsaved | None", getattr(tool, "texts", None))
    return _shown(tool.name, msgspec.to_builtins(arguments), paths, texts)


def _shown(
    tool: str, arguments: Mapping[str, object], paths: Sequence[Path], texts: Unsaved | None
) -> str:
    match tool, arguments:
        case "write", {"content": str(content)} if paths:
            return _diff(_read(paths[0], texts), content, paths[0])
        case "edit", {"old_text": str(old), "new_text": str(new)} if paths:
            before, every = _read(paths[0], texts), bool(arguments.get("replace_all"))
            return _replaced(paths[0], before, [(old, new)], every=every)
        case "multi_edit", _ if paths:
            edits = cast("Sequence[object]", arguments.get("edits", ()))
            return _replaced(paths[0], _read(paths[0], texts), [_pair(each) for each in edits])
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


def _replaced(
    path: Path, before: str, edits: Sequence[tuple[str, str]], *, every: bool = False
) -> str:
    after = before
    for old, new in edits:
        if old and old in after:
            after = after.replace(old, new, -1 if every else 1)
        else:  # not a plain match: what was written is shown by itself
            return "".join(_diff(one, other, path) for one, other in edits)
    return _diff(before, after, path)


def _read(path: Path, texts: Unsaved | None) -> str:
    try:
        if texts is not None and (data := texts.unsaved(path)) is not None:
            return data.decode("utf-8", "replace")
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return ""
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def _diff(before: str, after: str, path: Path) -> str:
    import difflib  # only a question about a file needs it

    name = path.name
    lines = difflib.unified_diff(lines_of(before), lines_of(after), f"a/{name}", f"b/{name}")
    text = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
    return text[:_DIFF_CHARACTERS]
