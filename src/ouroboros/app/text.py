"""Text from outside as a face may print it."""

_KEPT = frozenset("\n\t")
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def plain(text: str) -> str:
    """The text with nothing in it that a terminal would obey."""
    if text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    code = ord(character)
    if character in _KEPT or not (code < 32 or 127 <= code < 160 or character in _BIDI):
        return character
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
