"""Keys from bytes, and a line edited by them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.faces.cli.prompting.keys import Key, Keys
from ouroboros.faces.cli.prompting.line import Line
from ouroboros.faces.cli.render.live import Cursor
from ouroboros.faces.wording.rows import ansi, row_width

INPUT = st.lists(
    st.sampled_from([
        b"abc",
        "日é".encode(),
        b"\r",
        b"\n",
        b"\x1b[A",
        b"\x1b[1;5C",
        b"\x1bOH",
        b"\x1b[200~two\rlines\x1b[201~",
        b"\x1b[99;99~",
        b"\x7f",
        b"\x04",
        b"\xff",
    ]),
    max_size=12,
).map(b"".join)


def merged(keys: list[Key]) -> list[Key]:
    """Text that arrived in pieces as one key."""
    found: list[Key] = []
    for key in keys:
        if key.name == "text" and found and found[-1].name == "text":
            found[-1] = Key("text", found[-1].text + key.text)
        else:
            found.append(key)
    return found


@given(INPUT, st.lists(st.integers(1, 4), max_size=40))
def test_keys_do_not_depend_on_how_the_bytes_arrive(content: bytes, sizes: list[int]) -> None:
    whole = Keys().feed(content)
    keys = Keys()
    found: list[Key] = []
    rest = content
    for size in sizes:
        found += keys.feed(rest[:size])
        rest = rest[size:]
    found += keys.feed(rest)
    assert merged(found) == merged(whole)


@given(st.binary(max_size=60))
def test_no_bytes_break_the_decoder_or_the_line(content: bytes) -> None:
    line = Line(["before"])
    for key in Keys().feed(content):
        if line.press(key) == "enter":
            line.take()
        assert 0 <= line.cursor <= len(line.text)


def test_a_lone_escape_is_a_key_once_nothing_follows() -> None:
    keys = Keys()
    assert keys.feed(b"\x1b") == []
    assert keys.waiting
    assert keys.settle() == [Key("escape")]
    assert keys.feed(b"[A") == [Key("text", "[A")]


def test_a_pasted_text_keeps_its_lines_and_does_not_submit() -> None:
    line = Line([])
    for key in Keys().feed(b"say: \x1b[200~one\r\ntwo\x1b[A\rthree\x1b[201~"):
        assert line.press(key) == ""
    assert line.text == "say: one\ntwo\x1b[A\nthree"


@pytest.mark.parametrize(
    ("typed", "text", "cursor"),
    [
        (b"hello\x1b[D\x1b[DX", "helXlo", 4),
        (b"one two\x17", "one ", 4),
        (b"one two\x15", "", 0),
        (b"one two\x01\x0b", "", 0),
        (b"ab\x01\x1b[3~", "b", 0),
        (b"ab\x02\x04", "a", 1),
        (b"one two\x1b[1;5D\x1b[1;5DX", "Xone two", 1),
        (b"a\nb\x01X", "a\nXb", 3),
        (b"\x7f\x7fa", "a", 1),
        (b"\x1b[A", "second", 6),
        (b"\x1b[A\x1b[A\x1b[A", "first", 5),
        (b"draft\x1b[A\x1b[B", "draft", 5),
    ],
)
def test_editing(typed: bytes, text: str, cursor: int) -> None:
    line = Line(["first", "second"])
    for key in Keys().feed(typed):
        assert line.press(key) == ""
    assert (line.text, line.cursor) == (text, cursor)


def test_end_of_input_only_leaves_an_empty_line() -> None:
    line = Line([])
    assert line.press(Key("eof")) == "eof"
    line.set("x")
    assert line.press(Key("eof")) == ""


@given(st.text(st.sampled_from("ab日\n\t\x1b"), max_size=80), st.data())
def test_the_cursor_is_always_in_the_rows_that_are_shown(text: str, data: st.DataObject) -> None:
    line = Line([])
    line.set(text)
    line.cursor = data.draw(st.integers(0, len(text)))
    foot = line.foot("ask> ", 20, 3)
    assert foot.cursor is not None
    assert 1 <= len(foot.rows) <= 3
    assert foot.cursor.row < len(foot.rows)
    assert 5 <= foot.cursor.column <= 20
    assert all(row_width(shown) <= 20 for shown in foot.rows)
    assert "\x1b" not in "".join(ansi(shown, colour=False) for shown in foot.rows)


def test_a_long_message_shows_the_part_around_the_cursor() -> None:
    line = Line([])
    line.set("\n".join("abcdef"))
    foot = line.foot("> ", 20, 3)
    assert ["".join(span.text for span in shown) for shown in foot.rows] == ["  d", "  e", "  f"]
    assert foot.cursor == Cursor(2, 3)
