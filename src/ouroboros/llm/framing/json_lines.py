"""One JSON value per line: bytes in, frames out, the same ones however the bytes were cut."""

from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.llm.framing.frame import Frame
from ouroboros.llm.framing.sse import LINE_BYTES


class Lines:
    """Turns bytes into a frame a line; empty lines are skipped.

    It raises ``ModelFailed`` for a line above ``LINE_BYTES`` and nothing else.
    """

    def __init__(self) -> None:
        """Starts before the first byte of a response."""
        self._rest: list[bytes] = []
        self._rest_bytes = 0

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that these bytes complete."""
        lines = chunk.split(b"\n")
        if len(lines) > 1 and self._rest:
            self._keep(lines[0])
            lines[0] = b"".join(self._rest)
            self._rest.clear()
            self._rest_bytes = 0
        if last := lines.pop():
            self._keep(last)
        return _frames(lines)

    def end(self) -> list[Frame]:
        """The line that was left open when the bytes ended, if any."""
        line = b"".join(self._rest)
        self._rest.clear()
        self._rest_bytes = 0
        return _frames([line])

    def _keep(self, piece: bytes) -> None:
        self._rest.append(piece)
        self._rest_bytes += len(piece)
        if self._rest_bytes > LINE_BYTES:
            raise ModelFailed(
                Failure(
                    kind="transport",
                    message=f"A line of the stream is longer than {LINE_BYTES} bytes.",
                    retryable=True,
                )
            )


def _frames(lines: list[bytes]) -> list[Frame]:
    return [Frame("", text.decode("utf-8", "replace")) for line in lines if (text := line.strip())]
