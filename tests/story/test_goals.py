"""Goals: what they use, how a session goes on with one by itself, and what ends that."""

import json
from pathlib import Path
from typing import Any

import pytest

from ouroboros.core.commands import SetGoal, SetMode
from ouroboros.core.events import TaskCompleted, UserMessage
from ouroboros.core.events.goal import GoalContinued, GoalCreated, GoalLimited, GoalUpdated
from ouroboros.core.events.schema import decode
from ouroboros.core.state import fold
from ouroboros.core.state.goals import Goal, Goals, Used
from ouroboros.llm.turns import ScriptedUsage, Turn
from ouroboros.store.log import encode
from tests.story.stage import Stage, call, stage


def turn(text: str = "", *calls: Any, uncached: int = 0, cached: int = 0, out: int = 0) -> Turn:
    usage = ScriptedUsage(input_uncached=uncached, cache_read=cached, output_text=out)
    return Turn(text=text, tool_calls=calls, usage=usage)


def through(name: str, **arguments: Any) -> Any:
    return call("call_tool", name=name, arguments=arguments)


REACHED = turn("", through("update_goal", status="complete"))
LOOK = call("ls", path=".")


def goals(s: Stage) -> Goals:
    assert s.session.state.goals is not None
    return s.session.state.goals


def goal(s: Stage) -> Goal:
    root = goals(s).root
    assert root is not None
    return root


def used(s: Stage) -> Used:
    return goals(s).use(goal(s))


async def test_turns_begin_by_themselves_until_the_goal_is_reached_and_none_after(tmp_path: Path):
    turns = [turn("First."), turn("", LOOK), turn("Second."), REACHED, turn("Done."), turn("Not me.")]
    async with stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Reach <it> & stay"))
        outcome = await s.run("Begin.")
        assert (outcome.reason, outcome.final) == ("completed", "Done.")
        assert goal(s).status == "complete"
        assert [each.number for each in s.events(GoalContinued)] == [1, 2]
        assert len(s.events(TaskCompleted)) == 3
        assert len(s.server.exchanges) == 5
        hidden = [m for m in s.session.history() if m.kind == "context" and "goal_context" in m.text]
        assert len(hidden) == 2
        assert "Reach &lt;it&gt; &amp; stay" in hidden[0].text
        assert "<it>" not in hidden[0].text
