from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.parts import Media, Text
from ouroboros.tools.result import bounded, cut


def test_a_text_within_the_budget_is_left_alone():
    parts = (Text(text="é" * 5000),)
    assert bounded(parts).parts is parts
    assert not bounded(parts).truncated


def test_head_and_tail_are_kept_with_a_marker_and_the_number_of_lines():
    text = "".join(f"line {number}\n" for number in range(10_000))
    short = cut(text, 300, where="/x/full.txt")
    assert short.startswith("Total output lines: 10000\nFull output: /x/full.txt\n\nline 0\n")
    assert short.endswith("line 9999\n")
    head, marker, tail = short.partition("…")
    count = int(tail.split(" ")[0])
    kept = len(head.partition("\n\n")[2]) + len(tail.partition("truncated…")[2])
    assert marker
    assert count + kept == len(text)


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
