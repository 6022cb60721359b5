"""The name that a client gives the server when it begins TLS: the only thing in a tunnel that is plain.

Sources: https://www.rfc-editor.org/rfc/rfc8446#section-4.1.2 and https://www.rfc-editor.org/rfc/rfc6066#section-3
"""

from collections.abc import Awaitable, Callable
from typing import Literal

import anyio
from anyio.abc import ByteStream

MOST_BYTES = 65_536
"""A greeting is a few hundred bytes, with keys for times to come some thousand."""

_HANDSHAKE, _HELLO, _SERVER_NAME, _HOST_NAME = 22, 1, 0, 0


class Short(Exception):
    """What is there ends before what it announces."""


def named(data: bytes) -> tuple[Literal["more", "plain", "broken", "name"], str]:
    """What a client that has said this much begins with: a name may be empty, plain is no TLS at all."""
    if data[:1] and data[0] != _HANDSHAKE:
        return "plain", ""
    try:
        hello = _message(data)
    except Short:
        return ("broken" if len(data) > MOST_BYTES else "more"), ""
    except ValueError:
        return "broken", ""
    try:
        return "name", _name_in(hello)
    except (Short, UnicodeError):
        return "broken", ""


def _message(data: bytes) -> bytes:
    """The greeting, put together from the records that it came in."""
    said, at = b"", 0
    while True:
        head = _taken(data, at, 5)
        if head[0] != _HANDSHAKE:
            raise ValueError("something else within the greeting")
        length = int.from_bytes(head[3:])
        record = data[at + 5 : at + 5 + length]
        said, at = said + record, at + 5 + length
        if said[:1] and said[0] != _HELLO:
            raise ValueError("no greeting")
        if len(said) >= 4 and len(said) >= 4 + int.from_bytes(said[1:4]):
            return said[4 : 4 + int.from_bytes(said[1:4])]
        if len(record) < length or len(said) > MOST_BYTES:
            raise Short


def _name_in(hello: bytes) -> str:
    at = 34
    for size in (1, 2, 1):  # the session, the ciphers, the compressions
        at += size + int.from_bytes(_taken(hello, at, size))
    if at == len(hello):
        return ""
    end = at + 2 + int.from_bytes(_taken(hello, at, 2))
    at, found = at + 2, ""
    while at < end:
        kind = int.from_bytes(_taken(hello, at, 2))
        length = int.from_bytes(_taken(hello, at + 2, 2))
        content = _taken(hello, at + 4, length)
        at += 4 + length
        if kind == _SERVER_NAME:
            if found or _taken(content, 2, 1)[0] != _HOST_NAME:
                raise Short
            name = _taken(content, 5, int.from_bytes(_taken(content, 3, 2)))
            if 5 + len(name) != len(content):
                raise Short
            found = name.decode("ascii").rstrip(".").lower()
    return found


def _taken(data: bytes, at: int, count: int) -> bytes:
    piece = data[at : at + count]
    if len(piece) < count:
        raise Short
    return piece


class Greeted(ByteStream):
    """The client's side of a tunnel; nothing goes out of it before its greeting was looked at.

    ``refuses`` says why a name may not be spoken to here, or nothing; ``reason`` is kept.
    """

    def __init__(
        self, client: ByteStream, begun: bytes, refuses: Callable[[str], Awaitable[str]]
    ) -> None:
        """``begun`` is what the client has said already."""
        self._client, self._begun, self._refuses = client, begun, refuses
        self._is_known = False
        self.reason = ""

    async def receive(self, max_bytes: int = 65_536) -> bytes:
        """What the client says; ends where it names somebody else."""
        if self._is_known:
            return await self._client.receive(max_bytes)
        data = self._begun
        while True:
            kind, name = named(data) if data else ("more", "")
            if kind == "broken":
                self.reason = "it begins TLS in a way that nobody else does"
            elif kind == "name" and name:
                self.reason = await self._refuses(name)
            if self.reason:
                raise anyio.EndOfStream
            if kind != "more":
                self._is_known = True
                return data
            data += await self._client.receive(max_bytes)

    async def send(self, item: bytes) -> None:
        """To the client, at any time: some servers speak first."""
        await self._client.send(item)

    async def send_eof(self) -> None:
        """The server has said all."""
        await self._client.send_eof()

    async def aclose(self) -> None:
        """Both ways."""
        await self._client.aclose()
