import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.parts import Media, Text
from ouroboros.tools.result import bounded, cut, flowing
from tests.cases import every


def test_a_text_within_the_budget_is_left_alone():
    parts = (Text(text="é" * 5000),)
    assert bounded(parts).parts is parts
    assert not bounded(parts).truncated


@pytest.mark.proves("D17", "divergences-cut-outputs")
def test_head_and_tail_are_whole_lines_around_a_marker_on_a_line_of_its_own():
    text = "".join(f"line {number}\n" for number in range(10_000))
    short = cut(text, 300, where="/x/full.txt")
    opening, _, shown = short.partition("\n\n")
    assert opening == (
        "Total output lines: 10000\n"
        "Full output in /x/full.txt (open it with read offset/limit, or grep)"
    )
    head, marker, tail = re.split(r"^…(\d+) chars truncated…\n", shown, flags=re.MULTILINE)
    assert int(marker) + len(head) + len(tail) == len(text)
    assert text.startswith(head)
    assert text.endswith(f"\n{tail}")
    assert head.endswith("\n")
    assert len(head) > 60
    assert len(tail) > 60


@every(
    ("text", "expected"),
    [
        ("x" * 500, r"x+…\d+ chars truncated…x+"),
        ("a\n" + "x" * 500 + "\nb\n", r"a\nx+…\d+ chars truncated…x+\nb\n"),
        ("a\n" * 30 + "x" * 500, r"(a\n)+…\d+ chars truncated…x+"),
        ("x" * 500 + "\nb" * 60, r"x+…\d+ chars truncated…\n(b\n)+b"),
    ],
)
def test_a_line_that_is_most_of_the_text_is_cut_in_two(text: str, expected: str):
    short = cut(text, 120)
    assert re.fullmatch(expected, short.partition("\n\n")[2])
    assert 90 <= len(short.encode()) <= 120


def test_a_text_goes_on_after_a_line_end():
    picture = Media(media_type="image/png", data="aaaa")
    parts = (Text(text="a\n"), Text(text="b"), Text(text="c"), picture, Text(text="d"))
    assert flowing(parts) == (Text(text="a\nb"), Text(text="c"), picture, Text(text="d"))


TEXTS = st.text(alphabet=st.sampled_from("aé漢🙂\n\ud800"), max_size=400)


@given(text=TEXTS, limit=st.integers(min_value=0, max_value=400), where=st.sampled_from(["", "/f"]))
def test_a_cut_text_fits_and_is_valid(text: str, limit: int, where: str):
    data = cut(text, limit, where=where).encode("utf-8", "replace")
    assert len(data) <= limit or len(text.encode("utf-8", "replace")) <= limit
    assert data.decode() is not None


PARTS = st.lists(
    st.one_of(st.builds(Text, text=TEXTS), st.just(Media(media_type="image/png", data="aaaa"))),
    max_size=6,
)


@given(parts=PARTS, limit=st.integers(min_value=100, max_value=500))
def test_parts_fit_together_and_media_stays(parts: list[Text | Media], limit: int):
    short = bounded(tuple(parts), limit=limit)
    shown = [part.text for part in short.parts if isinstance(part, Text)]
    assert sum(len(text.encode("utf-8", "replace")) for text in shown) <= limit
    assert [part for part in short.parts if isinstance(part, Media)] == [
        part for part in parts if isinstance(part, Media)
    ]
    whole = "".join(part.text for part in parts if isinstance(part, Text))
    assert short.original == whole.encode("utf-8", "replace")
    assert short.truncated == (len(short.original) > limit)
