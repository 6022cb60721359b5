"""What is kept of a process's output: the head and the tail of each stream, in order of arrival."""

from collections import deque
from operator import itemgetter

from ouroboros.core.limits import STREAM_BYTES


class Capture:
    """Keeps at most ``limit`` bytes of each stream, half from its start and half from its end."""

    def __init__(self, limit: int = STREAM_BYTES) -> None:
        """``limit`` is in bytes and holds for each stream."""
        self._streams: dict[str, _Stream] = {}
        self._limit = limit
        self._count = 0

    @property
    def total(self) -> int:
        """Bytes that arrived, kept or not."""
        return sum(stream.total for stream in self._streams.values())

    def add(self, data: bytes, stream: str = "stdout") -> None:
        """Takes in what arrived next."""
        if stream not in self._streams:
            self._streams[stream] = _Stream(self._limit // 2)
        self._count += 1
        self._streams[stream].add(self._count, data)

    def text(self) -> str:
        """What was kept, undecodable bytes replaced, with a line where bytes were dropped."""
        pieces = [piece for stream in self._streams.values() for piece in stream.pieces()]
        pieces.sort(key=itemgetter(0))
        return b"".join(data for _, data in pieces).decode("utf-8", "replace")

    def bytes_of(self, stream: str) -> bytes:
        """What was kept of one stream."""
        kept = self._streams.get(stream)
        return b"".join(data for _, data in kept.pieces()) if kept else b""


class _Stream:
    def __init__(self, half: int) -> None:
        self.total = 0
        self._half = half
        self._head: list[tuple[int, bytes]] = []
        self._room = half
        self._tail: deque[tuple[int, bytes]] = deque()
        self._tail_size = 0
        self._dropped = 0
        self._dropped_at = 0

    def add(self, number: int, data: bytes) -> None:
        self.total += len(data)
        if self._room:
            self._head.append((number, data[: self._room]))
            data, self._room = data[self._room :], max(0, self._room - len(data))
        if not data:
            return
        self._tail.append((number, data))
        self._tail_size += len(data)
        while self._tail_size > self._half:
            self._trim(self._tail_size - self._half)

    def _trim(self, excess: int) -> None:
        number, oldest = self._tail[0]
        cut = min(excess, len(oldest))
        self._dropped += cut
        self._dropped_at = number
        self._tail_size -= cut
        if cut == len(oldest):
            self._tail.popleft()
        else:
            self._tail[0] = (number, oldest[cut:])

    def pieces(self) -> list[tuple[int, bytes]]:
        if not self._dropped:
            return [*self._head, *self._tail]
        note = f"\n[{self._dropped} bytes of output dropped here]\n".encode()
        return [*self._head, (self._dropped_at, note), *self._tail]
