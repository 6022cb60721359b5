"""Server-sent events: bytes in, frames out, the same ones however the bytes were cut."""

from ouroboros.llm.framing.frame import Frame
from ouroboros.llm.framing.held import LARGEST_BYTES, Held, too_long

_MARK = b"\xef\xbb\xbf"


class Decoder:
    """Turns bytes into frames; a line ends with CRLF, CR or LF.

    It raises ``ModelFailed`` for a line or an event above ``LARGEST_BYTES`` and nothing else: bytes
    that are not UTF-8 become replacement characters, unknown fields and comments are skipped.
    """

    def __init__(self) -> None:
        """Starts before the first byte of a response."""
        self._rest = Held("A line")
        self._event = ""
        self._event_line, self._event_name = b"", ""
        self._data: list[str] = []
        self._data_bytes = 0
        self._is_first_line = True
        self._may_skip_feed = False

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that these bytes complete."""
        if self._may_skip_feed and chunk:
            self._may_skip_feed = False
            chunk = chunk.removeprefix(b"\n")
        if b"\r" in chunk:
            # A feed at the start of the next chunk belongs to this carriage return.
            self._may_skip_feed = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = chunk.split(b"\n")
        if len(lines) == 1:
            self._rest.keep(chunk)
            return []
        if self._rest.pieces:
            self._rest.keep(lines[0])
            lines[0] = self._rest.take()
        last = lines.pop()
        if last:
            self._rest.keep(last)
        return self._read(lines)

    def end(self) -> list[Frame]:
        """The frame that was left open when the bytes ended, if any."""
        return self._read([self._rest.take(), b""])

    def _read(self, lines: list[bytes]) -> list[Frame]:
        if self._is_first_line:
            self._is_first_line = False
            lines[0] = lines[0].removeprefix(_MARK)
        frames: list[Frame] = []
        data = self._data
        for line in lines:
            if line[:6] == b"data: ":
                data.append(line[6:].decode("utf-8", "replace"))
            elif not line:
                if data:
                    frames.append(
                        Frame(self._event, data[0] if len(data) == 1 else "\n".join(data))
                    )
                    data.clear()
                self._event = ""
            elif line == self._event_line:  # most events are of the kind of the last one
                self._event = self._event_name
            else:
                self._read_field(line)
        if data:
            self._data_bytes = sum(map(len, lines)) + (0 if frames else self._data_bytes)
            if self._data_bytes > LARGEST_BYTES:
                raise too_long("An event")
        return frames

    def _read_field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        elif name == b"event":
            self._event = value.removeprefix(b" ").decode("utf-8", "replace")
            self._event_line, self._event_name = line, self._event


def framing(kind: str) -> Decoder | None:
    """The framing of a vendor that streams events and answers whole in JSON."""
    return None if kind == "application/json" else Decoder()
