"""Parts of a change that the person takes back by hand, and single files that are brought back."""

from pathlib import Path

import pytest

from ouroboros.core.commands import Piece, Restore, TakeBack
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.events.checkpoint import CheckpointCreated, CheckpointRestored
from ouroboros.core.state import fold
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, call, stage

DONE = Turn(text="All done.")
BEFORE = "".join(f"line {number}\n" for number in range(1, 21))
AFTER = BEFORE.replace("line 3\n", "line three\n").replace("line 15\n", "line 15\nand more\n")
THREE = Piece(start=3, new="line three\n", old="line 3\n")
MORE = Piece(start=16, new="and more\n", old="")


def write(path: str, content: str) -> Turn:
    return Turn(tool_calls=(call("write", path=path, content=content),))


def first(s: Stage) -> str:
    return s.session.state.files.kept[0].checkpoint


@pytest.mark.deep
async def test_a_part_of_a_change_is_taken_back_and_the_rest_stays(tmp_path: Path):
    async with stage(tmp_path, [write("a.txt", BEFORE), DONE, write("a.txt", AFTER), DONE]) as s:
        await s.run("First")
        await s.run("Second")
        await s.session.send(TakeBack(path="a.txt", pieces=(MORE,)))
        assert (s.cwd / "a.txt").read_text() == AFTER.replace("and more\n", "")
        await s.session.send(TakeBack(path="a.txt", pieces=(THREE,)))
        assert (s.cwd / "a.txt").read_text() == BEFORE
        back = s.events(CheckpointRestored)
        assert [event.paths for event in back] == [("a.txt",), ("a.txt",)]
        assert [each.kind for each in s.events(CheckpointCreated)][-4:] == [
            "rewind",
            "restored",
        ] * 2
        await s.session.send(Restore(checkpoint=back[0].start))
        assert (s.cwd / "a.txt").read_text() == AFTER
        assert fold(s.shown).files == s.session.state.files


async def test_the_model_is_told_of_what_was_taken_back(tmp_path: Path):
    turns = [write("a.txt", BEFORE), DONE, write("a.txt", AFTER), DONE, DONE]
    async with stage(tmp_path, turns) as s:
        await s.run("First")
        await s.run("Second")
        await s.session.send(TakeBack(path="a.txt", pieces=(THREE, MORE)))
        assert (s.cwd / "a.txt").read_text() == BEFORE
        await s.run("Third")
        told = [message.text for message in s.session.history() if message.kind == "context"]
        assert any("a.txt" in text and "brought" in text for text in told)


@pytest.mark.parametrize(
    "pieces",
    [
        (Piece(start=2, new="line three\n", old="line 3\n"),),
        (Piece(start=3, new="line 3\n", old="x\n"),),
        (Piece(start=200, new="", old="x\n"),),
        (THREE, Piece(start=3, new="line three\nline 4\n", old="")),
        (THREE, Piece(start=9, new="nothing of the kind\n", old="")),
    ],
)
async def test_what_does_not_stand_there_changes_nothing(tmp_path: Path, pieces: tuple[Piece, ...]):
    async with stage(tmp_path, [write("a.txt", AFTER), DONE]) as s:
        await s.run("First")
        kept = len(s.session.state.files.kept)
        with pytest.raises(Misuse, match="has changed at line"):
            await s.session.send(TakeBack(path="a.txt", pieces=pieces))
        assert (s.cwd / "a.txt").read_text() == AFTER
        assert len(s.session.state.files.kept) == kept


@pytest.mark.parametrize(
    "path", ["../out.txt", "/etc/hostname", "", "sub/../../out.txt", ".git/config", "a/.GIT/x", "l"]
)
async def test_only_files_of_the_folder_are_touched(tmp_path: Path, path: str):
    async with stage(tmp_path, [write("a.txt", AFTER), DONE]) as s:
        await s.run("First")
        outside = s.cwd.parent / "out.txt"
        for target in (outside, s.cwd / ".git" / "config", s.cwd / "a" / ".GIT" / "x"):
            target.parent.mkdir(exist_ok=True, parents=True)
            target.write_text("mine\n")
        (s.cwd / "l").symlink_to(outside)
        with pytest.raises(OuroborosError):
            await s.session.send(
                TakeBack(path=path, pieces=(Piece(start=1, new="mine\n", old="x\n"),))
            )
        assert outside.read_text() == "mine\n"
        assert (s.cwd / ".git" / "config").read_text() == "mine\n"


async def test_ends_of_lines_and_the_end_of_a_file_stay_as_they_are(tmp_path: Path):
    async with stage(tmp_path, [write("a.txt", "one\r\ntwo\r\nthree"), DONE]) as s:
        await s.run("First")
        piece = Piece(start=2, new="two\r\nthree", old="zwei\r\ndrei")
        await s.session.send(TakeBack(path="a.txt", pieces=(piece,)))
        assert (s.cwd / "a.txt").read_bytes() == b"one\r\nzwei\r\ndrei"


@pytest.mark.deep
async def test_one_file_is_brought_back_and_others_stay(tmp_path: Path):
    turns = [write("deep/er/a", "one"), write("b", "two"), write("c", "three"), DONE]
    async with stage(tmp_path, turns) as s:
        (s.cwd / "b").write_text("mine")
        await s.run("First")
        await s.session.send(Restore(checkpoint=first(s), paths=("b",)))
        assert ((s.cwd / "b").read_text(), (s.cwd / "c").read_text()) == ("mine", "three")
        back = s.events(CheckpointRestored)[-1]
        assert (back.paths, back.left) == (("b",), ())
        await s.session.send(Restore(checkpoint=first(s), paths=("deep/er/a",)))
        assert not (s.cwd / "deep" / "er" / "a").exists()
        assert (s.cwd / "c").exists()
        with pytest.raises(Misuse, match="is not brought back"):
            await s.session.send(Restore(checkpoint=first(s), paths=("b",)))


@pytest.mark.deep
async def test_a_removed_file_comes_back_with_its_folders(tmp_path: Path):
    turns = [Turn(tool_calls=(call("shell", command="rm -r deep"),)), DONE]
    async with stage(tmp_path, turns, mode="full-auto") as s:
        for name in ("a", "b"):
            (s.cwd / "deep" / "er").mkdir(parents=True, exist_ok=True)
            (s.cwd / "deep" / "er" / name).write_text(name)
        await s.run("First")
        assert not (s.cwd / "deep").exists()
        await s.session.send(Restore(checkpoint=first(s), paths=("deep/er/a",)))
        assert [path.name for path in (s.cwd / "deep" / "er").iterdir()] == ["a"]


async def test_somebody_elses_change_of_the_file_needs_a_decision(tmp_path: Path):
    async with stage(tmp_path, [write("a", "one"), DONE]) as s:
        await s.run("First")
        (s.cwd / "a").write_text("the person's")
        (s.cwd / "b").write_text("the person's, too")
        with pytest.raises(Misuse, match="changed since by somebody else: a"):
            await s.session.send(Restore(checkpoint=first(s), paths=("a",)))
        await s.session.send(Restore(checkpoint=first(s), paths=("a",), foreign="overwrite"))
        assert not (s.cwd / "a").exists()
        assert (s.cwd / "b").exists()
