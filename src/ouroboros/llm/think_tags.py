"""Thoughts that a model prints within its words, between ``<think>`` and ``</think>``."""

from typing import Literal

type Kind = Literal["text", "reasoning"]

_OPENING = "<think>"
_CLOSING = "</think>"


class ThinkTags:
    """Tells thoughts from words as they stream; a tag may come in pieces.

    Only the first pair counts: a model that has thought may write about tags. What is held back is
    never longer than a tag without its last character.
    """

    def __init__(self) -> None:
        """Has heard nothing yet."""
        self._held = ""
        self._kind: Kind = "text"
        self._tag = _OPENING
        self._is_fresh = False

    def feed(self, text: str) -> list[tuple[Kind, str]]:
        """What is certain now, in order."""
        if not self._tag:
            return self._said("text", text)
        self._held += text
        found: list[tuple[Kind, str]] = []
        while self._tag:
            before, tag, after = self._held.partition(self._tag)
            if not tag:
                kept = _beginning(self._held, self._tag)
                certain = self._held[: len(self._held) - kept]
                self._held = self._held[len(certain) :]
                return found + self._said(self._kind, certain)
            found += self._said(self._kind, before)
            self._held = after
            self._next()
        rest, self._held = self._held, ""
        return found + self._said("text", rest)

    def end(self) -> list[tuple[Kind, str]]:
        """What was held back, now that nothing follows; words after this are words."""
        rest, self._held = self._held, ""
        found = self._said(self._kind, rest)
        if self._kind == "reasoning":
            self._kind, self._tag = "text", ""
        return found

    def _next(self) -> None:
        is_over = self._kind == "reasoning"
        self._kind = "text" if is_over else "reasoning"
        self._tag = "" if is_over else _CLOSING
        self._is_fresh = is_over

    def _said(self, kind: Kind, text: str) -> list[tuple[Kind, str]]:
        if self._is_fresh and kind == "text":
            # The empty lines after the closing tag belong to the tag.
            text = text.lstrip()
            self._is_fresh = not text
        return [(kind, text)] if text else []


def _beginning(text: str, tag: str) -> int:
    """How many characters at the end of ``text`` may be the beginning of ``tag``."""
    for length in range(min(len(text), len(tag) - 1), 0, -1):
        if tag.startswith(text[-length:]):
            return length
    return 0
