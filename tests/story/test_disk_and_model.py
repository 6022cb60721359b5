"""What waits for the disk and what does not, shown with a database that somebody holds locked."""

import sqlite3
from pathlib import Path

import anyio
import pytest

from ouroboros.core.events import TaskCompleted, ToolAttempted
from ouroboros.llm.turns import Turn
from tests.cases import every
from tests.passing import passes, until
from tests.story.stage import Stage, call, stage

DONE = Turn(text="All done.")
HELD_SECONDS = 0.3


def locked(home: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        home / "ouroboros.db", isolation_level=None, check_same_thread=False
    )
    connection.execute("BEGIN IMMEDIATE")
    return connection


async def asked(s: Stage, count: int) -> None:
    """Waits until the model was asked so many times."""
    for _ in range(2_000):
        if len(s.server.exchanges) >= count:
            return
        await anyio.sleep(0.01)
    raise AssertionError(f"{len(s.server.exchanges)} requests came, {count} were awaited")


@pytest.mark.proves("spine-store", "I14", "divergences-waiting-for-the-disk")
async def test_nobodys_words_reach_the_model_before_the_disk(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE, DONE]) as s:
        await s.run("First")
        other = await anyio.to_thread.run_sync(locked, tmp_path / "home")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "Second")
            await anyio.sleep(HELD_SECONDS)
            assert len(s.server.exchanges) == 1
            other.close()
        assert len(s.server.exchanges) == 2
        assert "Second" in str(s.body()["messages"][-1])


@pytest.mark.deep
@pytest.mark.proves("spine-store", "I01", "divergences-waiting-for-the-disk")
async def test_reading_and_thinking_go_on_while_the_disk_is_busy(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    for name in "abcd":
        (tmp_path / "work" / f"{name}.txt").write_text(name)
    reads = [Turn(tool_calls=(call("read", path=f"{name}.txt"),)) for name in "abcd"]
    turns = [reads[0], Turn(text="", tool_calls=reads[1].tool_calls, delay_seconds=60), *reads[2:]]
    async with stage(tmp_path, [*turns, DONE]) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "Read it")
            await asked(s, 2)
            other = await anyio.to_thread.run_sync(locked, tmp_path / "home")
            passes(60)
            await asked(s, 5)
            assert s.events(TaskCompleted) == []
            other.close()
        assert s.events(TaskCompleted)[-1].final == "All done."


@pytest.mark.deep
@pytest.mark.proves("spine-store", "divergences-waiting-for-the-disk")
@every("tool", ["shell", "write"])
async def test_an_effect_waits_for_the_disk(tmp_path: Path, tool: str) -> None:
    wanted = {
        "shell": call("shell", command="echo 1 > out.txt"),
        "write": call("write", path="out.txt", content="1\n"),
    }
    turns = [Turn(tool_calls=(wanted[tool],), delay_seconds=60), DONE]
    async with stage(tmp_path, turns) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "Write it")
            await asked(s, 1)
            other = await anyio.to_thread.run_sync(locked, tmp_path / "home")
            passes(60)
            await until(lambda: s.session.state.calls)
            await anyio.sleep(HELD_SECONDS)
            assert len(s.session.state.calls) == 1
            assert not await anyio.Path(s.cwd / "out.txt").exists()
            other.close()
        assert (s.cwd / "out.txt").read_text() == "1\n"
        assert len(s.events(ToolAttempted)) == 1
