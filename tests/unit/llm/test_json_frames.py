"""JSON in an array or by lines is cut into the same frames, however the bytes were cut."""

import json
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.errors import ModelFailed
from ouroboros.llm.framing import Frame, Framing
from ouroboros.llm.framing.held import LARGEST_BYTES
from ouroboros.llm.framing.json_array import Objects
from ouroboros.llm.framing.json_lines import Lines
from tests.cases import deep_after, every


def read(make: Callable[[], Framing], *chunks: bytes) -> list[str]:
    framing = make()
    frames: list[Frame] = []
    for chunk in chunks:
        frames += framing.feed(chunk)
    frames += framing.end()
    assert framing.end() == []
    return [frame.data for frame in frames]


def everywhere(make: Callable[[], Framing], raw: bytes, wanted: list[str]) -> None:
    assert read(make, raw) == wanted
    for place in range(len(raw) + 1):
        assert read(make, raw[:place], raw[place:]) == wanted
    assert read(make, *(raw[place : place + 1] for place in range(len(raw)))) == wanted


@pytest.mark.proves("providers-protocols", "H09")
@every(
    ("raw", "frames"),
    [
        (b"", []),
        (b"[]", []),
        (b" [\r\n] ", []),
        (b'[{"a":1}]', ['{"a":1}']),
        (b'[{"a":1},{"b":2}]', ['{"a":1}', '{"b":2}']),
        (b'[{\n  "a": 1\n}\n,\r\n{"b":2}\n]\n', ['{\n  "a": 1\n}', '{"b":2}']),
        (b'{"a":1}', ['{"a":1}']),
        (b'{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']),
        (b'\xef\xbb\xbf[{"a":1}]', ['{"a":1}']),
        (rb'[{"a":"}\"]{\\"},{"b":"\\\\\""}]', [r'{"a":"}\"]{\\"}', r'{"b":"\\\\\""}']),
        (b'[{"a":{"b":[{}]}},{}]', ['{"a":{"b":[{}]}}', "{}"]),
        ('[{"ü":"€🐍"}]'.encode(), ['{"ü":"€🐍"}']),
        (b'[{"a":"\xff"}]', ['{"a":"\ufffd"}']),
        (b'[{"a":1},{"b":', ['{"a":1}', '{"b":']),
        (b'[{"a":1},{"b":"\\', ['{"a":1}', '{"b":"\\']),
        (b'[{"a":1},null,{"b":2}]', ['{"a":1}']),
        (b'[{"a":1}]<html>{"b":2}', ['{"a":1}']),
        (b'"text"', []),
        (b'data: {"a":1}\n\n', []),
    ],
)
def test_objects(raw: bytes, frames: list[str]) -> None:
    everywhere(Objects, raw, frames)


@pytest.mark.proves("H09")
@every(
    ("raw", "frames"),
    [
        (b"", []),
        (b"\n\r\n \n", []),
        (b'{"a":1}\n{"b":2}\r\n', ['{"a":1}', '{"b":2}']),
        (b'{"a":1}\n{"b":2}', ['{"a":1}', '{"b":2}']),
        (b'{"a":"x\\ny"}\n', ['{"a":"x\\ny"}']),
        ('{"ü":"€🐍"}\n'.encode(), ['{"ü":"€🐍"}']),
        (b'\xff\n{"a"', ["\ufffd", '{"a"']),
    ],
)
def test_lines(raw: bytes, frames: list[str]) -> None:
    everywhere(Lines, raw, frames)


values = st.recursive(
    st.none()
    | st.integers()
    | st.text(max_size=6)
    | st.sampled_from(["{", "}", '"', "\\", "\\\\"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.deep
@given(
    objects=st.lists(st.dictionaries(st.text(max_size=3), values, max_size=3), max_size=4),
    indent=st.sampled_from([None, 1]),
    plain=st.booleans(),
    chance=st.randoms(use_true_random=False),
)
def test_any_objects_come_out_whole(
    objects: list[dict[str, Any]], indent: int | None, plain: bool, chance: Random
) -> None:
    raw = json.dumps(objects, indent=indent, ensure_ascii=plain).encode("utf-8", "replace")
    cuts = sorted(chance.randrange(len(raw) + 1) for _ in range(6))
    chunks = [raw[start:end] for start, end in pairwise((0, *cuts, len(raw)))]
    assert [json.loads(text) for text in read(Objects, *chunks)] == json.loads(raw)
    lines = b"".join(json.dumps(one).encode() + b"\n" for one in objects)
    assert [json.loads(text) for text in read(Lines, lines)] == objects


@pytest.mark.proves("providers-protocols")
@given(raw=st.binary(max_size=200) | st.text(alphabet='{}[]",\\a\n', max_size=60).map(str.encode))
def test_no_bytes_raise(raw: bytes) -> None:
    for make in (Objects, Lines):
        assert read(make, raw) == read(make, *(raw[place : place + 1] for place in range(len(raw))))


@pytest.mark.parametrize(
    ("make", "start"), deep_after(1, [(Lines, b'{"a":"'), (Objects, b'[{"a":"')])
)
def test_what_never_ends_is_refused(make: Callable[[], Framing], start: bytes) -> None:
    framing = make()
    assert framing.feed(start) == []
    piece = b"x" * (LARGEST_BYTES // 4)
    for _ in range(3):
        assert framing.feed(piece) == []
    with pytest.raises(ModelFailed) as caught:
        framing.feed(piece)
    assert (caught.value.failure.kind, caught.value.failure.retryable) == ("transport", True)


@pytest.mark.parametrize(
    ("make", "start", "end"),
    deep_after(1, [(Lines, b'{"a":"', b'"}\n'), (Objects, b'{"a":"', b'"}')]),
)
def test_only_what_is_open_counts(make: Callable[[], Framing], start: bytes, end: bytes) -> None:
    framing = make()
    piece = b"x" * (LARGEST_BYTES // 3)
    for _ in range(4):
        assert framing.feed(start + piece) == []
        (frame,) = framing.feed(end)
        assert len(frame.data) == len(piece) + 8
