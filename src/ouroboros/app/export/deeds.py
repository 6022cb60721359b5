"""What a document tells of a call and its result: the path of a file, but not what is in it."""

from typing import cast

import msgspec

from ouroboros.core.events import ToolResulted, ToolStarted
from ouroboros.core.parts import Media, Text

LEFT_OUT = "[left out: what the file holds]"
_READS = frozenset({"read", "view_image"})
_CONTENT = frozenset({"content", "contents", "file_text"})


def arguments_of(event: ToolStarted, *, contents: bool) -> str:
    """The JSON of a call, without a whole file unless that is wanted."""
    if contents or event.name != "write":
        return event.arguments
    try:
        held: object = msgspec.json.decode(event.arguments)
    except msgspec.DecodeError:
        return LEFT_OUT
    if not isinstance(held, dict):
        return LEFT_OUT
    fields = cast("dict[str, object]", held)
    kept = {key: LEFT_OUT if key in _CONTENT else value for key, value in fields.items()}
    return msgspec.json.encode(kept).decode()


def result_of(event: ToolResulted, *, contents: bool) -> tuple[str, str]:
    """The words of a result, and ``diff`` when they are one."""
    if event.detail:
        is_left = not contents and _is_new_file(event.detail)
        return (LEFT_OUT, "") if is_left else (event.detail, "diff")
    if event.name in _READS and event.status == "done" and not contents:
        return LEFT_OUT, ""
    return "".join(part.text for part in event.parts if isinstance(part, Text)), ""


def pictures_of(event: ToolResulted, *, contents: bool) -> tuple[Media, ...]:
    """The pictures of a result that came with their data."""
    if event.name in _READS and not contents:
        return ()
    return tuple(part for part in event.parts if isinstance(part, Media) and part.data)


def _is_new_file(diff: str) -> bool:
    _, _, body = diff.partition("\n@@")
    lines = body.split("\n")[1:]
    return bool(lines) and all(line.startswith("+") for line in lines if line)
