"""A file's text apart from how it is written: encoding, mark, line ends, last line; pure and exact."""

import re
from typing import Literal

from msgspec import Struct

from ouroboros.workspace.files import SAMPLE_BYTES, encoding_of, older_encoding

type Eol = Literal["lf", "crlf", "cr", "mixed"]

_CONTROLS = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
"""What no text in an older encoding holds."""


class Shape(Struct, frozen=True, kw_only=True):
    """How a text is written as a file.

    Attributes:
        encoding: A codec's name.
        mark: It begins with a byte order mark.
        eol: How its lines end; of ``mixed`` ones the text keeps what is there.
        is_ended: Its last line has an end, as far as it has lines.
    """

    encoding: str = "utf-8"
    mark: bool = False
    eol: Eol = "lf"
    is_ended: bool = True


PLAIN = Shape()
"""UTF-8, line feeds, an end at the end."""

_MARK_BYTES = {
    "utf-8": b"\xef\xbb\xbf",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
    "utf-32-le": b"\xff\xfe\0\0",
    "utf-32-be": b"\0\0\xfe\xff",
}
ENCODINGS = frozenset({*_MARK_BYTES, "cp1252", "latin-1", "gb18030"})
"""What a text may be written in."""


class Shaped(Struct, frozen=True, kw_only=True):
    """A text as UTF-8 whose lines all end with a line feed, and its shape.

    Of mixed line ends the text keeps the carriage returns. Without any line it is empty.
    """

    text: bytes
    shape: Shape = PLAIN


def shaped(data: bytes) -> Shaped | None:
    """The text of a file; None where it has none that would come back byte for byte."""
    if not data:
        return Shaped(text=b"")
    text, encoding, mark = _decoded(data)
    if text is None:
        return None
    eol = _eol_of(text)
    if eol == "crlf":
        text = text.replace(b"\r\n", b"\n")
    elif eol == "cr":
        text = text.replace(b"\r", b"\n")
    is_ended = text.endswith(b"\n")
    if not is_ended:
        text += b"\n"
    found = Shaped(text=text, shape=Shape(encoding=encoding, mark=mark, eol=eol, is_ended=is_ended))
    # An encoding may have two spellings of one text; what is plain UTF-8 has one.
    if encoding != "utf-8" and unshaped(text, found.shape) != data:
        return None
    return found


def unshaped(text: bytes, shape: Shape) -> bytes:
    """The file of a text, the other way round.

    Raises:
        ValueError: The encoding has no such characters, or is none that is known.
    """
    if not shape.is_ended:
        text = text.removesuffix(b"\n")
    if shape.eol == "crlf":
        text = text.replace(b"\n", b"\r\n")
    elif shape.eol == "cr":
        text = text.replace(b"\n", b"\r")
    if shape.encoding not in ENCODINGS:
        raise ValueError(f"no text is written in {shape.encoding!r}")
    mark = _MARK_BYTES.get(shape.encoding, b"") if shape.mark else b""
    if shape.encoding == "utf-8":
        return mark + text
    return mark + text.decode("utf-8").encode(shape.encoding)


def _decoded(data: bytes) -> tuple[bytes | None, str, bool]:
    """The text in UTF-8, its encoding, and whether a mark stood before it."""
    encoding, mark = encoding_of(data[:SAMPLE_BYTES])
    if encoding == "binary" or (not mark and b"\0" in data):
        return None, "", False
    body = data[len(mark) :] if mark else data
    try:
        text = body.decode(encoding)
        if encoding == "utf-8":
            return (None if b"\0" in body else body), encoding, bool(mark)
        return (None if "\0" in text else text.encode()), encoding, bool(mark)
    except UnicodeError:
        if mark or _CONTROLS.search(data):
            return None, "", False
    older = older_encoding(data)
    text = data.decode(older)
    if any("\x80" <= char < "\xa0" for char in text):
        return None, "", False
    return text.encode(), older, False


def _eol_of(text: bytes) -> Eol:
    if b"\r" not in text:
        return "lf"
    pairs = text.count(b"\r\n")
    if pairs == text.count(b"\r") == text.count(b"\n"):
        return "crlf"
    return "cr" if b"\n" not in text else "mixed"
