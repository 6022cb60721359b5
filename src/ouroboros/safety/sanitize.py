"""Makes text from models, tools and pages harmless for a terminal.

Escape sequences, control characters and characters that reorder text are taken out; line ends and
tabs stay. ``Sanitizer`` does it for text that comes in pieces, where a sequence may be cut in two.
"""

import re

_STRING_LIMIT = 4096
"""An unfinished control string longer than this is given up, so that it cannot eat a whole text."""

_SEQUENCE = re.compile(
    r"""
    (?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]                                  # CSI
    |(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])
        [^\x07\x18\x1a\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c|\x18|\x1a)  # OSC, DCS, SOS, PM, APC
    |\x1b[ -/]+[0-~]                                                  # charset and others
    |\x1b[0-OQ-WYZ\\`-~]                                              # single characters
    """,
    re.VERBOSE,
)
_UNFINISHED = re.compile(
    r"""
    (?:
      \x1b
      |(?:\x1b\[|\x9b)[0-?]*[ -/]*
      |(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x18\x1a\x1b\x90\x98\x9c-\x9f]*\x1b?
      |\x1b[ -/]+
      |\r
    )\Z
    """,
    re.VERBOSE,
)
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"
    r"\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\U000e0000-\U000e007f"
    r"\ud800-\udfff]"
)


def sanitized(text: str) -> str:
    """The whole text without anything a terminal would obey."""
    if text.isascii() and text.isprintable():
        return text
    return _CONTROL.sub("", _SEQUENCE.sub("", _line_ends(text)))


class Sanitizer:
    """Sanitizes a text that comes in pieces; one for each stream."""

    def __init__(self) -> None:
        """Starts with nothing held back."""
        self._held = ""

    def feed(self, piece: str) -> str:
        """What of the text so far is safe to show; a sequence that may go on is held back."""
        text = self._held + piece
        found = _UNFINISHED.search(text)
        if found is None or len(text) - found.start() > _STRING_LIMIT:
            self._held = ""
            return sanitized(text)
        self._held = text[found.start() :]
        return sanitized(text[: found.start()])

    def finish(self) -> str:
        """The rest, once the text is over; an unfinished sequence loses its first character."""
        rest, self._held = self._held, ""
        return sanitized(rest)


def _line_ends(text: str) -> str:
    # A bare carriage return goes back to the line's start, where new text would hide the old.
    return text.replace("\r\n", "\n").replace("\r", "\n")
