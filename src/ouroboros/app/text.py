"""Text from outside as a face may print it; the rules are ``safety.sanitize``'s."""

_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that nobody sees, although they count as printable."""


def spelled(text: str) -> str:
    """The text with an escape in the place of whatever nobody sees: for what is asked about exactly."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(
        each if each in "\n\t" or (each.isprintable() and not _is_blank(each)) else _escape(each)
        for each in text
    )


def _is_blank(each: str) -> bool:
    code = ord(each)
    is_selector = 0x180B <= code <= 0x180F or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
    return is_selector or each in _BLANK


def _escape(each: str) -> str:
    return f"\\u{{{ord(each):x}}}"


def encodable(text: str) -> str:
    """The text with bytes of names that are no UTF-8 as escapes, which JSON can hold."""
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # halves of a pair, which stand for no byte
        data = text.encode("utf-8", "backslashreplace")
    return data.decode("utf-8", "backslashreplace")


def plain(text: str) -> str:
    """The text with nothing in it that a terminal would obey."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    from ouroboros.safety.sanitize import sanitized

    return sanitized(text)
