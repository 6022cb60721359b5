"""A run that is cut while it waits leaves nothing open, and knows its folder when it goes on."""

from pathlib import Path

import anyio
import pytest

from ouroboros.app.ouroboros import Outcome
from ouroboros.core.commands import Approve, Interrupt
from ouroboros.core.errors import Misuse
from ouroboros.core.events import (
    ContextCompacted,
    ModelRetried,
    PermissionAnswered,
    PermissionRequested,
    TaskCancelled,
    ToolResulted,
)
from ouroboros.llm.turns import Fault, ScriptedUsage, Turn
from tests.passing import passes
from tests.story.stage import call, stage

DONE = Turn(text="All done.")
ASKING = Turn(tool_calls=(call("shell", command="echo hi > out.txt"), call("ls")))
FULL = ScriptedUsage(input_uncached=8_000, output_text=100)
LOW = ScriptedUsage(input_uncached=500, output_text=10)


@pytest.mark.proves("A04")
async def test_a_cap_on_time_ends_a_wait_for_an_answer(tmp_path: Path) -> None:
    async with stage(
        tmp_path, [ASKING, DONE], mode="ask", interactive=True, limits={"max_time": 600}
    ) as s:
        outcomes: list[Outcome] = []

        async def run() -> None:
            outcomes.append(await s.run())

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await s.until(PermissionRequested)
            passes(600)
        (outcome,) = outcomes
        assert (outcome.reason, outcome.exit_code) == ("limit_reached:max_time", 3)
        assert [a.decider for a in s.events(PermissionAnswered)] == ["cancelled"]
        assert [r.status for r in s.events(ToolResulted)] == ["cancelled", "cancelled"]
        assert not (s.cwd / "out.txt").exists()
        asked = s.events(PermissionRequested)[0].request_id
        with pytest.raises(Misuse, match="not open any more"):
            await s.session.send(Approve(request_id=asked))
        assert (await s.run("Go on")).final == "All done."
        assert not (s.cwd / "out.txt").exists()


async def test_a_stop_ends_a_wait_for_a_retry(tmp_path: Path) -> None:
    turns = [Turn(fault=Fault(kind="rate_limit", retry_after_seconds=60)), DONE]
    async with stage(tmp_path, turns) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "Hello")
            await s.until(ModelRetried)
            with anyio.fail_after(60):
                await s.session.send(Interrupt())
                await s.until(TaskCancelled)
        assert (await s.run("")).final == "All done."


async def test_a_cut_run_that_is_summarised_after_resuming_still_knows_its_folder(
    tmp_path: Path,
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "AGENTS.md").write_text("Keep it small.")
    window = {"window": 10_000}
    turns = [Turn(tool_calls=(call("ls"),), usage=FULL), Turn(fault=Fault(kind="auth"))]
    async with stage(tmp_path, turns, context=window) as s:
        assert (await s.run("The task")).reason == "failed"
    again = [Turn(text="sum", usage=LOW), Turn(text="end", usage=LOW)]
    async with stage(tmp_path, again, context=window, latest=True) as s:
        assert (await s.run("")).final == "end"
        assert len(s.events(ContextCompacted)) == 1
        told = str(s.body()["messages"])
        assert "Keep it small." in told
        assert "<environment_context>" in told
