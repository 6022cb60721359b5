"""A program that ended after its last reply was kept and before its end was: nobody is asked again."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.core.events import TaskCompleted, UserMessage
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, call, stage

TURNS = [Turn(text="I look.", tool_calls=(call("ls"),)), Turn(text="All done.")]


async def cut(s: Stage, tmp_path: Path) -> None:
    """The log as a kill leaves it right before the end is written."""

    def drop() -> None:
        with closing(sqlite3.connect(tmp_path / "home" / "ouroboros.db")) as connection, connection:
            gone = connection.execute("DELETE FROM events WHERE type = 'task.completed'")
            assert gone.rowcount == 1
            connection.execute("UPDATE runs SET ended = NULL, last_seq = NULL, reason = ''")

    await to_thread.run_sync(drop)
    assert s.types[-1] == "task.completed"


@pytest.mark.proves("I06")
async def test_a_whole_last_reply_is_the_answer_and_is_not_asked_for_again(tmp_path: Path) -> None:
    async with stage(tmp_path, TURNS) as s:
        await s.run("Do it.")
    await cut(s, tmp_path)
    async with stage(tmp_path, [Turn(text="Asked again.")], latest=True) as s:
        outcome = await s.run("")
        assert (outcome.reason, outcome.final) == ("completed", "All done.")
        assert s.server.exchanges == []
        assert s.events(UserMessage) == []
        assert len(s.events(TaskCompleted)) == 1


@pytest.mark.proves("I06")
async def test_words_of_a_person_are_heard_all_the_same(tmp_path: Path) -> None:
    async with stage(tmp_path, TURNS) as s:
        await s.run("Do it.")
    await cut(s, tmp_path)
    async with stage(tmp_path, [Turn(text="Heard.")], latest=True) as s:
        assert (await s.run("And now this")).final == "Heard."
        assert s.body()["messages"][-1]["content"] == "And now this"


@pytest.mark.proves("I06")
async def test_an_empty_last_reply_is_asked_for_again(tmp_path: Path) -> None:
    async with stage(tmp_path, [Turn(text=""), Turn(text=""), Turn(text="")]) as s:
        await s.run("Do it.")
    await cut(s, tmp_path)
    async with stage(tmp_path, [Turn(text="Here.")], latest=True) as s:
        assert (await s.run("")).final == "Here."
        assert len(s.server.exchanges) == 1
