"""Long texts that were pasted stand in the line as one mark each, and are whole again when it is sent."""

import re

from ouroboros.app.text import plain

FOLD_LINES = 12
FOLD_CHARACTERS = 2_000
"""A longer text is folded: more lines, or more characters."""

_FIRST = 0xF0000
_MOST = 0xFFFD
_MARK = re.compile("[\U000f0000-\U000ffffd]")


class Folds:
    """Which text each mark stands for; a mark is one character that nobody types."""

    def __init__(self) -> None:
        """None yet."""
        self._texts: list[str] = []

    def taken_in(self, text: str) -> str:
        """A text from outside as it goes into the line: harmless, and as a mark where it is long."""
        text = _MARK.sub("\N{REPLACEMENT CHARACTER}", plain(text))
        if len(text) <= FOLD_CHARACTERS and text.count("\n") < FOLD_LINES:
            return text
        if text in self._texts:
            return chr(_FIRST + self._texts.index(text))
        if len(self._texts) > _MOST:
            return text
        self._texts.append(text)
        return chr(_FIRST + len(self._texts) - 1)

    def whole(self, text: str) -> str:
        """The text with what its marks stand for."""
        return _MARK.sub(lambda mark: self._text(mark[0]), text)

    def shown(self, character: str) -> str:
        """What is shown for a mark; empty for any other character."""
        if not self.is_mark(character):
            return ""
        text = self._text(character)
        lines = text.count("\n") + (not text.endswith("\n"))
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        return f"[pasted {size}]"

    def is_mark(self, character: str) -> bool:
        """Whether it stands for a folded text."""
        return _MARK.fullmatch(character) is not None

    def _text(self, mark: str) -> str:
        number = ord(mark) - _FIRST
        return self._texts[number] if number < len(self._texts) else ""
