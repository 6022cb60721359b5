"""Answers whose headers do not say what they are: their first byte does."""

from ouroboros.llm.framing import Frame, Framing, sse
from ouroboros.llm.framing.json_array import Objects

_BLANK = b" \t\r\n\xef\xbb\xbf"
"""May come before either; the last three bytes are the mark of UTF-8."""


class Unlabelled:
    """Events, or the elements of an array that a proxy between passes on without its label."""

    def __init__(self) -> None:
        """Starts before the first byte of a response."""
        self._chosen: Framing | None = None

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that these bytes complete."""
        if self._chosen is None:
            chunk = chunk.lstrip(_BLANK)
            if not chunk:
                return []
            self._chosen = Objects() if chunk.startswith((b"[", b"{")) else sse.Decoder()
        return self._chosen.feed(chunk)

    def end(self) -> list[Frame]:
        """What was left open when the bytes ended."""
        return self._chosen.end() if self._chosen else []
