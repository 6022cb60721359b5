"""JSON objects one after the other, in an array or not: bytes in, frames out, however cut."""

import re

from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.llm.framing import Frame
from ouroboros.llm.sse import LINE_BYTES

_STRING = rb'(?:[^"\\]++|\\.)*+("?)'
_NEXT = re.compile(rb'[{}]|"' + _STRING, re.DOTALL)
_REST_OF_STRING = re.compile(_STRING, re.DOTALL)
_BETWEEN = re.compile(rb"[ \t\r\n,\[\]\xef\xbb\xbf]*")
"""What may stand between objects; the last three bytes are the mark of UTF-8."""


class Objects:
    """Turns bytes into a frame for each outermost object, as soon as it has closed.

    Whatever comes in the place of an object ends the frames: what follows it is not read. It
    raises ``ModelFailed`` for an object above ``LINE_BYTES`` and nothing else.
    """

    def __init__(self) -> None:
        """Starts before the first byte of a response."""
        self._open: list[bytes] = []
        self._open_bytes = 0
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
                self._keep(chunk[start:place])
                frames.append(self._frame())
                start = place
        if self._depth and not self._is_broken:
            self._keep(chunk[start:])
        return frames

    def end(self) -> list[Frame]:
        """The object that was left open when the bytes ended, if any; it is no whole JSON."""
        return [self._frame()] if self._open else []

    def _scan(self, chunk: bytes, place: int) -> int:
        """Where the next thing that counts ends, or where the bytes do."""
        if self._skips:
            self._skips = False
            return place + 1
        if self._in_string:
            found = _REST_OF_STRING.match(chunk, place)
        else:
            found = _NEXT.search(chunk, place)
        if found is None:
            return len(chunk)
        if not self._in_string and found[0] in (b"{", b"}"):
            self._depth += 1 if found[0] == b"{" else -1
            return found.end()
        self._in_string = not found[1]
        # A backslash that ends the bytes belongs to the first byte of the next ones.
        self._skips = self._in_string and found.end() < len(chunk)
        return found.end() if found[1] else len(chunk)

    def _keep(self, piece: bytes) -> None:
        self._open.append(piece)
        self._open_bytes += len(piece)
        if self._open_bytes > LINE_BYTES:
            raise ModelFailed(
                Failure(
                    kind="transport",
                    message=f"An object of the stream is longer than {LINE_BYTES} bytes.",
                    retryable=True,
                )
            )

    def _frame(self) -> Frame:
        text = b"".join(self._open).decode("utf-8", "replace")
        self._open.clear()
        self._open_bytes = 0
        return Frame("", text)


def _after_gap(chunk: bytes, place: int) -> int:
    found = _BETWEEN.match(chunk, place)
    return found.end() if found else place
