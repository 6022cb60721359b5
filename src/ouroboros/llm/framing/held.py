"""The beginning of something that has not come whole yet, within bounds."""

from ouroboros.core.errors import Failure, ModelFailed

LARGEST_BYTES = 64 * 1_048_576
"""A longer line, or an event of more, is taken for an attack or a fault."""


class Held:
    """Bytes that wait for their end."""

    def __init__(self, what: str) -> None:
        """``what`` is in the message of a failure, such as ``A line``."""
        self.pieces: list[bytes] = []
        self._what = what
        self._bytes = 0

    def keep(self, piece: bytes) -> None:
        """Adds bytes; raises ``ModelFailed`` above ``LARGEST_BYTES``."""
        self.pieces.append(piece)
        self._bytes += len(piece)
        if self._bytes > LARGEST_BYTES:
            raise too_long(self._what)

    def take(self) -> bytes:
        """All of them, no longer held."""
        content = b"".join(self.pieces)
        self.pieces.clear()
        self._bytes = 0
        return content


def too_long(what: str) -> ModelFailed:
    """The failure of a stream that does not come to an end of something."""
    return ModelFailed(
        Failure(
            kind="transport",
            message=f"{what} of the stream is longer than {LARGEST_BYTES} bytes.",
            retryable=True,
        )
    )
