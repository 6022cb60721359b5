"""What kind of line was typed; pure."""

import re

_COMMAND = re.compile(r"/(?:[\w?-]+)?(?:\s|$)")


def is_line(text: str) -> bool:
    """Whether it is for us and not for the model: a command, the person's own shell, or a note.

    A path that begins with a slash is none; a text of several lines may well begin with a heading.
    """
    if text.startswith("!"):
        return bool(text[1:].strip())
    if text.startswith("# "):
        return "\n" not in text.strip()
    return _COMMAND.match(text) is not None


def kind_of(text: str) -> str:
    """What is said of a line that is neither for the model nor a command; else empty."""
    if text.startswith("!"):
        return "your own shell"
    return "a note" if text.startswith("# ") and is_line(text) else ""
