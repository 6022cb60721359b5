"""What is shown of picture files, large and small, broken and made to do harm."""

import base64
import io
import os
import random
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.core.events import ToolResulted
from ouroboros.core.parts import Media
from ouroboros.tools.builtin.image import FILE_BYTES, HIGH, ViewFileTool
from ouroboros.tools.pictures.measure import BadPicture, Measured, measured, png_chunks
from ouroboros.tools.pictures.scaler import smaller
from tests.cases import every
from tests.unit.tools.spine import Spine, text_of

pytestmark = pytest.mark.real

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
PASSES = (
    *((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4)),
    *((0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)),
)


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(
    rows: bytes, width: int, height: int, *, colour: int = 2, depth: int = 8, **more: object
) -> bytes:
    """A PNG of rows that have their filters before them."""
    made = io.BytesIO(b"")
    made.write(b"\x89PNG\r\n\x1a\n")
    lace = 1 if more.get("interlaced") else 0
    made.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, lace)))
    for name in ("acTL", "PLTE", "tRNS"):
        if isinstance(body := more.get(name), bytes):
            made.write(chunk(name.encode(), body))
    made.write(chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))
    return made.getvalue()


def plain(width: int, height: int, pixel: bytes = b"\xff\0\0") -> bytes:
    return png((b"\0" + pixel * width) * height, width, height, colour=6 if len(pixel) == 4 else 2)


def gif(frames: int, *, end: bytes = b";") -> bytes:
    one = b"!\xf9\x04\0\0\0\0\0" + b",\0\0\0\0\2\0\2\0\0" + b"\2\2\x4c\1\0"
    return b"GIF89a" + struct.pack("<HHBBB", 2, 2, 0x80, 0, 0) + b"\0" * 6 + one * frames + end


def jpeg(width: int, height: int, *, end: bytes = b"\xff\xd9") -> bytes:
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\1\x11\0"
    return b"\xff\xd8\xff\xe0\0\4ab" + frame + b"\xff\xda\0\x08\1\1\0\0\x3f\0" + b"data" + end


def webp(kind: bytes, body: bytes) -> bytes:
    inner = b"WEBP" + kind + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(inner)) + inner


def media_of(result: ToolResulted) -> bytes:
    (found,) = (part for part in result.parts if isinstance(part, Media))
    return base64.b64decode(found.data)


def pixels_of(data: bytes) -> list[bytes]:
    """Pixels of a PNG as the scaler writes them, row by row."""
    chunks = dict(png_chunks(data))
    width, height, _, colour = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    n, raw = CHANNELS[colour], zlib.decompress(chunks[b"IDAT"])
    line, above, found = width * n, bytes(width * n), list[bytes]()
    for y in range(height):
        kind, row = raw[y * (line + 1)], bytearray(raw[y * (line + 1) + 1 : (y + 1) * (line + 1)])
        for i in range(line):
            a, b = row[i - n] if i >= n else 0, above[i]
            c = above[i - n] if i >= n else 0
            p = a + b - c
            near = min(((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c)))[2]
            row[i] = (row[i] + (0, a, b, (a + b) // 2, near)[kind]) & 255
        above = bytes(row)
        found += [above[i : i + n] for i in range(0, line, n)]
    return found


def small(data: bytes) -> bytes:
    return smaller(data, HIGH, 1_000_000)


async def seen(folder: Path, name: str, data: bytes, **wish: str) -> ToolResulted:
    (folder / name).write_bytes(data)
    return await Spine(folder, tools=[ViewFileTool()]).call("view_image", path=name, **wish)


async def test_a_small_picture_is_shown_byte_for_byte(tmp_path: Path):
    data = plain(3, 2)
    result = await seen(tmp_path, "a.png", data)
    assert text_of(result) == f"a.png: image/png, 3 x 2 pixels, {len(data)} bytes"
    assert media_of(result) == data


@pytest.mark.proves("D15", "D33", "divergences-pictures-for-models")
async def test_a_large_png_is_made_smaller_and_keeps_its_shape_and_colours(tmp_path: Path):
    left, right = b"\xff\0\0" * 2_000, b"\0\0\xff" * 2_000
    data = png((b"\0" + left + right) * 40, 4_000, 40)
    result = await seen(tmp_path, "wide.png", data)
    small = media_of(result)
    assert measured(small) == Measured(media_type="image/png", width=HIGH, height=20)
    assert text_of(result).endswith("; you see it with 2048 x 20")
    found = pixels_of(small)
    assert found[0] == b"\xff\0\0"
    assert found[HIGH - 1] == b"\0\0\xff"


@pytest.mark.proves("D15", "D33")
async def test_original_detail_keeps_the_pixels_that_high_does_not(tmp_path: Path):
    data = plain(2_100, 10)
    assert media_of(await seen(tmp_path, "a.png", data, detail="original")) == data
    result = await seen(tmp_path, "a.png", data, detail="enormous")
    assert result.status == "failed"
    assert "detail" in text_of(result)


async def test_what_no_vendor_takes_is_made_smaller_also_in_its_original(tmp_path: Path):
    result = await seen(tmp_path, "long.png", plain(9_000, 2), detail="original")
    assert measured(media_of(result)).width == 8_000


@pytest.mark.proves("D15", "D33")
@every("kind", range(5))
def test_each_filter_is_undone(kind: int):
    """A picture of one colour, spelled by each filter, is of that colour when it is small."""
    width, n = 3_000, 3
    first = {0: b"\7\x08\x09" * width, 2: b"\7\x08\x09" * width}.get(
        kind, b"\7\x08\x09" + bytes(n * (width - 1))
    )
    if kind == 3:  # the mean of the left one and nothing is half of it
        first = b"\7\x08\x09" + b"\4\4\5" * (width - 1)
        later = b"\4\4\5" + bytes(n * (width - 1))
    else:
        later = {0: first, 1: first}.get(kind, bytes(n * width))
    rows = bytes([kind]) + first + (bytes([kind]) + later) * 2
    assert set(pixels_of(small(png(rows, width, 3)))) == {b"\7\x08\x09"}


@pytest.mark.deep
@pytest.mark.proves("D15", "D33")
@every(
    ("colour", "depth", "row", "wanted"),
    [
        (0, 1, b"\xff" * 500, b"\xff\xff\xff"),
        (0, 2, b"\x55" * 1_000, b"\x55\x55\x55"),
        (0, 4, b"\x33" * 2_000, b"\x33\x33\x33"),
        (0, 16, b"\x80\x11" * 4_000, b"\x80\x80\x80"),
        (2, 16, b"\1\xff\2\xff\3\xff" * 4_000, b"\1\2\3"),
        (3, 8, b"\1" * 4_000, b"\xaa\xbb\xcc\x40"),
        (4, 8, b"\x10\x20" * 4_000, b"\x10\x10\x10\x20"),
        (6, 8, b"\x10\x20\x30\x40" * 4_000, b"\x10\x20\x30\x40"),
    ],
)
def test_every_kind_of_colour_is_read(colour: int, depth: int, row: bytes, wanted: bytes):
    more = {"PLTE": b"\0\0\0\xaa\xbb\xcc", "tRNS": b"\xff\x40"} if colour == 3 else {}
    data = png(b"\0" + row, 4_000, 1, colour=colour, depth=depth, **more)
    assert set(pixels_of(small(data))) == {wanted}


@pytest.mark.deep
def test_a_picture_is_the_same_each_time():
    """V8 may hand out memory again as soon as nothing names it: once in thirty times it was black."""
    data = png(b"\0" + b"\x33" * 2_000, 4_000, 1, colour=0, depth=4)
    assert {small(data) for _ in range(60)} == {small(data)}


@pytest.mark.proves("D15", "D33")
def test_an_interlaced_picture_is_put_together():
    rows = b""
    for left, top, across, down in PASSES:
        wide, high = -(-(2_400 - left) // across), -(-(8 - top) // down)
        for _ in range(high if wide > 0 and high > 0 else 0):
            rows += b"\0" + b"\x21\x22\x23" * wide
    assert set(pixels_of(small(png(rows, 2_400, 8, interlaced=True)))) == {b"\x21\x22\x23"}


BROKEN = {
    "text": b"hello",
    "empty": b"",
    "png cut in its pixels": plain(50, 50)[:-30],
    "png cut in its head": plain(5, 5)[:20],
    "png with a wrong sum": plain(5, 5).replace(b"IDAT", b"IDAT")[:-20] + bytes(20),
    "png without pixels": b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    + chunk(b"IEND", b""),
    "png of no size": plain(5, 5)[:8]
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 0, 5, 8, 2, 0, 0, 0))
    + plain(5, 5)[33:],
    "png of no known colours": png(b"\0\0", 1, 1, colour=5),
    "jpeg without an end": jpeg(5, 5, end=b""),
    "jpeg of three bytes": b"\xff\xd8\xff",
    "gif without an end": gif(1, end=b""),
    "gif without a frame": gif(0),
    "webp that is cut off": webp(b"VP8L", b"\x2f\0\0\0\0")[:-3],
    "webp of no known kind": webp(b"ABCD", bytes(20)),
    "an svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "a script by the name of a picture": b"#!/bin/sh\nrm -rf /\n",
}


@pytest.mark.proves("D15", "D33")
@every("name", BROKEN)
async def test_what_is_broken_is_refused_with_its_path(tmp_path: Path, name: str):
    result = await seen(tmp_path, "a.png", BROKEN[name])
    assert result.status == "failed"
    assert "a.png is " in text_of(result)
    assert len(text_of(result)) < 300


BOMBS = {
    "more pixels than are decoded": png(b"", 60_000, 60_000),
    "unpacks to less than it says": png(bytes(100), 5_000, 100),
    "is no packed data": b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 5_000, 10, 8, 2, 0, 0, 0))
    + chunk(b"IDAT", b"nonsense")
    + chunk(b"IEND", b""),
    "has a filter that does not exist": png((b"\x09" + bytes(15_000)) * 3, 5_000, 3),
}


@pytest.mark.proves("D15", "D33")
@pytest.mark.parametrize("name", BOMBS)
async def test_a_picture_made_to_do_harm_is_refused(tmp_path: Path, name: str):
    result = await seen(tmp_path, "a.png", BOMBS[name])
    assert result.status == "failed"
    assert any(word in text_of(result) for word in ("pixels", "broken"))


@pytest.mark.deep
@pytest.mark.proves("D15", "D33")
def test_a_file_that_unpacks_to_much_more_than_its_pixels_is_cut_there():
    rows = (b"\0" + bytes(9_000)) * 10 + bytes(80_000_000)
    assert measured(small(png(rows, 3_000, 10))).width == HIGH


def test_what_is_still_too_many_bytes_is_made_smaller_again():
    rows = b"".join(b"\0" + random.Random(row).randbytes(600) for row in range(200))
    made = smaller(png(rows, 200, 200), HIGH, 50_000)
    assert len(made) <= 50_000
    assert 64 <= measured(made).width < 200


async def test_what_cannot_be_made_smaller_says_what_can_be_done(tmp_path: Path):
    for name, data in (("a.jpg", jpeg(9_000, 10)), ("b.jpg", jpeg(50, 50) + bytes(6_000_000))):
        result = await seen(tmp_path, name, data)
        assert result.status == "failed"
        assert "save it smaller, or as PNG" in text_of(result)
    with (tmp_path / "huge.png").open("wb") as file:
        file.truncate(FILE_BYTES + 1)
    result = await Spine(tmp_path, tools=[ViewFileTool()]).call("view_image", path="huge.png")
    assert text_of(result).endswith("is larger than 64 MB: make it smaller")


@pytest.mark.proves("D15", "D33")
async def test_a_picture_that_moves_is_said_to(tmp_path: Path):
    still, moving = await seen(tmp_path, "a.gif", gif(1)), await seen(tmp_path, "b.gif", gif(3))
    assert "moves" not in text_of(still)
    assert text_of(moving).endswith("it moves, and you see its first frame")
    apng = png(b"\0" + bytes(3), 1, 1, acTL=struct.pack(">II", 4, 0))
    assert "first frame" in text_of(await seen(tmp_path, "c.png", apng))


async def test_a_folder_a_pipe_and_what_is_not_there_are_no_pictures(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    spine = Spine(tmp_path, tools=[ViewFileTool()])
    for path, words in (
        (".", "is not a file"),
        ("pipe", "is not a file"),
        ("no", "does not exist"),
    ):
        result = await spine.call("view_image", path=path)
        assert result.status == "failed"
        assert words in text_of(result)


async def test_a_model_that_sees_nothing_is_told_before_anything_is_read(tmp_path: Path):
    spine = Spine(tmp_path, tools=[ViewFileTool(lambda: "m takes no pictures")], mode="ask")
    result = await spine.call("view_image", path="/not/there.png")
    assert text_of(result) == "m takes no pictures"
    assert spine.asker.questions == []


@every(
    ("data", "wanted"),
    [
        (jpeg(640, 480), Measured(media_type="image/jpeg", width=640, height=480)),
        (
            webp(b"VP8L", b"\x2f" + struct.pack("<I", 99 | 49 << 14)),
            Measured(media_type="image/webp", width=100, height=50),
        ),
        (
            webp(b"VP8 ", b"\0\0\0\x9d\1\x2a" + struct.pack("<HH", 30, 20)),
            Measured(media_type="image/webp", width=30, height=20),
        ),
        (
            webp(b"VP8X", b"\2\0\0\0" + b"\x0f\0\0\x07\0\0"),
            Measured(media_type="image/webp", width=16, height=8, moves=True),
        ),
    ],
)
def test_the_other_kinds_say_their_size(data: bytes, wanted: Measured):
    assert measured(data) == wanted


@pytest.mark.deep
@settings(max_examples=300)
@given(st.sampled_from([plain(3, 3), gif(2), jpeg(9, 9), webp(b"VP8X", bytes(10))]), st.data())
def test_a_damaged_file_is_measured_or_refused_and_nothing_else(data: bytes, draw: st.DataObject):
    at = draw.draw(st.integers(0, len(data) - 1))
    cut = draw.draw(st.integers(0, len(data)))
    damaged = bytearray(data)
    damaged[at] = draw.draw(st.integers(0, 255))
    try:
        found = measured(bytes(damaged[:cut]))
    except BadPicture:
        return
    assert found.pixels > 0
