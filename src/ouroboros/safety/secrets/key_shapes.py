"""Keys that nobody told us of, by the shape that their makers gave them."""

from ouroboros.safety.secrets.find import redacted, shaped


def contains_key(text: str) -> bool:
    """Whether something in the text looks like a key."""
    return bool(shaped(text))


def without_keys(text: str) -> str:
    """The text, which may be JSON, with a mark in the place of all that looks like a key."""
    return redacted(text, shaped(text))
