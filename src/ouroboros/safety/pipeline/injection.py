"""Flags of text that seems to give orders to a model: advice, never a wall.

What keeps injected text from doing harm is who may act on it (``safety.untrusted``), not this list.
"""

import re
from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Iterator
from html import unescape
from unicodedata import normalize
from urllib.parse import unquote

from ouroboros.safety.pipeline.frames import is_framed_order
from ouroboros.safety.pipeline.invisible import visible
from ouroboros.safety.pipeline.learned import is_learned_order
from ouroboros.safety.pipeline.phrases import ABOUT, PHRASES
from ouroboros.safety.pipeline.weighing import is_order

LONGEST = 200_000
"""Of a longer text this much is looked at."""

_PACKED = re.compile(r"[A-Za-z0-9+/_-]{24,8000}={0,2}")
_HEXED = re.compile(r"(?:[0-9a-fA-F]{2}[ :]?){16,2000}")
_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}")
_SPACED = re.compile(r"(?<!\w)\w(?:[ ._*-]\w){4,200}(?!\w)")
_CASED = str.maketrans("013457@$!|", "oieastasil")
_ALIKE = str.maketrans(
    "аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανιρτυɡıⅼ",
    "aeopcyxijshdqwABEKMHOPCTXISABEZHIKMNOPTYXoavipTugil",
)
_LATIN = re.compile(r"[a-zA-Z]")
_QUOTES = frozenset("\"'`“”«»‘’„")
_TAGGED = range(0xE0020, 0xE007F)


def flags(text: str) -> list[str]:
    """What the text looks like, in order of name; empty for what looks harmless.

    ``potential_injection`` is there whenever anything else is.
    """
    text = text[:LONGEST]
    found: set[str] = set()
    clean, taken = visible(text)
    if taken >= 3:
        found.add("hidden_text")
    plain = _in_plain(clean)
    found |= plain
    if any(_in_plain(other) - plain for other in _other_readings(text, clean)):
        found.add("encoded_instruction")
    return sorted({"potential_injection", *found}) if found else []


def glance(text: str) -> tuple[list[str], int]:
    """The flags of a text as it stands, and how many invisible characters it has; cheap."""
    clean, taken = visible(text)
    found = _in_plain(clean) | ({"hidden_text"} if taken >= 3 else set[str]())
    return sorted({"potential_injection", *found}) if found else [], taken


def _in_plain(text: str) -> set[str]:
    low = folded(text)
    is_told = is_order(low) or is_learned_order(low) or is_framed_order(low)
    weighed = {"order"} if is_told else set[str]()
    return weighed | {
        phrase.flag
        for phrase in PHRASES
        for match in phrase.found(low)
        if not _is_about(low, match)
    }


def folded(text: str) -> str:
    """The text in small letters, letters of one look as one."""
    if text.isascii():
        return " ".join(text.split(" ")).lower() if "  " in text else text.lower()
    plain = normalize("NFKC", text)
    if _LATIN.search(plain):
        plain = plain.translate(_ALIKE) if _mixes(plain) else plain
    return plain.lower()


_MIXED = re.compile(r"[a-zA-Z][\u0370-\u04ff]|[\u0370-\u04ff][a-zA-Z]")


def _mixes(text: str) -> bool:
    """Whether letters of two scripts stand in one word."""
    return _MIXED.search(text) is not None


def _is_about(text: str, match: re.Match[str]) -> bool:
    """Whether the words are spoken of rather than said."""
    start, end = match.span()
    around = f"{text[max(0, start - 220) : start]} {text[end : end + 220]}"
    words = {found.group() for found in ABOUT.finditer(around)}
    quoted = any(each in _QUOTES for each in text[max(0, start - 24) : start + 1]) and any(
        each in _QUOTES for each in text[end : end + 60]
    )
    return len(words) >= (1 if quoted else 3)


def _other_readings(text: str, clean: str) -> Iterator[str]:
    tags = [each for each in text if ord(each) in _TAGGED]
    if len(tags) > 7:
        yield "".join(chr(ord(each) - 0xE0000) for each in tags)
    if "&" in clean and (plain := unescape(clean)) != clean:
        yield plain
    if clean.count("%") >= 3 and (plain := unquote(clean)) != clean:
        yield plain.replace("+", " ")
    if _ESCAPED.search(clean):
        yield _ESCAPED.sub(
            lambda found: chr(int("0" + found.group()[1:].replace("u", "x"), base=0)), clean
        )
    if _SPACED.search(clean):
        yield _SPACED.sub(lambda found: re.sub(r"(?<=\w)[ ._*-](?=\w)", "", found.group()), clean)
    yield from _unpacked(clean)
    if len(clean) <= 20_000:
        yield clean.lower().translate(_CASED)
        yield clean[::-1]
        yield clean.translate(_ROT)


_LOW = "abcdefghijklmnopqrstuvwxyz"
_ROT = str.maketrans(_LOW + _LOW.upper(), (_LOW[13:] + _LOW[:13]) + (_LOW[13:] + _LOW[:13]).upper())


def _unpacked(text: str) -> Iterator[str]:
    for found in _PACKED.finditer(text):
        packed = found.group().replace("-", "+").replace("_", "/").rstrip("=")
        try:
            plain = b64decode(packed + "=" * (-len(packed) % 4), validate=True)
        except NoBase64:
            continue
        if _is_words(plain):
            yield plain.decode("utf-8", "replace")
    for found in _HEXED.finditer(text):
        plain = bytes.fromhex(re.sub(r"[ :]", "", found.group()))
        if _is_words(plain):
            yield plain.decode("utf-8", "replace")


def _is_words(data: bytes) -> bool:
    """Whether bytes are text of some language and not chance."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return (" " in text or not text.isascii() or "<|" in text) and sum(
        each.isprintable() for each in text
    ) >= 0.95 * len(text)
