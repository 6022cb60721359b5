"""Code as coloured spans, a line at a time; imports pygments only when the first line is drawn."""

from functools import lru_cache
from typing import TYPE_CHECKING

from ouroboros.faces.wording.rows import Row, Span

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_LONGEST = 20_000
_WIDEST = 2_000
_USUAL = {"m": "Objective-C", "pl": "Perl", "sql": "SQL", "txt": None}
"""Of endings that several languages have."""

_STYLES = (
    ("Comment", "faint;3"),
    ("Keyword", "35"),
    ("Literal.String", "32"),
    ("Literal.Number", "33"),
    ("Name.Function", "34"),
    ("Name.Class", "34"),
    ("Name.Decorator", "36"),
    ("Name.Builtin", "36"),
    ("Name.Tag", "34"),
    ("Name.Attribute", "36"),
    ("Operator.Word", "35"),
)


def warm() -> None:
    """Imports what the first line needs, so that a thread can do it early."""
    coloured(["x = 1"], "x.py")


def coloured(lines: list[str], name: str) -> list[Row]:
    """Each line as spans, by the language of a file's name; plain where that is not known."""
    text = "\n".join(lines)
    lexer = _lexer(name.rpartition("/")[2])
    if lexer is None or len(text) > _LONGEST or any(len(line) > _WIDEST for line in lines):
        return [(Span(line),) for line in lines]
    rows: list[list[Span]] = [[]]
    for kind, value in lexer.get_tokens(text):
        style = _style(str(kind))
        first, *rest = value.split("\n")
        rows[-1] += [Span(first, style)] if first else []
        rows.extend([Span(piece, style)] if piece else [] for piece in rest)
    found: list[Row] = [tuple(each) for each in rows[: len(lines)]]
    return found + [()] * (len(lines) - len(found))


@lru_cache(256)
def _style(kind: str) -> str:
    name = kind.removeprefix("Token.")
    return next((style for prefix, style in _STYLES if name.startswith(prefix)), "")


@lru_cache(64)
def _lexer(name: str) -> "Lexer | None":
    from fnmatch import fnmatchcase

    from pygments.lexers import find_lexer_class, get_all_lexers

    # Not by pygments' own search, which reads every installed package for a name it does not know.
    fitting = (
        title
        for title, _, patterns, _ in get_all_lexers(plugins=False)
        if any(fnmatchcase(name, pattern) for pattern in patterns)
    )
    title = _USUAL.get(name.rpartition(".")[2]) or next(fitting, None)
    found = find_lexer_class(title) if title else None
    return found(stripnl=False, stripall=False, ensurenl=False) if found else None
