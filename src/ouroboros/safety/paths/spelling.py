"""What a name may mean to another file system, or to somebody who reads it. Pure."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from urllib.parse import unquote

NAME_BYTES = 255
PATH_BYTES = 4095

_SLASHES = str.maketrans(dict.fromkeys("\\\u2044\u2215\u29f5\u29f8\u2571\ufe68\uff0f\uff3c", "/"))
_ALIKE = {
    "a": "\u0430\u0251",
    "b": "\u0432\u042c",
    "e": "\u0435",
    "g": "\u0261\u0581\u050d",
    "i": "\u0131\u0456\u0269\u03b9",
    "n": "\u0578",
    "o": "\u043e\u03bf\u0585",
    "r": "\u0433\u027e",
    "s": "\u0455",
    "t": "\u0442\u03c4\u01ad",
    "u": "\u057d\u03c5",
}
_LOOKALIKES = {ord(other): letter for letter, others in _ALIKE.items() for other in others}
_SHORT = re.compile(r"(gitmod|git|ourobo|agents)~\d+", re.IGNORECASE)
_SHORT_NAMES = {"git": ".git", "gitmod": ".gitmodules", "ourobo": ".ouroboros", "agents": ".agents"}
_STREAM = re.compile(r":[^/]*$")
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Mn", "Me", "Zl", "Zp"})
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")


@cache
def folded(name: str) -> str:
    """One name of a path as the most careless file system or reader would take it.

    Case, compatibility forms, marks, characters that nobody sees, dots and spaces at the end,
    streams and short names of NTFS, and letters of other scripts that look alike are all gone.
    """
    plain = name
    if not name.isascii():
        apart = unicodedata.normalize("NFKD", name)
        plain = "".join(
            char
            for char in apart
            if unicodedata.category(char) not in _HIDDEN and char not in _FILLERS
        )
        plain = unicodedata.normalize("NFKC", plain.casefold().translate(_LOOKALIKES))
    elif not name.isprintable():
        plain = "".join(char for char in name if char.isprintable())
    plain = _STREAM.sub("", plain).lower().rstrip(". ").lstrip(" ")
    short = _SHORT.fullmatch(plain)
    return _SHORT_NAMES[short[1].lower()] if short else plain


def is_odd(text: str) -> bool:
    """Whether a path holds characters that mislead whoever reads it."""
    if text.isascii():
        return not text.isprintable()
    return any(
        unicodedata.category(char) in {"Cc", "Co", "Cs", "Zl", "Zp"}
        or char in _FILLERS
        or char in "\u200b\u2060\ufeff"
        or 0x202A <= ord(char) <= 0x202E
        or 0x2066 <= ord(char) <= 0x206F
        or 0xE0000 <= ord(char) <= 0xE0FFF
        for char in text
    )


def readings(text: str) -> Iterator[str]:
    """The path as written, and as a careless decoder would read it, each once."""
    seen = {text}
    yield text
    for reading in _decoded(text):
        if reading not in seen:
            seen.add(reading)
            yield reading


def _decoded(text: str) -> Iterator[str]:
    form = text
    for _ in range(4):
        after = unquote(_overlong(form), errors="replace")
        if after == form:
            break
        form = after
        yield form
    wide = unicodedata.normalize("NFKC", form.translate(_SLASHES)).translate(_SLASHES)
    yield wide
    yield "".join(char for char in wide if unicodedata.category(char) not in {"Cf", "Cc"})


def _overlong(text: str) -> str:
    """Dots and slashes written as UTF-8 that is longer than it may be, or as ``%u002e``."""
    text = re.sub(r"%(?:c0|e0%80|f0%80%80)%ae", ".", text, flags=re.IGNORECASE)
    text = re.sub(r"%(?:c0%af|e0%80%af|f0%80%80%af|c1%9c|c1%af)", "/", text, flags=re.IGNORECASE)
    return re.sub(
        r"%u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text, flags=re.IGNORECASE
    )


def climbs(text: str) -> bool:
    """Whether ``..`` in a path leads above where it starts."""
    depth = 0
    for part in text.split("/"):
        if part in {"", "."}:
            continue
        depth += -1 if part.strip(" ") == ".." else 1
        if depth < 0:
            return True
    return False


def has_climb(text: str) -> bool:
    """Whether any part of a path is ``..``."""
    return any(part.strip(" ") == ".." for part in text.split("/"))


def is_foreign(text: str) -> bool:
    """Whether it is a path of Windows, or an address."""
    return re.match(r"[A-Za-z]:($|[\\/])|[\\]{2}|[A-Za-z][A-Za-z0-9+.-]{1,20}:/", text) is not None


def too_long(text: str) -> bool:
    """Whether no file system holds such a path."""
    raw = text.encode("utf-8", "surrogateescape")
    return len(raw) > PATH_BYTES or any(len(part) > NAME_BYTES for part in raw.split(b"/"))
