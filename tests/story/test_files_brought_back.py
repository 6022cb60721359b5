"""What a model hears of files that the person brought back, and of notes that were added."""

from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.app.notes import add
from ouroboros.core.commands import Redo, Restore, Rewind, Undo
from ouroboros.core.state import fold
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, call, stage

DONE = Turn(text="Done.")
AGAIN = "Read them again before you rely on what they held."


def write(path: str) -> Turn:
    return Turn(tool_calls=(call("write", path=path, content="x"),))


def heard(s: Stage) -> str:
    return "\n".join(str(message["content"]) for message in s.body()["messages"])


@pytest.mark.proves("K05")
async def test_after_undo_and_redo_the_files_that_changed_are_named_once(tmp_path: Path) -> None:
    turns = [DONE, write("a.txt"), DONE, DONE, DONE, write("b.txt"), DONE, DONE]
    async with stage(tmp_path, turns, check=False) as s:  # the requests go back as well
        await s.run("One.")
        await s.run("Two.")
        await s.session.send(Undo())
        await s.run("Three.")
        line = "went back or forth to this point of the conversation, and had files brought back"
        assert f"{line} to what they were then: a.txt. {AGAIN}" in heard(s)
        assert s.body(3)["messages"][:3] == s.body(0)["messages"]
        assert s.session.state.files.back is None
        await s.run("Four.")
        assert heard(s).count(AGAIN) == 1
        await s.run("Five.")
        await s.session.send(Undo())
        await s.session.send(Redo())
        assert s.session.state.files.back is not None
        assert fold(s.shown).files == s.session.state.files
        await s.run("Six.")
        assert f"{line} to what they were then: b.txt. {AGAIN}" in heard(s)
        assert heard(s).count(AGAIN) == 2


@pytest.mark.proves("K05")
async def test_a_rewind_of_files_alone_does_not_say_that_the_conversation_went_back(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path, [DONE, write("a.txt"), DONE, DONE, DONE]) as s:
        await s.run("One.")
        await s.run("Two.")
        (words, *_) = s.session.state.tree.turns()
        await s.session.send(Restore(message_id=words))
        await s.run("Three.")
        assert (
            "The person had files brought back to what they were before or after this point: a.txt."
            in heard(s)
        )


@pytest.mark.proves("K05")
async def test_a_rewind_of_both_says_that_this_is_the_point(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE, write("a.txt"), DONE, DONE], check=False) as s:
        await s.run("One.")
        await s.run("Two.")
        (words, *_) = s.session.state.tree.turns()
        await s.session.send(Restore(message_id=words))
        await s.session.send(Rewind(message_id=words))
        await s.run("Three.")
        assert "to this point of the conversation, and had files brought back" in heard(s)


@pytest.mark.proves("A19", "J12")
async def test_a_note_is_told_alone_where_the_rest_was_told(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "AGENTS.md").write_text("Use tabs.\n")
    async with stage(tmp_path, [DONE, DONE]) as s:
        await s.run("One.")
        home = tmp_path / "home"
        note = "tests need a database"
        await to_thread.run_sync(lambda: add(note, "project", work, home, limit=32_768))
        await s.run("Two.")
        assert heard(s).count("Use tabs.") == 1
        assert "Lines were added to the instructions above" in heard(s)
        assert "<INSTRUCTIONS>\n- tests need a database\n</INSTRUCTIONS>" in heard(s)
