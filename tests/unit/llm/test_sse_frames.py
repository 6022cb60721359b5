"""The SSE decoder gives the frames the standard names, however the bytes are cut."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.errors import ModelFailed
from ouroboros.llm.framing import Frame, sse
from ouroboros.llm.framing.sse import Decoder
from tests.cases import every


def read(*chunks: bytes) -> list[Frame]:
    decoder = Decoder()
    found = [frame for chunk in chunks for frame in decoder.feed(chunk)]
    return found + decoder.end()


@pytest.mark.proves("H09")
@every(
    ("raw", "frames"),
    [
        (b"data: a\n\n", [Frame("", "a")]),
        (b"data:a\r\n\r\ndata:  b\r\n\r\n", [Frame("", "a"), Frame("", " b")]),
        (b"data: a\r\rdata: b\r\r", [Frame("", "a"), Frame("", "b")]),
        (b"event: x\ndata: a\ndata: b\n\n", [Frame("x", "a\nb")]),
        (b"event: x\n\ndata: a\n\n", [Frame("", "a")]),
        (b": hello\n\n: again\ndata: a\n\n", [Frame("", "a")]),
        (b"id: 7\nretry: 10\nfoo: bar\ndata: a\n\n", [Frame("", "a")]),
        (b"data\n\n", [Frame("", "")]),
        (b"data: \n\n", [Frame("", "")]),
        (b"\xef\xbb\xbfdata: a\n\n", [Frame("", "a")]),
        (b"data: [DONE]\n\n", [Frame("", "[DONE]")]),
        (b"data: a", [Frame("", "a")]),
        (b"data: a\n", [Frame("", "a")]),
        (b" data: a\n\n", []),
        (b"data: \xff\xc3\n\n", [Frame("", "\ufffd\ufffd")]),
        (b"data: \xe2\x82\xac\n\n", [Frame("", "€")]),
        (b"", []),
        (b"\n\n\n", []),
        (b"data: a\r\n\rdata: b\n\r\n", [Frame("", "a"), Frame("", "b")]),
    ],
)
def test_frames(raw: bytes, frames: list[Frame]) -> None:
    assert read(raw) == frames
    for place in range(len(raw) + 1):
        assert read(raw[:place], raw[place:]) == frames
    assert read(*(raw[place : place + 1] for place in range(len(raw)))) == frames


lines = st.sampled_from([
    b"data: {}",
    b"data:x",
    b"data",
    b"event: message_stop",
    b"event:",
    b": comment",
    b"",
    b"",
    b"id: 3",
    b"nonsense",
    "data: \U0001f40d§".encode(),
    b"\xef\xbb\xbfdata: mark",
    b"data: \xf0\x9f",
])
ends = st.sampled_from([b"\n", b"\r\n", b"\r"])


@pytest.mark.proves("providers-protocols", "H09")
@given(
    pieces=st.lists(st.tuples(lines, ends), max_size=12),
    tail=st.sampled_from([b"", b"data: open", b"\r", b"event: x"]),
    chance=st.randoms(use_true_random=False),
)
def test_cuts_change_nothing(
    pieces: list[tuple[bytes, bytes]], tail: bytes, chance: Random
) -> None:
    raw = b"".join(line + end for line, end in pieces) + tail
    whole = read(raw)
    for place in range(len(raw) + 1):
        assert read(raw[:place], raw[place:]) == whole
    places = sorted(chance.randrange(len(raw) + 1) for _ in range(8))
    assert read(*(raw[a:b] for a, b in pairwise([0, *places, len(raw)]))) == whole


@pytest.mark.proves("spine-bad-input")
@given(raw=st.binary(max_size=200))
def test_no_bytes_raise(raw: bytes) -> None:
    assert read(raw) == read(*(raw[place : place + 1] for place in range(len(raw))))


def test_a_frame_comes_with_the_byte_that_ends_it() -> None:
    decoder = Decoder()
    assert decoder.feed(b"data: a\r\n\r") == [Frame("", "a")]
    assert decoder.feed(b"\ndata: b\n") == []
    assert decoder.feed(b"\n") == [Frame("", "b")]
    assert decoder.end() == []


def test_an_endless_line_is_refused() -> None:
    decoder = Decoder()
    piece = b"x" * (sse.LARGEST_BYTES // 4)
    for _ in range(4):
        assert decoder.feed(piece) == []
    with pytest.raises(ModelFailed) as caught:
        decoder.feed(piece)
    assert caught.value.failure.kind == "transport"
