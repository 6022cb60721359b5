"""HTTP/1.1 answers: bytes in, head and body out, the same ones however the bytes were cut.

A chunk of its own for each event is what vendors send, so chunks are taken apart here with little ado.
"""

from typing import Literal

from msgspec import Struct

HEAD_BYTES = 131_072
LINE_BYTES = 8_192
"""Longest line that tells a chunk's size, or trailer."""

MOST_INTERIM = 100
"""Heads that only say that an answer will come."""

type _Body = Literal["chunks", "length", "close", "none"]


class Malformed(Exception):
    """What came is no answer in HTTP/1.1; the text says why."""


class Unfinished(Malformed):
    """The answer was one as far as it went."""


class Head(Struct, frozen=True, kw_only=True):
    """How an answer begins; header names are in lower case, the last of equal ones counts."""

    status: int
    headers: dict[str, str]
    is_last: bool
    """Whether the server closes the connection behind the answer."""


class Answer:
    """One answer on its way in. Raises ``Malformed`` and nothing else."""

    def __init__(self) -> None:
        """Nothing has come."""
        self.head: Head | None = None
        self.is_complete = False
        self._rest = b""
        self._interim = 0
        self._body: _Body = "none"
        self._left = 0
        self._is_in_trailer = False
        self._has_ended = False

    @property
    def is_reusable(self) -> bool:
        """Whether the connection may carry another request."""
        is_last = self.head is None or self.head.is_last
        return self.is_complete and not is_last and not self._rest and not self._has_ended

    def begin(self, content: bytes) -> Head | None:
        """Takes in the head; None as long as it is not whole. Empty ``content`` is the end."""
        self._rest += content
        while self.head is None:
            # Without a line end in it, what came cannot have ended the head.
            end = _end_of_head(self._rest) if b"\n" in content else -1
            if end < 0:
                if len(self._rest) > HEAD_BYTES:
                    raise Malformed("its headers are too long")
                if not content:
                    raise _cut_head(self._rest)
                return None
            head = _head(self._rest[:end])
            self._rest = self._rest[end:]
            if head.status == 101:
                raise Malformed("it switches to a protocol nobody asked for")
            if head.status >= 200:
                self._start_body(head)
                break
            self._interim += 1
            if self._interim > MOST_INTERIM:
                raise Malformed("it sends interim answers without an end")
        return self.head

    def take(self, content: bytes | None = None) -> bytes:
        """The body in these bytes and those behind the head; empty ``content`` is the end."""
        if content and self._body == "chunks" and not self._rest and not self.is_complete:
            return self._chunks(content)
        if content == b"":
            self._end()
            return b""
        received = self._rest + content if content else self._rest
        self._rest = b""
        if self.is_complete:
            self._rest = received
            return b""
        match self._body:
            case "chunks":
                return self._chunks(received)
            case "length":
                return self._counted(received)
            case _:
                return received

    def _start_body(self, head: Head) -> None:
        coding = head.headers.get("transfer-encoding", "").strip().lower()
        length = head.headers.get("content-length")
        if head.status in {204, 304}:
            self.is_complete = True
        elif coding:
            if coding != "chunked":
                raise Malformed(f"it uses the transfer coding {coding[:40]!r}")
            self._body = "chunks"
        elif length is not None:
            # No body is longer than 18 digits say, and Python refuses to read very many of them.
            if not (length.isascii() and length.isdecimal() and len(length) <= 18):
                raise Malformed(f"its content-length is {length[:40]!r}")
            self._body, self._left = "length", int(length)
            self.is_complete = not self._left
        else:
            self._body = "close"
            head = Head(status=head.status, headers=head.headers, is_last=True)
        self.head = head

    def _end(self) -> None:
        self._has_ended = True
        if self._body == "close":
            self.is_complete = True
        elif not self.is_complete:
            kind = "chunked read" if self._body == "chunks" else f"{self._left} bytes missing"
            raise Malformed(f"it closed the connection before the body was complete ({kind})")

    def _counted(self, received: bytes) -> bytes:
        content = received[: self._left]
        self._left -= len(content)
        if not self._left:
            self.is_complete = True
            self._rest = received[len(content) :]
        return content

    def _chunks(self, received: bytes) -> bytes:
        """Chunks as far as they go; ``_left`` counts a chunk's bytes and the line end behind them."""
        pieces: list[bytes] = []
        at, size = 0, len(received)
        while not self.is_complete:
            if self._left:
                at = self._within(received, at, pieces)
                if self._left:
                    break
            if not self._is_in_trailer:
                at = _whole_chunks(received, at, pieces)
            end = received.find(b"\r\n", at)
            if end < 0:
                if size - at > LINE_BYTES:
                    raise Malformed("a line about a chunk is too long")
                self._rest = received[at:]
                break
            line, at = received[at:end], end + 2
            if self._is_in_trailer:
                self.is_complete = not line
            else:
                self._left = _size(line)
                self._is_in_trailer = not self._left
                self._left += 2 if self._left else 0
        if self.is_complete:
            self._rest = received[at:]
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _within(self, received: bytes, at: int, pieces: list[bytes]) -> int:
        """Takes in as much of the open chunk as there is, and says where it stopped."""
        if self._left > 2:
            piece = received[at : at + self._left - 2]
            if piece:
                pieces.append(piece)
                self._left -= len(piece)
                at += len(piece)
        if self._left <= 2:
            ending = received[at : at + self._left]
            if not b"\r\n"[2 - self._left :].startswith(ending):
                raise Malformed("a chunk does not end where it should")
            self._left -= len(ending)
            at += len(ending)
        return at


def _whole_chunks(received: bytes, at: int, pieces: list[bytes]) -> int:
    """Takes the plain chunks that came whole, and says where it stopped."""
    while (end := received.find(b"\r\n", at)) > at:
        line = received[at:end]
        if len(line) > 16 or line.strip(b"0123456789abcdefABCDEF"):
            break
        start = end + 2
        stop = start + int(line, 16)
        if stop == start or received[stop : stop + 2] != b"\r\n":
            break
        pieces.append(received[start:stop])
        at = stop + 2
    return at


def _cut_head(received: bytes) -> Malformed:
    kind = Unfinished if received.startswith(b"HTTP/1.") else Malformed
    return kind("it closed the connection before the headers were complete")


def _size(line: bytes) -> int:
    digits = line.partition(b";")[0].rstrip(b" \t")
    if not digits or len(digits) > 16 or digits.strip(b"0123456789abcdefABCDEF"):
        raise Malformed("the size of a chunk is no number")
    return int(digits, 16)


def _end_of_head(received: bytes) -> int:
    """Where the empty line ends; servers may end lines without a carriage return."""
    ends = [
        found + len(mark)
        for mark in (b"\r\n\r\n", b"\n\n", b"\n\r\n")
        if (found := received.find(mark)) >= 0
    ]
    return min(ends, default=-1)


def _head(content: bytes) -> Head:
    first, *lines = content.decode("latin-1").replace("\r\n", "\n").rstrip("\n").split("\n")
    version, _, rest = first.partition(" ")
    status = rest[:3]
    is_status = status.isascii() and status.isdecimal() and len(status) == 3
    if version not in {"HTTP/1.1", "HTTP/1.0"} or not is_status or rest[3:4] not in {"", " "}:
        raise Malformed(f"its answer begins with {first[:40]!r}")
    headers: dict[str, str] = {}
    name = ""
    for line in lines:
        if line[:1] in {" ", "\t"} and name:
            headers[name] += " " + line.strip(" \t")
            continue
        name, value = _field(line)
        if headers.get(name, value) != value and name in {"content-length", "transfer-encoding"}:
            raise Malformed(f"it says {name} twice, differently")
        headers[name] = value
    wish = headers.get("connection", "").lower()
    stays = "keep-alive" in wish if version == "HTTP/1.0" else "close" not in wish
    return Head(status=int(status), headers=headers, is_last=not stays)


def _field(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name or not name.isascii() or any(one in name for one in ' \t"(),/'):
        raise Malformed(f"it sends {line[:40]!r} for a header")
    return name.lower(), value.strip(" \t")
