"""Taking some hunks of a change and leaving others."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.app.paws.dogs.choosing import diff_of, offer_of, with_hunks
from ouroboros.workspace.artifacts.dogs import Action, FilePlan, Snapshot
from ouroboros.workspace.artifacts.dogs.planning import plan
from ouroboros.workspace.artifacts.dogs.reading import read
from ouroboros.workspace.artifacts.dogs.tree import Folder

OLD = "".join(f"line {number}\n" for number in range(60)).encode()
NEW = OLD.replace(b"line 3\n", b"line three\n").replace(b"line 50\n", b"fifty\nmore\n")


def changed(before: bytes | None, after: bytes | None, action: Action = "change") -> FilePlan:
    sides = [None if side is None else Snapshot(content=side) for side in (before, after)]
    return FilePlan(path="a.txt", action=action, before=sides[0], after=sides[1])


def content(file: FilePlan | None) -> bytes | None:
    return None if file is None or file.after is None else file.after.content


def test_a_file_is_offered_with_its_hunks_and_what_they_add_and_take_away() -> None:
    offer = offer_of(changed(OLD, NEW))
    assert len(offer.hunks) == 2
    assert (offer.added, offer.removed, offer.why_whole) == (3, 2, "")
    assert offer.hunks[1].startswith("@@ -48,7 +48,8 @@\n line 47\n")
    assert diff_of(changed(OLD, NEW)).startswith("--- a/a.txt\n+++ b/a.txt\n@@ -1,7 +1,7 @@\n")


@pytest.mark.proves("M22")
def test_what_would_be_done_is_shown_as_a_diff_that_does_it(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("a\nb\n")
    (tmp_path / "gone.txt").write_text("x\n")
    (tmp_path / "run.sh").write_text("r\n")
    (tmp_path / "plain.txt").write_text("one\n")
    bundle = read(
        b"--- New File: new.txt ---\n```\nn\n```\n--- Delete File: gone.txt ---\n"
        b"--- Rename File: old.txt -> to.txt ---\n--- File: run.sh (Mode:755) ---\n"
        b"--- New File: empty.txt ---\n```\n```\n--- File: plain.txt ---\n```\ntwo\n```\n"
    )
    made = plan(bundle, Folder(tmp_path))
    diff = "".join(diff_of(file) for file in made.changed)
    assert "--- /dev/null\n+++ b/new.txt\n" in diff
    assert "--- a/gone.txt\n+++ /dev/null\n" in diff
    again = plan(read(diff.encode()), Folder(tmp_path))
    assert not again.refusals
    assert [_told(file) for file in again.changed] == [_told(file) for file in made.changed]


def _told(file: FilePlan) -> tuple[str, str, Snapshot | None]:
    return file.path, file.was, file.after


def test_one_hunk_is_taken_and_the_other_left() -> None:
    file = changed(OLD, NEW)
    assert content(with_hunks(file, {0})) == OLD.replace(b"line 3\n", b"line three\n")
    assert content(with_hunks(file, {1})) == OLD.replace(b"line 50\n", b"fifty\nmore\n")
    assert content(with_hunks(file, {0, 1})) == NEW
    assert with_hunks(file, set()) is None


@pytest.mark.proves("M17")
def test_characters_that_some_take_for_line_ends_move_no_hunk() -> None:
    for mark in ("\f", "\v", "\r", "\x1c", "\x85", "\u2028"):
        spaced = OLD.replace(b"line 1\n", f"line{mark}1\n".encode())
        new = spaced.replace(b"line 3\n", b"line three\n").replace(b"line 50\n", b"fifty\n")
        taken = with_hunks(changed(spaced, new), {1})
        assert (mark, content(taken)) == (mark, spaced.replace(b"line 50\n", b"fifty\n"))


@pytest.mark.proves("M17")
def test_hunks_of_older_and_wider_encodings_are_read_and_written_in_them() -> None:
    for encoding in ("cp1252", "utf-16", "utf-8-sig"):
        old = "".join(f"caf\xe9 {number}\r\n" for number in range(60)).encode(encoding)
        text = old.decode(encoding)
        first = text.replace("\xe9 3\r", "\xe8 3\r").encode(encoding)
        both = first.decode(encoding).replace("\xe9 50", "\xe8 50").encode(encoding)
        file = changed(old, both)
        assert (encoding, "+caf\xe8 3" in diff_of(file), len(offer_of(file).hunks)) == (
            encoding,
            True,
            2,
        )
        assert (encoding, content(with_hunks(file, {0}))) == (encoding, first)
    mixed = changed(b"caf\xe9\n" * 40, "café\n".encode() + b"caf\xe9\n" * 39)
    assert content(with_hunks(mixed, {0})) == content(mixed)


def test_what_is_no_text_or_comes_as_a_whole_is_taken_as_a_whole() -> None:
    binary = changed(b"\0old", b"\0new")
    assert offer_of(binary).hunks == ()
    assert offer_of(binary).why_whole == "it is no text, or too large to show"
    assert with_hunks(binary, {0}) is binary
    new = changed(None, NEW, "add")
    assert offer_of(new).why_whole == "it comes or goes as a whole"
    assert offer_of(new).added == NEW.count(b"\n")
    assert with_hunks(new, {0}) is new


def test_a_mode_goes_with_the_whole_of_its_file() -> None:
    file = FilePlan(
        path="run.sh",
        action="change",
        before=Snapshot(content=OLD, mode=0o644),
        after=Snapshot(content=NEW, mode=0o755),
    )
    assert offer_of(file).why_whole == "its mode changes"


lines = st.lists(
    st.sampled_from([b"a", b"b\n", b"c\r\n", b"\xff\n", b"d\x0b", b"e\r"]), max_size=30
)


@given(lines, lines, st.sets(st.integers(0, 8)))
def test_all_hunks_give_the_new_bytes_and_whatever_is_taken_reads_the_same_otherwise(
    old: list[bytes], new: list[bytes], some: set[int]
) -> None:
    file = changed(b"".join(old), b"".join(new))
    offer = offer_of(file)
    everything = with_hunks(file, range(max(len(offer.hunks), 1)))
    assert content(everything) == b"".join(new)
    taken = with_hunks(file, {number for number in some if number < len(offer.hunks)})
    if taken is not None and not offer.why_whole:
        rest = offer_of(
            FilePlan(path="a.txt", action="change", before=taken.after, after=file.after)
        )
        left = len(offer.hunks) - len({number for number in some if number < len(offer.hunks)})
        assert len(rest.hunks) <= max(left, 1)
