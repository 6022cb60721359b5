"""What does not hold of the cage is said at the start, and in each question about a command."""

from pathlib import Path

import anyio
import pytest

from ouroboros.core.commands import Deny
from ouroboros.core.events import PermissionRequested, ToolAttempted
from ouroboros.core.events.code import Logged
from ouroboros.llm.turns import Turn
from ouroboros.safety.sandbox.features import Features, features
from tests.story.stage import Stage, call, stage

OFFERED: Features = features()
DONE = Turn(text="Done.")
ALONE = {"bubblewrap": "off"}


def said(s: Stage) -> list[str]:
    return [event.text for event in s.events(Logged) if "Landlock" in event.text]


@pytest.mark.deep
@pytest.mark.proves("F07")
async def test_what_does_not_hold_is_said_once_before_there_is_a_command(tmp_path: Path) -> None:
    turns = [Turn(tool_calls=(call("shell", command="touch made"),)), DONE]
    async with stage(tmp_path, turns, sandbox=ALONE) as s:
        await s.session.warm()
        await s.until(Logged)
        assert len(s.events(ToolAttempted)) == 0
        await s.run()
        assert (tmp_path / "work" / "made").exists()
        told = said(s)
        assert len(told) == len(set(told)) >= 1
        last = max(n for n, e in enumerate(s.shown) if isinstance(e.data, Logged))
        first = next(n for n, e in enumerate(s.shown) if isinstance(e.data, ToolAttempted))
        assert last < first


@pytest.mark.deep
@pytest.mark.proves("F07", "F11")
async def test_the_line_is_told_at_the_first_start_only(tmp_path: Path) -> None:
    heard: list[int] = []
    for _ in range(2):
        turns = [Turn(tool_calls=(call("shell", command="true"),)), DONE]
        async with stage(tmp_path, turns, sandbox={"bubblewrap": "off"}) as s:
            await s.run()
            assert len(s.events(ToolAttempted)) == 1
            heard.append(len(said(s)))
    assert heard == [1, 0]


@pytest.mark.deep
@pytest.mark.proves("F07")
@pytest.mark.parametrize("bubblewrap", ["off", "auto"])
async def test_each_question_about_a_command_says_what_holds_it(
    tmp_path: Path, bubblewrap: str
) -> None:
    turns = [Turn(tool_calls=(call("shell", command="touch made"),)), DONE]
    sandbox = {"bubblewrap": bubblewrap}
    async with stage(tmp_path, turns, mode="ask", interactive=True, sandbox=sandbox) as s:

        async def refused() -> None:
            await s.until(PermissionRequested)
            question = s.events(PermissionRequested)[0]
            await s.session.send(Deny(request_id=question.request_id))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(refused)
            await s.run()
        (question,) = s.events(PermissionRequested)
        is_whole = bubblewrap == "auto" and (OFFERED.namespaces or OFFERED.launcher is not None)
        assert ("Landlock alone holds it here" in question.reason) is not is_whole


@pytest.mark.proves("E09")
async def test_a_program_that_the_workspace_put_first_is_asked_about(tmp_path: Path) -> None:
    fake = tmp_path / "work" / ".venv" / "bin" / "ls"
    fake.parent.mkdir(parents=True)
    fake.write_text("#!/bin/sh\ntouch ran\n", encoding="utf-8")
    fake.chmod(0o755)
    path = f"{fake.parent}:/usr/local/bin:/usr/bin:/bin"
    turns = [Turn(tool_calls=(call("shell", command="ls"), call("shell", command="pwd"))), DONE]
    async with stage(tmp_path, turns, mode="ask", environment={"PATH": path}) as s:
        await s.run()
        answers = [m["content"] for m in s.body()["messages"] if m["role"] == "tool"]
    assert f"ls is {fake} here, which commands may change" in answers[0]
    assert str(tmp_path / "work") in answers[1]
    assert not (tmp_path / "work" / "ran").exists()
