"""What a document tells of a call and its result: the path of a file, but not what is in it."""

import re
from typing import cast

import msgspec

from ouroboros.agent.context.compaction import words_of
from ouroboros.core.events import ContextCompacted, ToolResulted, ToolStarted
from ouroboros.core.parts import Media, Text

LEFT_OUT = "[left out: what the file holds]"
_READS = frozenset({"read", "view_image"})
_WHOLE_FILE = re.compile(r"@@ (?:-0,0 \+1|-1(?:,(\d+))? \+0,0)(?:,(\d+))? @@")
_CONTENT = frozenset({"content", "contents", "file_text"})
_WHOLE = {"write": _CONTENT, "dogs": frozenset({"bundle"}), "create_tool": frozenset({"code"})}
"""Which arguments of a tool hold whole files."""

_ADDED = re.compile(r"(?m)^(\*\*\* Add File: .*\n)(?:\+.*(?:\n|\Z))+")


def arguments_of(event: ToolStarted, *, contents: bool) -> str:
    """The arguments of a call, without a whole file unless that is wanted."""
    if contents or event.name not in {*_WHOLE, "apply_patch"}:
        return event.arguments
    try:
        held: object = msgspec.json.decode(event.arguments)
    except msgspec.DecodeError:
        held = None
    if event.name == "apply_patch":
        return _patch(event.arguments, held)
    if not isinstance(held, dict):
        return LEFT_OUT
    fields, whole = cast("dict[str, object]", held), _WHOLE[event.name]
    kept = {key: LEFT_OUT if key in whole else value for key, value in fields.items()}
    return msgspec.json.encode(kept).decode()


def _patch(arguments: str, held: object) -> str:
    """A patch without its new files; a model may give it as it is, or as JSON."""
    if not isinstance(held, dict):
        return _ADDED.sub(rf"\1{LEFT_OUT}\n", arguments)
    fields = cast("dict[str, object]", held)
    kept = {
        key: _ADDED.sub(rf"\1{LEFT_OUT}\n", value) if isinstance(value, str) else value
        for key, value in fields.items()
    }
    return msgspec.json.encode(kept).decode()


def heading_of(event: ToolResulted) -> str:
    """What was called and how it ended; what only looked has no other heading."""
    return f"{event.title or event.name}: {event.status}"


def answer_of(event: ToolResulted) -> tuple[str, bool]:
    """The whole value that ends a run, where the result does not have it, and whether it is JSON."""
    text = event.answer or ""
    if not text.startswith(("{", "[")):
        return text, False
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text, False
    return text, True


def summary_of(event: ContextCompacted) -> str:
    """The words that took the place of what was summarised."""
    found = (each for each in reversed(event.history) if each.kind == "summary")
    return next((words_of(each) for each in found), "")


def result_of(event: ToolResulted, *, contents: bool) -> tuple[str, str]:
    """The words of a result, and ``diff`` when they are one."""
    if event.detail:
        return diff_of(event.detail, contents=contents), "diff"
    if event.name in _READS and event.status == "done" and not contents:
        return LEFT_OUT, ""
    return "".join(part.text for part in event.parts if isinstance(part, Text)), ""


def pictures_of(event: ToolResulted, *, contents: bool) -> tuple[Media, ...]:
    """The pictures of a result that came with their data."""
    if event.name in _READS and not contents:
        return ()
    return tuple(part for part in event.parts if isinstance(part, Media) and part.data)


def diff_of(diff: str, *, contents: bool) -> str:
    """The same; a file that is new or gone is only named unless that is wanted."""
    if contents:
        return diff
    kept: list[str] = []
    left = 0
    for line in diff.split("\n"):
        if found := _WHOLE_FILE.match(line):
            left = int(found[1] or found[2] or 1)
            kept += [line, LEFT_OUT]
        elif line.startswith("@@"):
            left = 0
            kept.append(line)
        elif line.startswith("…"):  # cut here: what follows may be of any file
            left = len(diff)
            kept.append("…")
        elif left and line[:1] in {"+", "-"}:
            left -= 1
        else:
            kept.append(line)
    return "\n".join(kept)
