"""Frames between us and a worker: four bytes of length, one of kind, then the payload.

Pure, and free of imports beyond the standard library: the worker reads this module in its cage.
Whatever a hijacked worker says, reading it ends in frames or in ``BadFrame``.
"""

import struct
from collections.abc import Iterator

FRAME_BYTES = 64 * 1_048_576
"""Largest frame in either direction."""

CHUNK_BYTES = 8 * 1_048_576
"""Longer data goes in frames of this size."""

_HEAD = struct.Struct(">IB")


class BadFrame(Exception):
    """The other side does not speak the protocol any more."""


def packed(kind: str, payload: bytes) -> bytes:
    """One frame; ``kind`` is a single ASCII character.

    Raises:
        BadFrame: The payload is longer than ``FRAME_BYTES``.
    """
    if len(payload) > FRAME_BYTES:
        raise BadFrame(f"{len(payload):,} bytes do not fit into one frame of {FRAME_BYTES:,}")
    return _HEAD.pack(len(payload), ord(kind)) + payload


class Unpacker:
    """Puts frames together from bytes as they arrive, however they are cut."""

    def __init__(self, kinds: str, limit: int = FRAME_BYTES) -> None:
        """Accepts only frames of ``kinds`` of at most ``limit`` bytes."""
        self._kinds = frozenset(kinds.encode("ascii"))
        self._limit = limit
        self._held = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """Every frame that is whole now, as kind and payload.

        Raises:
            BadFrame: A length or a kind that no honest worker sends.
        """
        self._held += data
        while len(self._held) >= _HEAD.size:
            length, kind = _HEAD.unpack_from(self._held)
            if length > self._limit or kind not in self._kinds:
                raise BadFrame(f"a frame of kind {kind} and {length:,} bytes")
            end = _HEAD.size + length
            if len(self._held) < end:
                return
            payload = bytes(memoryview(self._held)[_HEAD.size : end])
            del self._held[:end]
            yield chr(kind), payload
