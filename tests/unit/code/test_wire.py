import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.code.wire import FRAME_BYTES, BadFrame, Unpacker, packed

KINDS = "abc"
frames = st.lists(st.tuples(st.sampled_from(KINDS), st.binary(max_size=300)), max_size=8)


@given(frames, st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_frames_come_back_however_the_bytes_are_cut(sent: list[tuple[str, bytes]], cuts: list[int]):
    wire = b"".join(packed(kind, payload) for kind, payload in sent)
    unpacker, found, at, turn = Unpacker(KINDS), list[tuple[str, bytes]](), 0, 0
    while at < len(wire):
        step = cuts[turn % len(cuts)]
        found += unpacker.feed(wire[at : at + step])
        at, turn = at + step, turn + 1
    assert found == sent


@given(st.lists(st.binary(max_size=200), max_size=10))
def test_garbage_ends_in_frames_or_in_one_clear_error(pieces: list[bytes]):
    unpacker, found = Unpacker(KINDS), list[tuple[str, bytes]]()
    with contextlib.suppress(BadFrame):
        for piece in pieces:
            found += unpacker.feed(piece)
    assert all(kind in KINDS and len(payload) <= FRAME_BYTES for kind, payload in found)


@pytest.mark.proves("browser-host-calls")
def test_a_length_beyond_the_cap_is_refused_before_its_bytes_are_kept():
    with pytest.raises(BadFrame):
        list(Unpacker(KINDS).feed(b"\xff\xff\xff\xffa"))


@pytest.mark.proves("browser-host-calls")
def test_a_kind_that_nobody_agreed_on_is_refused():
    with pytest.raises(BadFrame, match="kind"):
        list(Unpacker(KINDS).feed(packed("z", b"1")))


@pytest.mark.proves("browser-host-calls")
def test_a_frame_beyond_the_cap_is_not_sent():
    with pytest.raises(BadFrame, match="do not fit"):
        packed("a", bytes(FRAME_BYTES + 1))
