"""Lines out of pieces, however they arrive."""

from typing import NamedTuple


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
