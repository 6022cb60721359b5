"""Line breaks that a model left raw in the strings of JSON, escaped while they stream."""

import re

_TURNS = re.compile(r'["\\\x00-\x1f]')


class Strings:
    """Knows whether the text so far ends within a string; any cut of it gives the same."""

    def __init__(self) -> None:
        """Before the first text."""
        self._is_within = False
        self._escapes = False

    def mended(self, text: str) -> str:
        """The next text, with its raw control characters escaped where they stand in strings."""
        if not _TURNS.search(text):
            self._escapes = self._escapes and not text
            return text
        return "".join(map(self._mended, text))

    def _mended(self, character: str) -> str:
        if self._escapes:
            self._escapes = False
        elif not self._is_within:
            self._is_within = character == '"'
        elif character == "\\":
            self._escapes = True
        elif character == '"':
            self._is_within = False
        elif character < " ":
            return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(
                character, f"\\u{ord(character):04x}"
            )
        return character
