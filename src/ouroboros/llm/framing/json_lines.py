"""One JSON value per line: bytes in, frames out, the same ones however the bytes were cut."""

from ouroboros.llm.framing.frame import Frame
from ouroboros.llm.framing.held import Held


class Lines:
    """Turns bytes into a frame a line; empty lines are skipped.

    It raises ``ModelFailed`` for a line above ``LARGEST_BYTES`` and nothing else.
    """

    def __init__(self) -> None:
        """Starts before the first byte of a response."""
        self._rest = Held("A line")

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that these bytes complete."""
        lines = chunk.split(b"\n")
        if len(lines) > 1 and self._rest.pieces:
            self._rest.keep(lines[0])
            lines[0] = self._rest.take()
        if last := lines.pop():
            self._rest.keep(last)
        return _frames(lines)

    def end(self) -> list[Frame]:
        """The line that was left open when the bytes ended, if any."""
        return _frames([self._rest.take()])


def _frames(lines: list[bytes]) -> list[Frame]:
    return [Frame("", text.decode("utf-8", "replace")) for line in lines if (text := line.strip())]
