"""Changes by hunk: what is shown is what happened, and can be taken out again."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.commands import Piece
from ouroboros.core.errors import Misuse
from ouroboros.workspace.changes import Side
from ouroboros.workspace.hunks import FileChange, Hunk, file_changes, without

LINES = st.lists(
    st.sampled_from(["one\n", "two\n", "\n", "three\r\n", "four\f\n", "five\u2028", "six"]),
    max_size=40,
).map("".join)


def lines_of(text: str) -> list[str]:
    """As git counts them: a form feed ends none."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def changed(old: str | None, new: str | None, name: str = "a") -> tuple[FileChange, ...]:
    return file_changes({Path(name): (side(old), side(new))}, lambda path: path.as_posix())


def side(text: str | None) -> Side | None:
    if text is None:
        return None
    return Side(mode="100644", data=text.encode(), size=len(text.encode()))


def piece(hunk: Hunk) -> Piece:
    return Piece(
        start=hunk.new_start,
        new="".join(line[1:] for line in hunk.lines if line[0] != "-"),
        old="".join(line[1:] for line in hunk.lines if line[0] != "+"),
    )


@given(old=LINES, new=LINES, data=st.data())
def test_any_hunks_are_taken_out_at_once_or_one_by_one(old: str, new: str, data: st.DataObject):
    (change,) = changed(old, new)
    assert without(new, [piece(hunk) for hunk in change.hunks], "a") == old
    text = new
    while text != old:
        (now,) = changed(old, text)
        text = without(text, [piece(data.draw(st.sampled_from(now.hunks)))], "a")


@given(old=LINES, new=LINES)
def test_hunks_say_where_their_lines_stand(old: str, new: str):
    (change,) = changed(old, new)
    before, after = lines_of(old), lines_of(new)
    for hunk in change.hunks:
        gone = [line[1:] for line in hunk.lines if line[0] != "+"]
        come = [line[1:] for line in hunk.lines if line[0] != "-"]
        assert before[hunk.old_start - 1 :][: len(gone)] == gone
        assert after[hunk.new_start - 1 :][: len(come)] == come
    assert (change.content == "same") == (old == new)


@given(text=LINES, start=st.integers(1, 60), new=LINES, old=LINES)
def test_nothing_is_written_over_what_is_not_there(text: str, start: int, new: str, old: str):
    lines = lines_of(text)
    there = lines[start - 1 : start - 1 + len(lines_of(new))]
    try:
        made = without(text, [Piece(start=start, new=new, old=old)], "a")
    except Misuse:
        assert there != lines_of(new) or start - 1 > len(lines)
    else:
        assert "".join(there) == new
        assert made == "".join(lines[: start - 1]) + old + "".join(lines[start - 1 + len(there) :])


def test_pieces_that_overlap_are_refused():
    pieces = [Piece(start=1, new="a\nb\n", old="x\n"), Piece(start=2, new="b\n", old="y\n")]
    with pytest.raises(Misuse):
        without("a\nb\nc\n", pieces, "a")


def test_a_file_is_called_what_became_of_it():
    said = [
        (one.status, one.added, one.removed)
        for one in (*changed(None, "a\n"), *changed("a\n", None))
    ]
    assert said == [("added", 1, 0), ("removed", 0, 1)]
    sides = {Path("old"): (side("a\nb\nc\n"), None), Path("new"): (None, side("a\nb\nd\n"))}
    (moved,) = file_changes(sides, lambda path: path.as_posix())
    assert (moved.status, moved.was, moved.path, moved.added) == ("moved", "old", "new", 1)
    mode = {Path("a"): (side("x"), Side(mode="100755", data=b"x", size=1))}
    (same,) = file_changes(mode, lambda path: path.as_posix())
    assert (same.content, same.mode, same.hunks) == ("same", "100644 100755", ())
    large = {Path("a"): (side("x"), Side(mode="100644", size=1 << 40))}
    (told,) = file_changes(large, lambda path: path.as_posix())
    assert (told.content, told.hunks) == ("large", ())
