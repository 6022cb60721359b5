"""HTML as tags and text, in time that grows with its length only, whatever it says. Pure.

The standard library's parser takes minutes for a megabyte of open comments or quotes, and pages are written by
anybody. Source: https://html.spec.whatwg.org/multipage/parsing.html
"""

import re
from collections.abc import Iterator
from html import unescape

from msgspec import Struct

MOST_FIELDS = 64

_NAME = re.compile(r"[a-zA-Z][^\s/>\0]{0,60}")
_FIELD = re.compile(
    r"[\s/]*(?:([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]*)))?)?", re.DOTALL
)
_RAW = {
    name: re.compile(rf"</{name}[\s/>]", re.IGNORECASE)
    for name in (
        "script",
        "style",
        "textarea",
        "title",
        "iframe",
        "noembed",
        "noframes",
        "xmp",
        "noscript",
    )
}
_WITH_LETTERS = frozenset({"textarea", "title"})


class Start(Struct, frozen=True):
    """An element begins."""

    tag: str
    fields: dict[str, str]


class End(Struct, frozen=True):
    """An element ends."""

    tag: str


type Token = Start | End | str


def tokens(html: str) -> Iterator[Token]:
    """Tags and text in their order; comments and declarations are left out."""
    at, size = 0, len(html)
    while at < size:
        begin = html.find("<", at)
        if begin < 0:
            yield unescape(html[at:])
            return
        if begin > at:
            yield unescape(html[at:begin])
        at = begin
        following = html[begin + 1 : begin + 2]
        if following.isascii() and following.isalpha():
            start, at = _start(html, begin + 1)
            if start is None:
                return
            yield start
            if start.tag in _RAW:
                end = _RAW[start.tag].search(html, at)
                inside = html[at : end.start() if end else size]
                yield unescape(inside) if start.tag in _WITH_LETTERS else inside
                at = end.start() if end else size
        elif following in {"/", "!", "?"}:
            token, at = _other(html, begin)
            if token is not None:
                yield token
        else:
            yield "<"
            at = begin + 1


def _start(html: str, at: int) -> tuple[Start | None, int]:
    """The element whose name begins at ``at``, and where its tag ends; None: it never does."""
    found = _NAME.match(html, at)
    assert found is not None
    at = found.end()
    fields: dict[str, str] = {}
    while True:
        field = _FIELD.match(html, at)
        assert field is not None
        if field.end() == at:
            break
        at = field.end()
        if field[1] and len(fields) < MOST_FIELDS:
            value = field[2] or field[3] or field[4] or ""
            fields.setdefault(field[1].lower(), unescape(value))
    end = html.find(">", at)  # nonsense between fields is skipped
    return (None, len(html)) if end < 0 else (Start(found[0].lower(), fields), end + 1)


def _other(html: str, begin: int) -> tuple[Token | None, int]:
    """What is no element: a tag that ends one, a comment or a declaration."""
    size = len(html)
    if html.startswith("<!--", begin):
        end = html.find("-->", begin + 4)
        return None, size if end < 0 else end + 3
    end = html.find(">", begin)
    if end < 0:
        return None, size
    if html[begin + 1] == "/" and (name := _NAME.match(html, begin + 2)):
        return End(name[0].lower()), end + 1
    return None, end + 1
