"""Words and lines of a text as places in it; pure."""

from collections.abc import Callable

from ouroboros.faces.tui.prompt.text import clusters

type Kind = Callable[[str], int]
"""Tells characters apart: 0 is a blank, and a word is made of one kind."""


def small(character: str) -> int:
    """Letters and signs are words of different kinds."""
    if character.isspace():
        return 0
    return 1 if character.isalnum() or character == "_" or ord(character) > 0x2FF else 2


def big(character: str) -> int:
    """All but blanks is of one kind."""
    return 0 if character.isspace() else 1


def line_start(text: str, at: int) -> int:
    """The beginning of the line that is there."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """The end of the line that is there, before its line break."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def left(text: str, at: int, kind: Kind = small) -> int:
    """The beginning of the word before that place."""
    while at > 0 and kind(text[at - 1]) == 0:
        at -= 1
    if at > 0:
        mine = kind(text[at - 1])
        while at > 0 and kind(text[at - 1]) == mine:
            at -= 1
    return _back(text, at)


def right(text: str, at: int, kind: Kind = small) -> int:
    """The end of the word that is there or comes next: after its last character."""
    while at < len(text) and kind(text[at]) == 0:
        at += 1
    if at < len(text):
        mine = kind(text[at])
        while at < len(text) and kind(text[at]) == mine:
            at += 1
    return clusters.snapped(text, at)


def next_start(text: str, at: int, kind: Kind = small) -> int:
    """The beginning of the next word; an empty line counts as one."""
    mine = kind(text[at]) if at < len(text) else 0
    while at < len(text) and mine and kind(text[at]) == mine:
        at += 1
    while at < len(text) and kind(text[at]) == 0:
        if text[at] == "\n" and text[at + 1 : at + 2] == "\n":
            return at + 1
        at += 1
    return clusters.snapped(text, at)


def last_of(text: str, at: int, kind: Kind = small) -> int:
    """The last character of the word that ends next after that place."""
    end = right(text, clusters.after(text, at), kind)
    return clusters.before(text, end)


def around(text: str, at: int, kind: Kind = small) -> tuple[int, int]:
    """Beginning and end of the word, or of the blanks, that a character of a line is part of."""
    first, last = line_start(text, at), line_end(text, at)
    if at >= last:
        return (at, at)
    mine = kind(text[at])
    start, end = at, at
    while start > first and kind(text[start - 1]) == mine:
        start -= 1
    while end < last and kind(text[end]) == mine:
        end += 1
    return (_back(text, start), clusters.snapped(text, end))


def _back(text: str, at: int) -> int:
    while not clusters.is_boundary(text, at):
        at -= 1
    return at
