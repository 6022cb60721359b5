"""How a definition begins: its signature, over as many lines as it takes; pure."""

import re

MOST_CHARACTERS = 1_500
"""Further than this no signature is followed."""

_SHOWN = 160
_SIGNS = re.compile(r"[()\[\]{}:;\n]")
_STRING_OR_COMMENT = {
    "#": re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|#[^\n]*"),
    "//": re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/", re.DOTALL),
}
_BODY = re.compile(
    r"\s*(?:\{|=>|->|:(?!:)|(?:throws|where|const|noexcept|override|final)\b)", re.DOTALL
)


def head(source: str, bare: str, at: int, language: str) -> str:
    """The signature of what is defined in the line of ``at``, as one line.

    Args:
        source: The file.
        bare: The same with blanks in the place of strings and comments.
        at: Where the name is.
        language: Of Python and Ruby a body begins by a colon or a line, of others by a brace.
    """
    start = bare.rfind("\n", 0, at) + 1
    end = _end(bare, at, is_python=language == "python")
    written = source[start:end]
    mark = "#" if language in {"python", "ruby", "bash"} else "//"
    if mark[0] in written:
        written = _STRING_OR_COMMENT[mark].sub(_without_comment, written)
    return plain(written)


def plain(text: str) -> str:
    """A signature as one line."""
    line = " ".join(text.split()).replace("( ", "(").replace(", )", ")").replace(" )", ")")
    return line.rstrip(" {:;")[:_SHOWN]


def has_body(bare: str, at: int) -> bool:
    """Whether the parentheses that begin at ``at`` are followed by what only a definition has."""
    depth = 0
    for found in _SIGNS.finditer(bare, at, at + MOST_CHARACTERS):
        sign = found[0]
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth <= 0:
                return _BODY.match(bare, found.end()) is not None
    return False


def _end(bare: str, at: int, *, is_python: bool) -> int:
    """Where a signature ends: outside of all brackets, at its body, its semicolon or its line."""
    depth = 0
    for found in _SIGNS.finditer(bare, at, at + MOST_CHARACTERS):
        sign = found[0]
        if sign in "([" or (sign == "{" and (is_python or depth)):
            depth += 1
        elif sign in ")]" or (sign == "}" and depth):
            depth -= 1
        elif depth <= 0 and (sign in "{}\n;" or is_python):
            return found.start()
    end = bare.find("\n", at)
    return end if end >= 0 else len(bare)


def _without_comment(found: re.Match[str]) -> str:
    return found[0] if found[0][0] in "\"'" else " "
