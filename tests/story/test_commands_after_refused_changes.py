"""A command after a change in one reply is meant for the changed files."""

from pathlib import Path

import anyio
import pytest

from ouroboros.core.commands import Deny
from ouroboros.core.events import PermissionRequested
from ouroboros.llm.turns import ScriptedCall, Turn
from tests.cases import every
from tests.story.stage import Stage, call, stage

DONE = Turn(text="Done.")
RUN = call("exec_command", cmd="touch made")


NOWHERE = {"old_text": "never there", "new_text": "x"}


def name_of(change: ScriptedCall) -> str:
    match change.arguments:
        case {"name": str(name)}:
            return name
        case _:
            return change.name


def told(s: Stage) -> list[str]:
    return [str(m["content"]) for m in s.body()["messages"] if m["role"] == "tool"]


@pytest.mark.proves("D02", "D03")
@every(
    "change",
    [
        call("edit", path="a.txt", old_text="never there", new_text="x"),
        call("write", path="/proc/none/a.txt", content="x"),
        call("apply_patch", input="*** Begin Patch\n*** Delete File: none\n*** End Patch"),
        call("call_tool", name="multi_edit", arguments={"path": "a.txt", "edits": [NOWHERE]}),
        call("call_tool", name="dogs", arguments={"bundle": "no bundle"}),
    ],
)
@pytest.mark.deep
async def test_a_command_is_left_where_a_change_before_it_failed(
    tmp_path: Path, change: ScriptedCall
) -> None:
    """What only reads goes on, and a reply later the command is run; a deferred tool is no other."""
    turns = [Turn(tool_calls=(change, RUN, call("ls"))), Turn(tool_calls=(RUN,)), DONE]
    async with stage(tmp_path, turns, mode="full-auto") as s:
        (s.cwd / "a.txt").write_text("one")
        await s.run("Change it and run it")
        said = told(s)
        assert said[1].startswith(f"skipped: {name_of(change)} before it in the same reply")
        assert said[2] == "a.txt"
        assert (s.cwd / "made").exists()
        assert [result.status for result in s.results.values()][-1] == "done"


@pytest.mark.proves("D02", "D03")
async def test_a_command_runs_where_the_change_before_it_went_well(tmp_path: Path) -> None:
    change = call("write", path="a.txt", content="x")
    later = call("edit", path="none.txt", old_text="x", new_text="y")
    run = call("exec_command", cmd="cat a.txt && touch made")
    async with stage(
        tmp_path, [Turn(tool_calls=(change, run, later)), DONE], mode="full-auto"
    ) as s:
        await s.run("Change it and run it")
        assert (s.cwd / "made").exists()


@pytest.mark.deep
@pytest.mark.proves("D02", "D03")
async def test_nobody_is_asked_for_a_command_after_a_change_that_they_refused(
    tmp_path: Path,
) -> None:
    change = call("write", path="a.txt", content="x")
    turns = [Turn(tool_calls=(change, RUN)), DONE]
    async with stage(tmp_path, turns, mode="ask", interactive=True) as s:
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(s.run)
                await s.until(PermissionRequested)
                (asked,) = s.events(PermissionRequested)
                await s.session.send(Deny(request_id=asked.request_id, message="b.txt"))
        assert [asked.tool for asked in s.events(PermissionRequested)] == ["write"]
        assert told(s)[1].startswith("skipped: write before it")
        assert not (s.cwd / "made").exists()
