"""A program that reads a PNG and writes a smaller one: ``scaler LONGEST MOST_BYTES``.

Anybody may have made the picture: it is unpacked to no more than its own size, by V8, which has no way
to anything else, and whoever started this ends it when it takes too long.
"""

import json
import os
import struct
import sys
import zlib
from pathlib import Path
from typing import cast

from ouroboros.tools.pictures.measure import BadPicture, png_chunks

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_SMALLEST = 64


def main(longest: int, most: int) -> int:
    """0, or 1 with the reason as the last line of standard error."""
    from py_mini_racer import JSEvalException

    try:
        sys.stdout.buffer.write(smaller(sys.stdin.buffer.read(), longest, most))
    except (BadPicture, struct.error) as broken:
        sys.stderr.write(f"{broken or 'is a broken image'}\n")
        return 1
    except JSEvalException:
        sys.stderr.write("is a broken image: a row of it is of no known kind\n")
        return 1
    except MemoryError:
        sys.stderr.write("takes too much memory\n")
        return 1
    return 0


def smaller(data: bytes, longest: int, most: int) -> bytes:
    """A PNG whose longer side has at most ``longest`` pixels, and that has at most ``most`` bytes."""
    from py_mini_racer import MiniRacer

    chunks: dict[bytes, bytes] = {}
    pieces: list[bytes] = []
    for name, body in png_chunks(data):
        if name == b"IDAT":
            pieces.append(body)
        else:
            chunks.setdefault(name, body)
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    raw = _unpacked(
        b"".join(pieces), _raw_bytes(width, height, depth * _CHANNELS[colour], interlaced)
    )
    alpha = colour in {4, 6} or (colour == 3 and b"tRNS" in chunks)
    engine = MiniRacer()
    engine.eval(Path(__file__).with_name("scale.js").read_text(encoding="utf-8"))
    while True:
        w, h = _within(width, height, longest)
        options = {
            "width": width,
            "height": height,
            "depth": depth,
            "colour": colour,
            "interlaced": interlaced == 1,
            "palette": list(chunks.get(b"PLTE", b"")),
            "clear": list(chunks.get(b"tRNS", b"")) if colour == 3 else [],
            "w": w,
            "h": h,
            "alpha": alpha,
        }
        engine.eval(f"globalThis.raw = new ArrayBuffer({len(raw)}); 0")
        cast("memoryview", engine.eval("raw"))[:] = raw
        # Named over there: V8 gives the memory of what nothing names to others while it is read here.
        engine.eval(f"globalThis.rows = scaled({json.dumps(options)}, raw); 0")
        rows = cast("memoryview", engine.eval("rows")).tobytes()
        made = _png(w, h, 6 if alpha else 2, rows)
        if len(made) <= most or longest <= _SMALLEST:
            return made
        longest = min(longest, max(w, h)) * 3 // 4


def _raw_bytes(width: int, height: int, bits: int, interlaced: int) -> int:
    """Bytes of all rows, each with its filter."""
    starts = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2))
    passes = (*starts, (0, 1, 1, 2)) if interlaced else ((0, 0, 1, 1),)
    size = 0
    for left, top, across, down in passes:
        wide, high = -(-(width - left) // across), -(-(height - top) // down)
        if wide > 0 and high > 0:
            size += high * ((wide * bits + 7) // 8 + 1)
    return size


def _unpacked(packed: bytes, size: int) -> bytes:
    try:
        raw = zlib.decompressobj().decompress(packed, size)
    except zlib.error as broken:
        raise BadPicture("is a broken image: its pixels cannot be unpacked") from broken
    if len(raw) < size:
        raise BadPicture("is a broken image: it has fewer pixels than it says")
    return raw


def _within(width: int, height: int, longest: int) -> tuple[int, int]:
    share = min(1.0, longest / max(width, height))
    return max(1, round(width * share)), max(1, round(height * share))


def _png(width: int, height: int, colour: int, rows: bytes) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    made = b"\x89PNG\r\n\x1a\n"
    for name, body in parts:
        made += struct.pack(">I", len(body)) + name + body
        made += struct.pack(">I", zlib.crc32(name + body))
    return made


if __name__ == "__main__":
    code = main(int(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.flush()
    sys.stderr.flush()
    # V8 may wait for itself for ever when an error still holds it at the interpreter's end.
    os._exit(code)
