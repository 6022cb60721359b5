"""JSON objects one after the other, in an array or not: bytes in, frames out, however cut."""

import re

from ouroboros.llm.framing.frame import Frame
from ouroboros.llm.framing.held import Held

_REST_OF_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+("?)', re.DOTALL)
_UP_TO_BRACE = re.compile(rb'(?:[^{}"]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_BETWEEN = re.compile(rb"[ \t\r\n,\[\]\xef\xbb\xbf]*")
"""What may stand between objects; the last three bytes are the mark of UTF-8."""


class Objects:
    """Turns bytes into a frame for each outermost object, as soon as it has closed.

    Whatever comes in the place of an object ends the frames: what follows it is not read. It
    raises ``ModelFailed`` for an object above ``LARGEST_BYTES`` and nothing else.
    """

    def __init__(self) -> None:
        """Starts before the first byte of a response."""
        self._open = Held("An object")
        self._depth = 0
        self._in_string = False
        self._skips = False
        self._is_broken = False

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that these bytes complete."""
        frames: list[Frame] = []
        start = place = 0
        while place < len(chunk) and not self._is_broken:
            if not self._depth:
                start = place = _after_gap(chunk, place)
                self._is_broken = chunk[place : place + 1] not in (b"{", b"")
                if place < len(chunk):
                    self._depth = 1
                    place += 1
                continue
            place = self._scan(chunk, place)
            if not self._depth:
                self._open.keep(chunk[start:place])
                frames.append(self._frame())
                start = place
        if self._depth and not self._is_broken:
            self._open.keep(chunk[start:])
        return frames

    def end(self) -> list[Frame]:
        """The object that was left open when the bytes ended, if any; it is no whole JSON."""
        return [self._frame()] if self._open.pieces else []

    def _scan(self, chunk: bytes, place: int) -> int:
        """Takes in what comes up to a brace and the brace; answers with where it ends."""
        if self._in_string:
            place = self._end_string(chunk, place)
        if self._in_string:
            return place
        found = _UP_TO_BRACE.match(chunk, place)
        place = found.end() if found else place
        match chunk[place : place + 1]:
            case b"{":
                self._depth += 1
            case b"}":
                self._depth -= 1
            case b'"':
                self._in_string = True
            case _:
                pass
        return place + 1

    def _end_string(self, chunk: bytes, place: int) -> int:
        """Where an open string ends, or where the bytes do."""
        if self._skips:
            self._skips = False
            return place + 1
        found = _REST_OF_STRING.match(chunk, place)
        if found is None:
            return len(chunk)
        self._in_string = not found[1]
        # A backslash that ends the bytes belongs to the first byte of the next ones.
        self._skips = self._in_string and found.end() < len(chunk)
        return found.end() if found[1] else len(chunk)

    def _frame(self) -> Frame:
        return Frame("", self._open.take().decode("utf-8", "replace"))


def _after_gap(chunk: bytes, place: int) -> int:
    found = _BETWEEN.match(chunk, place)
    return found.end() if found else place
