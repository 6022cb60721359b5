"""Plan mode: nothing is changed or run, the model hears why, and the work goes on."""

from pathlib import Path

import pytest

from ouroboros.core.commands import SetMode
from ouroboros.core.events import PermissionBlocked, PermissionRequested
from ouroboros.llm.turns import ScriptedCall, Turn
from tests.story.stage import call, stage

DONE = Turn(text="Here is the plan.")
PATCH = "*** Begin Patch\n*** Add File: new.txt\n+x\n*** Delete File: old.txt\n*** End Patch"
CHANGES = (
    call("apply_patch", input=PATCH),
    call("write", path="old.txt", content="new"),
    call("edit", path="old.txt", old_text="old", new_text="new"),
    call("shell", command="rm old.txt"),
)


@pytest.mark.proves("A08", "codex-1.8")
@pytest.mark.parametrize("change", CHANGES, ids=[one.name for one in CHANGES])
async def test_a_change_is_refused_without_asking_and_the_run_goes_on(
    tmp_path: Path, change: ScriptedCall
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "old.txt").write_text("old")
    turns = [Turn(tool_calls=(change, call("read", path="old.txt"))), DONE]
    async with stage(tmp_path, turns, mode="plan", interactive=True) as s:
        outcome = await s.run("Change it")
        assert (outcome.reason, outcome.final) == ("completed", "Here is the plan.")
        assert [result.status for result in s.results.values()].count("denied") == 1
        assert [blocked.rule for blocked in s.events(PermissionBlocked)] == ["mode plan"]
        assert s.events(PermissionRequested) == []
        refused, read = [m["content"] for m in s.body()["messages"] if m["role"] == "tool"]
        assert "plan mode" in refused
        assert read.startswith("1\told\n")
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"old.txt": "old"}


@pytest.mark.proves("codex-3.1", "codex-3.2")
async def test_a_plan_is_an_answer_in_plan_mode_and_steps_afterwards(tmp_path: Path) -> None:
    """Also with two steps at work: the bound is advice to the model and no rule of the tool."""
    steps = [{"step": "look", "status": "in_progress"}, {"step": "write", "status": "in_progress"}]
    turn = Turn(tool_calls=(call("update_plan", plan=steps),))
    async with stage(tmp_path, [turn, DONE, turn, DONE], mode="plan") as s:
        await s.run("Plan it")
        (refused,) = [m["content"] for m in s.body()["messages"] if m["role"] == "tool"]
        assert "the plan is your answer: write it as text" in refused
        assert s.session.state.plan == ()
        await s.session.send(SetMode(mode="auto-edit"))
        await s.run("Now do it")
        told = [m["content"] for m in s.body()["messages"] if m["role"] == "tool"]
        assert told[1] == "Plan updated"
        assert [step.status for step in s.session.state.plan] == ["in_progress"] * 2


async def test_a_mode_that_is_changed_in_mid_session_holds_from_the_next_call(
    tmp_path: Path,
) -> None:
    turn = Turn(tool_calls=(call("write", path="a.txt", content="x"),))
    async with stage(tmp_path, [turn, DONE, turn, DONE], mode="plan") as s:
        await s.run("Write it")
        assert not (s.cwd / "a.txt").exists()
        await s.session.send(SetMode(mode="auto-edit"))
        await s.run("Now write it")
        assert (s.cwd / "a.txt").read_text() == "x"
        told = [str(m["content"]) for m in s.body()["messages"] if m["role"] == "user"]
        assert sum("Mode: plan." in text for text in told) == 1
        assert sum("stay listed" in text for text in told) == 1  # tools do not change with a mode
        assert sum("Mode: auto-edit." in text for text in told) == 1
