"""What a call would change, as a diff, for the person who is asked about it."""

from collections.abc import Mapping, Sequence
from typing import Protocol, cast

import msgspec
from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.tools.registry import AnyTool
from ouroboros.tools.tool import ToolContext
from ouroboros.workspace.diff import unified

_DIFF_CHARACTERS = 60_000


class Previewing[Arguments: Struct](Protocol):
    """A tool that can tell beforehand what a call would change."""

    def preview(self, arguments: Arguments, context: ToolContext) -> str:
        """A unified diff; raises ``ToolFailed`` where the change cannot be made; may block."""
        ...


def preview(tool: AnyTool, arguments: Struct, context: ToolContext, *, may_tell: bool) -> str:
    """A unified diff; empty for other tools; blocking.

    Args:
        tool: The tool that is called.
        arguments: The ones of the call.
        context: As it is before anybody said yes.
        may_tell: The model may read the files, and so learn unasked that the change does not fit them.

    Raises:
        ToolFailed: The change cannot be made, and that may be told.
    """
    asked = cast("Previewing[Struct] | None", tool if hasattr(tool, "preview") else None)
    if asked is None:
        return ""
    try:
        found = asked.preview(arguments, context)
    except (ToolFailed, OSError):
        if may_tell:
            raise
        found = _as_written(msgspec.to_builtins(arguments))
    return found[:_DIFF_CHARACTERS]


def _as_written(arguments: Mapping[str, object]) -> str:
    """What the call wants to be replaced by what, or the text that says so."""
    name = str(arguments.get("path", ""))
    match arguments:
        case {"old_text": str(old), "new_text": str(new)}:
            return unified(old, new, name)
        case {"edits": _}:
            pairs = cast("Sequence[Mapping[str, str]]", arguments["edits"])
            return "".join(unified(one["old_text"], one["new_text"], name) for one in pairs)
        case {"content": str(text)}:
            return unified("", text, name)
        case {"input": str(text)} | {"bundle": str(text)}:
            return text
        case _:
            return ""
