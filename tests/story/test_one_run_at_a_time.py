"""One session does one thing at a time, and words that meet something else are not lost."""

import sqlite3
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from ouroboros.app.ouroboros import Outcome
from ouroboros.core.commands import Compact, Interrupt, SetModel, Steer, Submit
from ouroboros.core.errors import Misuse
from ouroboros.core.events import ModelDelta, TaskCancelled, TaskCompleted, TurnStarted, UserMessage
from ouroboros.core.parts import Media
from ouroboros.llm.turns import Fault, Turn
from tests.passing import hurrying, passes, until
from tests.story.stage import PROMPTS, Stage, call, stage

DONE = Turn(text="All done.")
SLOW = Turn(text="So", chunk=1, pace_seconds=30)


def words(s: Stage) -> list[str]:
    history = s.session.state.history
    return [m.text for m in history if m.role == "user" and m.kind == "plain"]


def locked(home: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        home / "ouroboros.db", isolation_level=None, check_same_thread=False
    )
    connection.execute("BEGIN IMMEDIATE")
    return connection


async def test_two_submits_at_once_make_one_run(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE]) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.session.send, Submit(text="First"))
            tasks.start_soon(s.session.send, Submit(text="Second"))
        assert words(s) == ["First", "Second"]
        assert len(s.events(TurnStarted)) == len(s.server.exchanges) == 1
        assert len(s.events(TaskCompleted)) == 1


async def test_a_second_run_is_refused_while_one_is_under_way(tmp_path: Path) -> None:
    async with stage(tmp_path, [SLOW]) as s, anyio.create_task_group() as tasks:
        tasks.start_soon(s.run)
        async with hurrying(1):
            await until(lambda: s.events(ModelDelta))
        for text in ("More.", ""):
            with pytest.raises(Misuse, match="under way"):
                await s.run(text)
        assert len(words(s)) == 1
        tasks.cancel_scope.cancel()


async def test_a_stop_before_the_first_turn_stops_and_keeps_the_words(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE]) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "Think about it")
            await anyio.lowlevel.checkpoint()
            await s.session.send(Interrupt(reason="SIGTERM"))
        assert s.server.exchanges == []
        assert s.events(TaskCancelled) == [TaskCancelled(reason="SIGTERM")]
        assert words(s) == ["Think about it"]
        assert (await s.run("")).final == "All done."


@pytest.mark.proves("A23")
@pytest.mark.parametrize("command", [Compact(), SetModel(model="openai-chat/other")])
async def test_words_during_other_work_are_answered_after_it(
    tmp_path: Path, command: Compact | SetModel
) -> None:
    turns = [Turn(text="one"), Turn(text="sum", delay_seconds=0.3), Turn(text="Heard.")]
    if isinstance(command, SetModel):
        del turns[1]
    async with stage(tmp_path, turns, check=isinstance(command, Compact)) as s:
        await s.run("First")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.session.send, command)
            await anyio.lowlevel.checkpoint()
            await s.session.send(Steer(text="And this"))
        assert s.events(TaskCompleted)[-1].final == "Heard."
        assert "And this" in [message["content"] for message in s.body()["messages"][-2:]]


async def test_a_stopped_summary_leaves_words_for_the_next_run(tmp_path: Path) -> None:
    summary = Turn(when=PROMPTS["compact"].text[:80], text="sum", delay_seconds=60)
    turns = [Turn(text="one"), summary, Turn(text="Heard.")]
    async with stage(tmp_path, turns) as s:
        await s.run("First")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.session.send, Compact())
            await until(lambda: len(s.server.exchanges) == 2)
            await s.session.send(Steer(text="Earlier"))
            await s.session.send(Interrupt())
        assert len(s.events(TaskCompleted)) == 1
        await s.run("Later")
        assert words(s) == ["First", "Earlier", "Later"]


async def test_nothing_to_say_is_refused(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE]) as s:
        for command in (Submit(text=" \n"), Steer(text="")):
            with pytest.raises(Misuse, match="nothing to say"):
                await s.session.send(command)
        assert s.events(UserMessage) == []


@pytest.mark.deep
async def test_a_picture_that_comes_during_a_run_is_seen(tmp_path: Path) -> None:
    picture = Media(media_type="image/png", data="AAAA")
    async with stage(tmp_path, [SLOW, DONE]) as s, anyio.create_task_group() as tasks:
        tasks.start_soon(s.run)
        async with hurrying(1):
            await until(lambda: s.events(ModelDelta))
        await s.session.send(Submit(text="Look", media=(picture,)))
        async with hurrying(1):
            await until(lambda: s.events(TaskCompleted))
    assert [part["type"] for part in s.body()["messages"][-1]["content"]] == ["image_url", "text"]


async def test_a_failed_run_does_not_show_the_words_of_the_last_one(tmp_path: Path) -> None:
    turns = [Turn(text="First answer."), Turn(fault=Fault(kind="auth"))]
    async with stage(tmp_path, turns) as s:
        first = await s.run("First")
        spent = first.spent.tokens
        second = await s.run("Second")
        assert (second.reason, second.final) == ("failed", "")
        assert s.events(TaskCompleted)[-1].final == ""
        assert first.spent.tokens == spent


async def test_a_failure_after_some_work_shows_what_was_said(tmp_path: Path) -> None:
    turns = [Turn(text="I look.", tool_calls=(call("ls"),)), Turn(fault=Fault(kind="auth"))]
    async with stage(tmp_path, turns) as s:
        assert (await s.run()).final == "I look."


@pytest.mark.deep
async def test_the_next_words_do_not_change_how_the_last_run_ended(tmp_path: Path) -> None:
    turns = [Turn(text="one", delay_seconds=60), Turn(text="two", delay_seconds=0.2)]
    outcomes: list[Outcome] = []
    async with stage(tmp_path, turns) as s:

        async def first() -> None:
            outcomes.append(await s.run("First"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(first)
            await until(lambda: bool(s.server.exchanges))
            other = await anyio.to_thread.run_sync(locked, tmp_path / "home")
            passes(60)
            await until(lambda: s.session.state.ended == "completed")
            tasks.start_soon(s.session.send, Submit(text="Second"))
            await anyio.sleep(0.1)
            other.close()
        assert [(one.reason, one.final) for one in outcomes] == [("completed", "one")]
        assert words(s) == ["First", "Second"]
