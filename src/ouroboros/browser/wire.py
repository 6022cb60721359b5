"""The DevTools protocol as bytes: commands out, answers and happenings in. Pure.

Over a pipe each message ends with a NUL byte; over a websocket each is a text message of its own.
Source: https://chromedevtools.github.io/devtools-protocol/
"""

import re
from typing import Any

import msgspec
from msgspec import Raw, Struct

MESSAGE_BYTES = 256 * 1_048_576
"""Largest message there is; Chromium itself stops at about as much."""

MENDED_BYTES = 1_048_576
"""Halves of surrogate pairs, which a page may write anywhere, are replaced in messages up to this size."""

_encode = msgspec.json.Encoder().encode
_NOTHING = Raw(b"{}")


class Fault(Struct, frozen=True):
    """The browser's refusal of one command."""

    code: int = 0
    message: str = ""
    data: str = ""


class Incoming(Struct, frozen=True, rename={"session": "sessionId"}):
    """An answer (``id`` is set) or a happening (``method`` is set), its body still encoded."""

    id: int | None = None
    method: str = ""
    params: Raw = _NOTHING
    result: Raw = _NOTHING
    error: Fault | None = None
    session: str = ""

    def read[Body](self, kind: type[Body]) -> Body:
        """The happening's parameters; members that ``kind`` does not name are left out.

        Raises:
            msgspec.MsgspecError: They are of another shape.
        """
        return msgspec.json.decode(self.params, type=kind)


_decoder = msgspec.json.Decoder(Incoming)
_PAIR = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(_PAIR + rb"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.DOTALL)


def command(id: int, method: str, params: dict[str, Any], session: str) -> bytes:
    """One command as JSON."""
    message: dict[str, Any] = {"id": id, "method": method, "params": params}
    if session:
        message["sessionId"] = session
    return _encode(message)


def incoming(message: bytes) -> Incoming:
    """Reads one message; half a surrogate pair, which is no text, becomes U+FFFD.

    Raises:
        msgspec.MsgspecError: It is not one.
    """
    try:
        return _decoder.decode(message)
    except msgspec.DecodeError:
        if len(message) > MENDED_BYTES:
            raise
        return _decoder.decode(_ESCAPE.sub(_whole, message))


def _whole(found: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if found["half"] else found[0]


class Frames:
    """Cuts what comes over a pipe into messages."""

    def __init__(self, limit: int = MESSAGE_BYTES) -> None:
        """Starts with nothing read."""
        self._begun: list[bytes] = []
        self._held = 0
        self._limit = limit

    def feed(self, piece: bytes) -> list[bytes]:
        """The messages that end in ``piece``; the rest is kept.

        Raises:
            ConnectionError: What has begun is longer than any message.
        """
        *ended, rest = piece.split(b"\0")
        if ended:
            ended[0] = b"".join((*self._begun, ended[0]))
            self._begun, self._held = [], 0
        if rest:
            self._begun.append(rest)
            self._held += len(rest)
            if self._held > self._limit:
                raise ConnectionError(f"the browser sent over {self._limit} bytes in one message")
        return ended
