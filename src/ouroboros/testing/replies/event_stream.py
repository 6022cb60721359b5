"""Messages of an AWS event stream, written from its specification with nothing but the standard library."""

import struct
import zlib
from collections.abc import Mapping

_TEXT = 7


def message(headers: Mapping[str, str], payload: bytes) -> bytes:
    """One message: lengths, headers and payload, each guarded by a checksum."""
    fields = b"".join(_header(name, value) for name, value in headers.items())
    prelude = struct.pack(">II", 16 + len(fields) + len(payload), len(fields))
    guarded = prelude + struct.pack(">I", zlib.crc32(prelude)) + fields + payload
    return guarded + struct.pack(">I", zlib.crc32(guarded))


def event(kind: str, payload: bytes) -> bytes:
    """A message that carries an event."""
    return message(
        {":event-type": kind, ":content-type": "application/json", ":message-type": "event"},
        payload,
    )


def exception(kind: str, payload: bytes) -> bytes:
    """A message that ends the stream with an error."""
    return message(
        {
            ":exception-type": kind,
            ":content-type": "application/json",
            ":message-type": "exception",
        },
        payload,
    )


def _header(name: str, value: str) -> bytes:
    content = value.encode()
    return (
        struct.pack(">B", len(name))
        + name.encode()
        + struct.pack(">BH", _TEXT, len(content))
        + content
    )


GARBAGE = event("chunk", b"{}")[:-1] + b"\x00"
"""A message whose checksum is wrong."""
