"""Where a cursor may stand: between what people take for characters, which may be several code points."""

import unicodedata

_JOINER = "\u200d"


def is_boundary(text: str, at: int) -> bool:
    """Whether a cursor may stand there; accents, joined pictures and flags are not taken apart."""
    if at <= 0 or at >= len(text):
        return 0 <= at <= len(text)
    before, after = text[at - 1], text[at]
    if before == "\n" or after == "\n" or after.isascii():
        return True
    if before == _JOINER or _extends(after):
        return False
    if _is_flag(before) and _is_flag(after):
        first = at - 1
        while first > 0 and _is_flag(text[first - 1]):
            first -= 1
        return (at - first) % 2 == 0
    return True


def after(text: str, at: int) -> int:
    """The next place for a cursor; the end at the end."""
    at = min(at + 1, len(text))
    while not is_boundary(text, at):
        at += 1
    return at


def before(text: str, at: int) -> int:
    """The place for a cursor before that one; 0 at the beginning."""
    at = max(at - 1, 0)
    while not is_boundary(text, at):
        at -= 1
    return at


def snapped(text: str, at: int) -> int:
    """The first place from there on where a cursor may stand."""
    at = min(max(at, 0), len(text))
    while not is_boundary(text, at):
        at += 1
    return at


def _extends(character: str) -> bool:
    if character == _JOINER or "\U0001f3fb" <= character <= "\U0001f3ff":
        return True
    return unicodedata.category(character) in {"Mn", "Me", "Mc"}


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
