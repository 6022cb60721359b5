"""Reads AWS event streams with nothing but the standard library, where botocore is not installed."""

import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_PRELUDE = struct.Struct(">III")
_SMALLEST = 16
_MESSAGE_BYTES = 24 * 1_048_576
_HEADERS_BYTES = 131_072
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Bytes of a header's value by its type; bytes and texts tell their own length."""

_BYTES, _TEXT = 6, 7


class ParserError(Exception):
    """What came is no such stream."""


class Message(NamedTuple):
    """One message; headers that are no text keep their bytes."""

    headers: Mapping[str, object]
    payload: bytes


class EventStreamBuffer:
    """What botocore's buffer of this name does: messages out of bytes, however these were cut."""

    def __init__(self) -> None:
        """Holds nothing."""
        self._data = b""

    def add_data(self, data: bytes) -> None:
        """Takes in more bytes."""
        self._data += data

    def __iter__(self) -> Iterator[Message]:
        return self

    def __next__(self) -> Message:
        if len(self._data) < _PRELUDE.size:
            raise StopIteration
        total, headers, checksum = _PRELUDE.unpack_from(self._data)
        if zlib.crc32(self._data[:8]) != checksum:
            raise ParserError("the checksum of its lengths is wrong")
        payload = total - headers - _SMALLEST
        if payload < 0 or payload > _MESSAGE_BYTES or headers > _HEADERS_BYTES:
            raise ParserError("its lengths are impossible")
        if len(self._data) < total:
            raise StopIteration
        whole, self._data = self._data[:total], self._data[total:]
        if zlib.crc32(whole[:-4]) != int.from_bytes(whole[-4:]):
            raise ParserError("the checksum of a message is wrong")
        start = _PRELUDE.size + headers
        return Message(_headers(whole[_PRELUDE.size : start]), whole[start:-4])


def _headers(raw: bytes) -> dict[str, object]:
    found: dict[str, object] = {}
    place = 0
    while place < len(raw):
        start = place + 1 + raw[place]
        name = raw[place + 1 : start].decode()
        kind = raw[start]
        start += 1
        if kind in {_BYTES, _TEXT}:
            size = int.from_bytes(raw[start : start + 2])
            start += 2
        else:
            size = _SIZES[kind]
        place = start + size
        if name in found or place > len(raw):
            raise ParserError("its headers do not fit")
        found[name] = raw[start:place].decode() if kind == _TEXT else raw[start:place]
    return found
