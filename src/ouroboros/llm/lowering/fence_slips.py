"""Replies that meant to act, but wrote it otherwise than as a run block."""

import re
from collections.abc import Container, Sequence

from ouroboros.core.parts import Message, ToolCall, ToolResult

SHELL_TAGS = frozenset({"sh", "bash", "shell", "zsh", "console"})
"""Tags of samples that a model may have meant to run."""

_CALL_TAGS = frozenset({"run", "tool", "tool_call", "tool_code"})
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*?)[ \t\r]*")
_NESTED = re.compile(r" *`{3,}[ \t]*run[ \t]+\S+[ \t\r]*")
_MARKUP = re.compile(r"[ \t]*<(?:tool_call|function)\b.*| {0,3}```run[ \t][^`]*```[ \t\r]*")
_SLIP = re.compile(r"(?:`{3,}|~{3,}|<)[^\n]*")


def slip(texts: Sequence[str], tools: Container[str], *, is_first: bool, has_calls: bool) -> str:
    """The line by which a reply began to act in vain; empty where all is as told.

    ``texts`` are its words between blocks. Samples at the end count as meant where the reply is the
    first to what a person said; later ones come from a model that knows how to act.
    """
    last = ""
    for text in texts:
        vain, last = _read(text, tools, is_first=is_first)
        if vain:
            return vain
    return "" if has_calls else last


def is_slip(call: ToolCall) -> bool:
    """Whether a call only stands for such a line, which its arguments then are."""
    return _SLIP.fullmatch(call.arguments) is not None


def told_last(messages: Sequence[Message]) -> str:
    """The line of the latest reply that the model was told about; said again, it is an answer."""
    latest = next((one for one in reversed(messages) if one.role == "assistant"), None)
    calls = latest.calls if latest is not None else ()
    return next((call.arguments for call in calls if is_slip(call)), "")


def answers_person(messages: Sequence[Message]) -> bool:
    """Whether the next reply is the first to a person's words."""
    return not messages or not any(isinstance(part, ToolResult) for part in messages[-1].parts)


def _read(text: str, tools: Container[str], *, is_first: bool) -> tuple[str, str]:
    """A line that was certainly meant to act, and one that was if the reply ends with it."""
    ticks = first = last = ""
    for line in text.split("\n"):
        fence = _FENCE.fullmatch(line)
        if ticks:
            if fence and fence[1].startswith(ticks) and not fence[2]:
                ticks = ""
            elif is_first and _NESTED.fullmatch(line):
                last = first
        elif fence:
            ticks, first = fence[1], line.strip()
            if fence[2].split(" ")[0] == "run":
                return first, ""
            last = first if _is_meant(fence[2], tools, is_first=is_first) else ""
        elif _MARKUP.fullmatch(line):
            last = line.strip()
        elif line.strip() and not _MARKUP.fullmatch(last):
            last = ""
    return "", last


def _is_meant(info: str, tools: Container[str], *, is_first: bool) -> bool:
    word = info.split(" ")[0]
    if word in SHELL_TAGS:
        return is_first
    return word in _CALL_TAGS or word in tools
