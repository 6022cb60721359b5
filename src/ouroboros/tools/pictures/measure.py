"""What a picture file says of itself, without decoding it: kind, size, and whether it moves.

Pure. A file that a vendor would refuse as broken is refused here, since that would end the whole request.
Sources: PNG (third edition), section 5; ITU T.81, annex B; GIF89a; RFC 9649 (WebP).
"""

import struct
import zlib
from collections.abc import Iterator

from msgspec import Struct

_PNG = b"\x89PNG\r\n\x1a\n"
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


class BadPicture(ValueError):
    """What is wrong with the file, as the end of a sentence that names it."""


class Measured(Struct, frozen=True, kw_only=True):
    """A picture by its own word; ``width`` and ``height`` in pixels.

    Attributes:
        media_type: Such as ``image/png``.
        moves: It has more than one frame, of which a model sees the first.
    """

    media_type: str
    width: int
    height: int
    moves: bool = False

    @property
    def longest(self) -> int:
        """The longer side."""
        return max(self.width, self.height)

    @property
    def pixels(self) -> int:
        """Of one frame."""
        return self.width * self.height


def measured(data: bytes) -> Measured:
    """Reads the head, and walks to the end to see that it is there.

    Raises:
        BadPicture: It is no PNG, JPEG, GIF or WebP, or a broken one.
    """
    try:
        if data.startswith(_PNG):
            found = _png(data)
        elif data.startswith(b"\xff\xd8\xff"):
            found = _jpeg(data)
        elif data.startswith((b"GIF87a", b"GIF89a")):
            found = _gif(data)
        elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            found = _webp(data)
        else:
            raise BadPicture("is no PNG, JPEG, GIF or WebP image")
    except (struct.error, IndexError):
        raise BadPicture("is a broken image: it is cut off") from None
    if not found.pixels:
        raise BadPicture("is a broken image: it has no pixels")
    return found


def png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Names and contents of a PNG's chunks, up to the last one.

    Raises:
        BadPicture: One is cut off, or its checksum is wrong.
    """
    at = len(_PNG)
    while True:
        size, name = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        (wanted,) = struct.unpack_from(">I", data, at + 8 + size)
        if zlib.crc32(name + body) != wanted:
            raise BadPicture(f"is a broken image: the checksum of its part {name!r} is wrong")
        yield name, body
        if name == b"IEND":
            return
        at += 12 + size


def _png(data: bytes) -> Measured:
    width = height = frames = pieces = 0
    for number, (name, body) in enumerate(png_chunks(data)):
        if (number == 0) != (name == b"IHDR"):
            raise BadPicture("is a broken image: its header is not at its beginning")
        if name == b"IHDR":
            width, height, depth, colour = struct.unpack_from(">IIBB", body)
            if depth not in _DEPTHS.get(colour, ()):
                raise BadPicture("is a broken image: there are no such colours")
        elif name == b"acTL":
            (frames,) = struct.unpack_from(">I", body)
        elif name == b"IDAT":
            pieces += len(body)
    if not pieces:
        raise BadPicture("is a broken image: it has no pixels")
    return Measured(media_type="image/png", width=width, height=height, moves=frames > 1)


def _jpeg(data: bytes) -> Measured:
    at, size = 2, (0, 0)
    while True:
        while data[at] == 0xFF and data[at + 1] == 0xFF:
            at += 1
        if data[at] != 0xFF:
            raise BadPicture("is a broken image: there is no marker where one must be")
        marker = data[at + 1]
        at += 2
        if marker in _ALONE:
            continue
        if marker in {0xD9, 0xDA}:
            break
        (length,) = struct.unpack_from(">H", data, at)
        if marker in _FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 3)
            size = (width, height)
        at += max(2, length)
    # Cameras put things of their own behind the end.
    if data.rfind(b"\xff\xd9", at) < 0:
        raise BadPicture("is a broken image: it is cut off")
    return Measured(media_type="image/jpeg", width=size[0], height=size[1])


def _gif(data: bytes) -> Measured:
    width, height, packed = struct.unpack_from("<HHB", data, 6)
    at, frames = 13 + _colours(packed), 0
    while data[at] != 0x3B:
        if data[at] == 0x2C:
            frames += 1
            at += 10 + _colours(data[at + 9]) + 1
        elif data[at] == 0x21:
            at += 2
        else:
            raise BadPicture("is a broken image: one of its parts is of no known kind")
        while data[at]:
            at += data[at] + 1
        at += 1
    if not frames:
        raise BadPicture("is a broken image: it has no frame")
    return Measured(media_type="image/gif", width=width, height=height, moves=frames > 1)


def _colours(packed: int) -> int:
    """Bytes of a table of colours."""
    return 3 << ((packed & 7) + 1) if packed & 0x80 else 0


def _webp(data: bytes) -> Measured:
    (size,) = struct.unpack_from("<I", data, 4)
    if size + 8 > len(data):
        raise BadPicture("is a broken image: it is cut off")
    kind, moves = data[12:16], False
    if kind == b"VP8X":
        moves = bool(data[20] & 2)
        width, height = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
    elif kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    elif kind == b"VP8 ":
        width, height = (value & 0x3FFF for value in struct.unpack_from("<HH", data, 26))
    else:
        raise BadPicture("is a broken image: one of its parts is of no known kind")
    return Measured(media_type="image/webp", width=width, height=height, moves=moves)
