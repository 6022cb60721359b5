"""Text from outside as a face may print it; the rules are ``safety.sanitize``'s."""


def plain(text: str) -> str:
    """The text with nothing in it that a terminal would obey."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    from ouroboros.safety.sanitize import sanitized

    return sanitized(text)
