"""The text that is being typed: moves, cuts, undo, long pastes and rows on the screen."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.faces.tui.prompt.text.buffer import Buffer, Move
from ouroboros.faces.tui.prompt.text.clusters import is_boundary
from ouroboros.faces.tui.prompt.text.folds import FOLD_CHARACTERS, FOLD_LINES, Folds
from ouroboros.faces.tui.prompt.text.layout import laid_out
from ouroboros.faces.wording.rows import width

MOVES: tuple[Move, ...] = (
    "left",
    "right",
    "word_left",
    "word_right",
    "line_start",
    "line_end",
    "text_start",
    "text_end",
)
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
FLAGS = "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7"


def begun(marked: str) -> Buffer:
    buffer = Buffer()
    at = marked.index("|")
    buffer.begin(marked.replace("|", "", 1), at)
    return buffer


def marked(buffer: Buffer) -> str:
    return f"{buffer.text[: buffer.cursor]}|{buffer.text[buffer.cursor :]}"


@pytest.mark.parametrize(
    ("text", "move", "end"),
    [
        ("on|e two", "left", "o|ne two"),
        ("on|e two", "right", "one| two"),
        ("one tw|o", "word_left", "one |two"),
        ("one |two", "word_left", "|one two"),
        ("|one two", "word_right", "one| two"),
        ("one| two", "word_right", "one two|"),
        ("a\nb|b\nc", "line_start", "a\n|bb\nc"),
        ("a\n|bb\nc", "line_end", "a\nbb|\nc"),
        ("a\nb|b\nc", "text_start", "|a\nbb\nc"),
        ("a\nb|b\nc", "text_end", "a\nbb\nc|"),
        ("|", "left", "|"),
        ("|", "right", "|"),
    ],
)
def test_the_cursor_moves(text: str, move: Move, end: str) -> None:
    buffer = begun(text)
    buffer.move(move)
    assert marked(buffer) == end


@pytest.mark.parametrize("whole", ["e\u0301", FAMILY, FLAGS[:2], "\u0915\u094d\u0937"[:2], "👍🏽"])
def test_what_looks_like_one_character_is_passed_and_deleted_as_one(whole: str) -> None:
    buffer = begun(f"a{whole}b|")
    buffer.move("left")
    buffer.move("left")
    assert buffer.cursor == 1
    buffer.move("right")
    buffer.delete("left")
    assert marked(buffer) == "a|b"


def test_flags_are_pairs() -> None:
    buffer = begun(f"{FLAGS}|")
    buffer.delete("left")
    assert buffer.text == FLAGS[:2]


def test_a_selection_is_typed_over_and_left_to_its_side() -> None:
    buffer = begun("one |two three")
    buffer.move("word_right", select=True)
    assert buffer.selected == "two"
    buffer.move("left")
    assert marked(buffer) == "one |two three"
    buffer.move("word_right", select=True)
    buffer.insert("2")
    assert marked(buffer) == "one 2| three"
    buffer.select_all()
    buffer.delete("left")
    assert buffer.text == ""


def test_cuts_in_a_row_are_put_back_together_and_earlier_ones_after_that() -> None:
    buffer = begun("one two three|")
    buffer.kill("word_left")
    buffer.kill("word_left")
    assert marked(buffer) == "one |"
    buffer.kill("line_start")
    assert buffer.kills == ["one two three"]
    buffer.insert("x")
    buffer.kill("line_start")
    buffer.yank()
    assert buffer.text == "x"
    buffer.yank_earlier()
    assert marked(buffer) == "one two three|"
    buffer.move("left")
    buffer.yank_earlier()  # only right after
    assert buffer.text == "one two three"


def test_a_cut_at_the_edge_of_a_line_takes_the_line_break() -> None:
    buffer = begun("one|\ntwo")
    buffer.kill("line_end")
    assert marked(buffer) == "one|two"
    buffer = begun("one\n|two")
    buffer.kill("line_start")
    assert marked(buffer) == "one|two"


def test_undo_takes_back_a_word_at_a_time() -> None:
    buffer = Buffer()
    for letter in "one two":
        buffer.insert(letter)
    assert buffer.undo()
    assert buffer.text == "one "
    assert buffer.undo()
    assert buffer.text == ""
    assert not buffer.undo()
    assert buffer.redo()
    assert buffer.redo()
    assert buffer.text == "one two"
    assert not buffer.redo()


def test_a_new_change_forgets_what_was_taken_back() -> None:
    buffer = Buffer()
    buffer.insert("pasted text")
    buffer.undo()
    buffer.insert("x")
    assert not buffer.redo()
    assert buffer.text == "x"


_STEPS = st.one_of(
    st.tuples(st.just("insert"), st.text("ab \n\u0301\U0001f1e9\u200d👍", min_size=1, max_size=4)),
    st.tuples(st.sampled_from(["move", "select", "delete", "kill"]), st.sampled_from(MOVES)),
    st.tuples(st.sampled_from(["yank", "yank_earlier", "undo", "redo", "all"]), st.just("")),
    st.tuples(st.just("go"), st.integers(-3, 40).map(str)),
)


def apply(buffer: Buffer, step: str, what: str) -> None:
    move = cast("Move", what)
    match step:
        case "insert":
            buffer.insert(what)
        case "move" | "select":
            buffer.move(move, select=step == "select")
        case "delete":
            buffer.delete(move)
        case "kill":
            buffer.kill(move)
        case "go":
            buffer.go(int(what))
        case "all":
            buffer.select_all()
        case _:
            getattr(buffer, step)()


@pytest.mark.proves("V03")
@given(st.lists(_STEPS, max_size=20))
def test_the_cursor_is_always_where_a_character_begins(steps: list[tuple[str, str]]) -> None:
    buffer = Buffer()
    for step, what in steps:
        apply(buffer, step, what)
        assert is_boundary(buffer.text, buffer.cursor)
        start, end = buffer.selection
        assert 0 <= start <= end <= len(buffer.text)


@pytest.mark.proves("V03")
@given(st.lists(_STEPS, max_size=20))
def test_all_can_be_taken_back_and_had_again(steps: list[tuple[str, str]]) -> None:
    buffer = Buffer()
    for step, what in steps:
        apply(buffer, step, what)
    there = buffer.text
    back = 0
    while buffer.undo():
        back += 1
    assert buffer.text == ""
    for _ in range(back):
        assert buffer.redo()
    assert buffer.text == there or any(step in {"undo", "redo"} for step, _ in steps)


def test_a_long_paste_is_one_mark_and_whole_again() -> None:
    folds, buffer = Folds(), Buffer()
    pasted = "\n".join(f"line {number}" for number in range(10_000))
    buffer.insert("see ")
    buffer.insert(folds.taken_in(pasted))
    buffer.insert("!")
    assert len(buffer.text) == 6
    assert folds.shown(buffer.text[4]) == "[pasted 10,000 lines]"
    assert folds.whole(buffer.text) == f"see {pasted}!"
    buffer.move("left")
    buffer.delete("left")
    assert buffer.text == "see !"


def test_short_pastes_stay_and_the_same_long_one_is_kept_once() -> None:
    folds = Folds()
    short = "\n".join(["x"] * FOLD_LINES)
    assert folds.taken_in(short) == short
    assert len(folds.taken_in(f"{short}\nx")) == 1
    long = "y" * (FOLD_CHARACTERS + 1)
    assert folds.taken_in(long) == folds.taken_in(long)
    assert folds.shown(folds.taken_in(long)) == "[pasted 2,001 characters]"


@pytest.mark.proves("V03")
def test_what_is_pasted_cannot_pass_for_a_mark_or_steer_the_terminal() -> None:
    folds = Folds()
    mark = folds.taken_in("z" * 5_000)
    assert mark not in folds.taken_in(f"a{mark}b")
    assert folds.taken_in("a\x1b[2Jb\x07\x1b]0;t\x07c\rd\x9b1mé") == "abc\ndé"
    hostile = folds.taken_in("\x1b[31m" + "line\r" * 50)
    assert folds.whole(hostile) == "line\n" * 50


def rows(text: str, cells: int) -> list[str]:
    return [
        "".join(piece.looks for piece in row.pieces) for row in laid_out(text, cells, width).rows
    ]


@pytest.mark.parametrize(
    ("text", "cells", "shown"),
    [
        ("", 10, [""]),
        ("one two", 10, ["one two"]),
        ("one two three", 8, ["one two ", "three"]),
        ("onetwothree", 4, ["onet", "woth", "ree"]),
        ("one\n\ntwo", 10, ["one", "", "two"]),
        ("日本語です", 4, ["日本", "語で", "す"]),
        ("a\tb", 10, ["a    b"]),
        ("a      b", 4, ["a    ", "  b"]),
        ("a\x07b", 10, ["ab"]),
    ],
)
def test_a_text_is_broken_into_rows(text: str, cells: int, shown: list[str]) -> None:
    assert rows(text, cells) == shown


def test_a_place_of_the_text_has_a_row_and_a_column() -> None:
    layout = laid_out("ab 日本 cd", 5, width)
    assert ["".join(p.looks for p in row.pieces) for row in layout.rows] == ["ab ", "日本 ", "cd"]
    assert [(layout.row_of(at), layout.column_of(at)) for at in (0, 3, 4, 6, 8)] == [
        (0, 0),
        (1, 0),
        (1, 2),
        (2, 0),
        (2, 2),
    ]
    assert layout.place(1, 3) == 4
    assert layout.place(0, 9) == 2  # the end of a broken row belongs to the next
    assert layout.place(2, 9) == 8


@given(st.text("ab 日\n\u0301\t", max_size=30), st.integers(2, 12))
def test_every_place_is_found_again_where_it_is_shown(text: str, cells: int) -> None:
    layout = laid_out(text, cells, width)
    assert all(row.cells <= cells + 1 or len(row.pieces) == 1 for row in layout.rows)
    for at in range(len(text) + 1):
        if is_boundary(text, at):
            row, column = layout.row_of(at), layout.column_of(at)
            assert layout.place(row, column) >= at or text[at - 1 : at] == "\u0301"
