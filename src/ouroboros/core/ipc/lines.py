"""Lines out of pieces, however they arrive, and the JSON in them."""

import re
from typing import NamedTuple

import msgspec

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""One escape in a text of JSON: a whole pair of surrogates, half of one, or any other."""


def decoded[T](decoder: msgspec.json.Decoder[T], text: bytes | str) -> T:
    """What a text of JSON says, with U+FFFD for each half of a surrogate pair.

    JavaScript and Python write such halves as escapes, and ``msgspec`` refuses the whole text for them.

    Raises:
        msgspec.DecodeError: It is no JSON, or, as ``msgspec.ValidationError``, does not fit.
        RecursionError: It is nested too deeply.
    """
    try:
        return decoder.decode(text)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        whole = text.encode() if isinstance(text, str) else text
        return decoder.decode(_ESCAPE.sub(_mended, whole))


def _mended(found: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if found["lone"] else found[0]


class TooLong(NamedTuple):
    """A line that was passed over; ``limit`` is the most bytes that one may have."""

    limit: int


class Lines:
    """Cuts what arrives into lines; of one that is too long nothing is kept."""

    def __init__(self, limit: int) -> None:
        """``limit`` is in bytes, without the end of the line."""
        self._limit = limit
        self._rest = bytearray()
        self._searched = 0
        self._is_skipping = False

    @property
    def is_broken_off(self) -> bool:
        """Whether a line has begun and not ended."""
        return self._is_skipping or bool(self._rest.strip())

    @property
    def held(self) -> int:
        """Bytes of the line that has begun."""
        return len(self._rest)

    def feed(self, piece: bytes) -> list[bytes | TooLong]:
        """The lines that end in this piece; empty ones are left out."""
        found: list[bytes | TooLong] = []
        self._rest += piece
        while (end := self._rest.find(b"\n", self._searched)) >= 0:
            line = bytes(self._rest[:end])
            del self._rest[: end + 1]
            self._searched = 0
            if self._is_skipping or len(line) > self._limit:
                found.append(TooLong(self._limit))
            elif line.strip():
                found.append(line)
            self._is_skipping = False
        self._searched = len(self._rest)
        if self._is_skipping or len(self._rest) > self._limit:
            self._is_skipping = True
            self._rest.clear()
            self._searched = 0
        return found
