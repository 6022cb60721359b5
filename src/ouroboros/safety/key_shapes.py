"""Keys that nobody told us of, by the shape that their makers gave them."""

import re

MARK = "[redacted key]"

_SHAPES = (
    r"(?:sk|rk|pk)-[A-Za-z0-9_-]{20,}",
    r"(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"AIza[0-9A-Za-z_-]{35}\b",
    r"(?:gh[pousr]|glpat|gsk|hf|npm|nvapi|pplx|r8|xai)[_-][A-Za-z0-9_-]{20,}",
    r"github_pat_[A-Za-z0-9_]{22,}",
    r"xox[abeprs]-[A-Za-z0-9-]{10,}",
    r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
)
# Not inside a longer word, as opaque data may hold such letters by chance; the last letter of an
# escape in JSON is no word.
_EDGE = r"(?:(?<![A-Za-z0-9_+/-])|(?<=\\[nrt]))"
_BLOCK = r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----"
_EXPRESSION = re.compile(rf"{_EDGE}(?:{'|'.join(_SHAPES)})|{_BLOCK}", re.DOTALL)


def contains_key(text: str) -> bool:
    """Whether something in the text looks like a key."""
    return _EXPRESSION.search(text) is not None


def without_keys(text: str) -> str:
    """The text, which may be JSON, with a mark in the place of all that looks like a key."""
    return _EXPRESSION.sub(MARK, text)
