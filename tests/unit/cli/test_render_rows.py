"""Widths, cutting, wrapping, blocks of Markdown, diffs and words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.state import Spent
from ouroboros.faces.wording.rows import ansi, crop, row, row_width, width, wrap
from ouroboros.faces.wording.text.blocks import Blocks
from ouroboros.faces.wording.text.diff import diff_rows, is_diff, tally
from ouroboros.faces.wording.words import closing, count, duration, ending, money
from tests.unit.cli.render_events import DIFF

WORDS = st.lists(
    st.sampled_from(["a", "b", " ", "\n", "日", "é", "e\u0301", "😀", "-", "word"]), max_size=60
).map("".join)
MARKDOWN = st.lists(
    st.sampled_from([
        "text",
        "",
        "# head",
        "- item",
        "  more",
        "1. one",
        "```",
        "~~~~",
        "| a |",
        "    code",
        "> q",
    ]),
    max_size=25,
).map("\n".join)


@given(WORDS, st.integers(4, 30))
def test_wrapped_text_fits_and_keeps_every_character(text: str, columns: int) -> None:
    rows = [ansi(line, colour=False) for line in wrap(text, columns)]
    assert all(width(line) <= columns for line in rows)
    assert "".join(rows).replace(" ", "") == text.replace(" ", "").replace("\n", "")


@given(WORDS, st.integers(1, 30))
def test_a_cut_line_fits_and_says_that_it_was_cut(text: str, columns: int) -> None:
    line = row(text.replace("\n", ""))
    cut = crop(line, columns)
    assert row_width(cut) <= columns
    assert (cut == line) == (row_width(line) <= columns)


def test_a_word_wider_than_the_line_is_broken_and_others_are_not() -> None:
    assert [ansi(line, colour=False) for line in wrap("ab abcdefgh cd", 4)] == [
        "ab",
        "abcd",
        "efgh",
        "cd",
    ]


def test_wide_characters_take_two_cells_and_marks_none() -> None:
    assert width("日本") == 4
    assert width("e\u0301") == 1
    assert width("a\u200db") == 2


@given(MARKDOWN, st.lists(st.integers(1, 9), max_size=60))
def test_blocks_do_not_depend_on_how_the_text_arrives(text: str, sizes: list[int]) -> None:
    whole = Blocks()
    expected = [*whole.feed(text), *whole.close()]
    pieces = Blocks()
    found: list[str] = []
    rest = text
    for size in sizes:
        found += pieces.feed(rest[:size])
        rest = rest[size:]
    found += [*pieces.feed(rest), *pieces.close()]
    assert found == expected


@given(MARKDOWN)
def test_blocks_keep_every_line_that_is_not_blank(text: str) -> None:
    blocks = Blocks()
    found = [*blocks.feed(text), *blocks.close()]
    kept = [line for block in found for line in block.split("\n") if line.strip()]
    assert kept == [line for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize(
    ("text", "finished", "left"),
    [
        ("one\n\ntwo\n", ["one"], "two\n"),
        ("one\ntwo", [], "one\ntwo"),
        ("```\na\n\nb\n```\n", ["```\na\n\nb\n```"], ""),
        ("```\na\n\nb\n", [], "```\na\n\nb\n"),
        ("# Title\nwords", ["# Title"], "words"),
        ("- a\n\n- b\n", [], "- a\n\n- b\n"),
        ("- a\n\n  more\n\nend\n", ["- a\n\n  more"], "end\n"),
        ("````\n```\n````\n", ["````\n```\n````"], ""),
        ("words\n```\nx", ["words"], "```\nx"),
        ("`code` and ```not a fence```\n", [], "`code` and ```not a fence```\n"),
    ],
)
def test_a_block_is_finished_when_nothing_can_change_it(
    text: str, finished: list[str], left: str
) -> None:
    blocks = Blocks()
    assert blocks.feed(text) == finished
    assert blocks.open == left


@given(MARKDOWN, st.integers(1, 80))
def test_the_tail_of_the_open_text_is_its_end(text: str, size: int) -> None:
    blocks = Blocks()
    blocks.feed(text)
    assert blocks.open_tail(size) == blocks.open[-size:]


def test_a_diff_is_told_from_other_text() -> None:
    assert is_diff(DIFF)
    assert is_diff("diff --git a/x b/x\n")
    assert not is_diff("- one\n+ two\n")
    assert not is_diff("plain words @@ here")


def test_a_long_diff_is_cut_and_says_how_much_is_missing() -> None:
    rows = diff_rows(DIFF, 4)
    assert len(rows) == 5
    assert ansi(rows[-1], colour=False) == "… 3 more lines"
    assert tally(DIFF) == "+1 -1"


def test_words_for_numbers() -> None:
    assert [duration(s) for s in (0, 9.94, 9.96, 59.4, 59.6, 3599, 7325)] == [
        "0.0 s",
        "9.9 s",
        "10 s",
        "59 s",
        "1 min 00 s",
        "59 min 59 s",
        "2 h 02 min",
    ]
    assert [count(n, "turn") for n in (0, 1, 1200)] == ["0 turns", "1 turn", "1,200 turns"]
    assert [money(c) for c in (None, 0.0, 0.01234, 12.5)] == [
        "cost unknown",
        "$0.0000",
        "$0.0123",
        "$12.50",
    ]
    assert ending("limit_reached:max_turns") == "Stopped at the limit max_turns"


def test_what_is_unknown_is_said_to_be_unknown() -> None:
    line = closing("failed", 1, Spent(input_tokens=5, cost=None), 61)
    assert line == "Failed after 1 turn, 1 min 01 s; 5 tokens (cache unknown), cost unknown."
    line = closing("failed", 1, Spent(cost=None), 61)
    assert line == "Failed after 1 turn, 1 min 01 s; 0 tokens, cost unknown."


@pytest.mark.proves("providers-caching")
def test_the_share_of_the_cache_is_shown() -> None:
    spent = Spent(input_tokens=2_000, cached_tokens=810, cacheable_tokens=1_000)
    assert "2,000 tokens (81% cached), $0.0000." in closing("completed", 1, spent, 1)
    assert "(0% cached)" in closing("completed", 1, Spent(input_tokens=9, cacheable_tokens=9), 1)
