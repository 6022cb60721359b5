"""Messages to bytes, and bytes to messages or to what was wrong with them."""

from collections.abc import Callable
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from ouroboros.core.clock import Clock
from ouroboros.core.errors import OuroborosError
from ouroboros.core.ipc.lines import Lines, TooLong, decoded
from ouroboros.core.ipc.messages import LINE_BYTES, VERSION, Complaint, Message, Payload

_KNOWN: dict[str, type[Payload]] = {
    str(kind.__struct_config__.tag): kind for kind in Payload.__value__.__args__
}


class WrongVersion(OuroborosError):
    """The other side speaks a version with another major number; nothing more is said."""


class _Head(Struct, frozen=True, kw_only=True, rename="camel"):
    protocol_version: str
    message_id: str = ""
    timestamp: str = ""
    type: str = ""
    payload: msgspec.Raw = msgspec.Raw(b"{}")


class Writer:
    """Makes the lines of one side."""

    def __init__(self, clock: Clock, new_id: Callable[[], str]) -> None:
        """``new_id`` gives a UUID."""
        self._clock, self._new_id = clock, new_id

    def write(self, payload: Payload) -> tuple[str, bytes]:
        """The id of a new message, and its line."""
        id = self._new_id()
        said: dict[str, object] = msgspec.to_builtins(payload, builtin_types=(msgspec.Raw,))
        kind = said.pop("type")
        head = {
            "protocolVersion": VERSION,
            "messageId": id,
            "timestamp": datetime.fromtimestamp(self._clock.now(), UTC).isoformat(),
            "type": kind,
            "payload": said,
        }
        return id, msgspec.json.encode(head) + b"\n"


_heads = msgspec.json.Decoder(_Head)


class Reader:
    """Reads the lines of the other side."""

    def __init__(self, limit: int = LINE_BYTES) -> None:
        """``limit`` is the most bytes of a line."""
        self._lines = Lines(limit)

    @property
    def is_broken_off(self) -> bool:
        """Whether a message has begun and not ended."""
        return self._lines.is_broken_off

    def feed(self, piece: bytes) -> list[Message | Complaint]:
        """What this piece completes: messages, and complaints that are to be sent back.

        Raises:
            WrongVersion: A message is of another major version.
        """
        return [self._read(line) for line in self._lines.feed(piece)]

    @staticmethod
    def _read(line: bytes | TooLong) -> Message | Complaint:
        if isinstance(line, TooLong):
            return Complaint(
                code="too_long", message=f"a message may have {line.limit:,} bytes at most"
            )
        try:
            head = decoded(_heads, line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as odd:
            return Complaint(code="invalid", message=f"this is no message: {odd}")
        if head.protocol_version.partition(".")[0] != VERSION.partition(".")[0]:
            raise WrongVersion(
                f"the other side speaks version {head.protocol_version[:20]!r}, and this is {VERSION}",
                hint="both sides have to be of the same release",
            )
        if not head.message_id or not head.type:
            return Complaint(code="invalid", message="a message needs messageId and type")
        return _message(head)


def _message(head: _Head) -> Message | Complaint:
    kind = _KNOWN.get(head.type)
    payload: Payload | None = None
    if kind is not None:
        try:
            payload = msgspec.json.decode(head.payload, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as odd:
            said = f"this is no {head.type}: {odd}"
            return Complaint(code="invalid", message=said, message_id=head.message_id)
    return Message(id=head.message_id, timestamp=head.timestamp, type=head.type, payload=payload)
