"""What a model is told of a goal, in its requests: each thing once, and how it ends."""

from pathlib import Path

import anyio
import pytest

from ouroboros.core.commands import Compact, SetGoal
from ouroboros.core.events import ToolStarted
from tests.story.stage import Stage, call, stage
from tests.story.test_goals import LOOK, REACHED, turn

GO_ON = "Go on with the goal"


def told(s: Stage, number: int = -1) -> str:
    return "\n".join(str(message["content"]) for message in s.body(number)["messages"])


@pytest.mark.proves("codex-18")
async def test_the_first_turn_of_a_goal_begins_it_and_the_next_go_on(tmp_path: Path) -> None:
    turns = [turn("", LOOK, out=5), turn("One.", out=5), REACHED, turn("Done.")]
    async with stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Count the files", token_budget=900))
        await s.run("")
        first, later = told(s, 0), told(s, 2)
        assert "This session has a new goal. Begin with it." in first
        assert "do not begin anew" not in first
        assert GO_ON not in first
        assert first.count("Count the files") == first.count("Used: 0 tokens of 900") == 1
        assert later.count(GO_ON) == later.count("do not begin anew") == 1


@pytest.mark.proves("codex-18")
async def test_work_that_the_person_began_is_gone_on_with(tmp_path: Path) -> None:
    turns = [turn("One.", out=5), REACHED, turn("Done.")]
    async with stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Count the files"))
        await s.run("Begin.")
        assert "Begin with it." not in told(s)
        assert GO_ON in told(s)


@pytest.mark.proves("codex-18")
async def test_after_a_summary_it_is_told_how_the_goal_ends(tmp_path: Path) -> None:
    turns = [turn("Sum."), turn("Hm."), REACHED, turn("Done.")]
    async with stage(tmp_path, [turn("Before."), *turns]) as s:
        await s.run("Hello.")
        await s.session.send(Compact())
        await s.session.send(SetGoal(objective="Count the files"))
        await s.run("What now?")
        again = told(s, 2)
        assert again.count("Count the files") == 1
        assert 'call_tool with {"name": "update_goal"' in again
        assert 'status "blocked"' in again
        assert "three turns in a\nrow" in again


@pytest.mark.proves("codex-18")
async def test_a_budget_that_changes_while_a_run_goes_on_is_told_with_the_next_turn(
    tmp_path: Path,
) -> None:
    slow = call("shell", command="until test -e go; do sleep 0.02; done")
    turns = [turn("", slow, out=5), turn("", LOOK, out=5), REACHED, turn("Done.")]
    async with stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Count the files"))
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(s.run, "Begin.")
                await s.until(ToolStarted)
                await s.session.send(SetGoal(token_budget=5000, edit=True))
                (s.cwd / "go").touch()
        line = "The user has changed the token budget of the goal. Used: "
        assert line not in told(s, 0)
        assert told(s, 1).count(line) == told(s).count(line) == 1
        assert " of 5,000, " in told(s, 1)


@pytest.mark.proves("codex-18")
async def test_a_goal_that_is_set_or_changed_in_mid_session_is_told_with_the_next_words(
    tmp_path: Path,
) -> None:
    """In mode plan, where no turn begins by itself that would tell it."""
    turns = [turn("Hello."), turn("", LOOK, out=5), turn("Two."), turn("Three.")]
    async with stage(tmp_path, turns, mode="plan") as s:
        await s.run("Hello.")
        await s.session.send(SetGoal(objective="Count the files"))
        await s.session.send(SetGoal(objective="Count <all> files", edit=True))
        await s.run("And now?")
        last = told(s)
        assert last.count("The user has set a new goal") == 1
        assert "Count &lt;all&gt; files" in last
        assert "Count the files" not in last
        assert "update_goal" in last
        await s.session.send(SetGoal(objective="Count none", edit=True))
        await s.run("And then?")
        assert told(s).count("The user has changed the goal") == told(s).count("Count none") == 1
