"""A limit on what all sessions spend in a day."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

from ouroboros.core.commands import SetGoal
from ouroboros.core.events import PermissionBlocked
from ouroboros.core.events.code import Logged
from ouroboros.llm.turns import ScriptedUsage, Turn
from tests.story.stage import call, stage
from tests.story.test_cli_run import ouro

USAGE = ScriptedUsage(input_uncached=1000)
LOOK = Turn(tool_calls=(call("ls", path="."),), usage=USAGE)
DONE = Turn(text="Done.", usage=USAGE)
DOLLAR: dict[str, Any] = {"openai-chat/scripted": {"input": 1000, "cached": 1, "output": 1}}


@pytest.mark.deep
@pytest.mark.proves("Z10")
async def test_what_other_sessions_spent_stops_a_run_before_its_next_turn(tmp_path: Path) -> None:
    async with stage(tmp_path, [LOOK, DONE], models=DOLLAR) as s:
        assert (await s.run()).exit_code == 0
    limits = {"daily_cost": 3.5}
    async with stage(tmp_path, [LOOK, LOOK, DONE], models=DOLLAR, limits=limits) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.exit_code) == ("limit_reached:daily_cost", 3)
        assert len(s.server.exchanges) == 2
        warned = [event.text for event in s.events(Logged) if "limits." in event.text]
        said = "85 % of limits.daily_cost is used: $3.00 of $3.50 today, over all sessions"
        assert warned == [said]
        assert (await s.run("More.")).reason == "limit_reached:daily_cost"
        assert len(s.server.exchanges) == 2
    told = {"OUROBOROS_HOME": str(tmp_path / "home"), "OUROBOROS_LIMITS_DAILY_COST": "3.5"}
    done = await to_thread.run_sync(lambda: ouro("limits", "--json", cwd=tmp_path, **told))
    day, month = json.loads(done.stdout)
    assert (day["name"], day["cost"], day["limit"], day["requests"]) == ("daily_cost", 4.0, 3.5, 4)
    assert (month["name"], month["cost"], month["limit"]) == ("monthly_cost", 4.0, None)
    shown = await to_thread.run_sync(lambda: ouro("limits", cwd=tmp_path, **told))
    assert "$4.0000\tof $3.50" in shown.stdout


@pytest.mark.proves("Z10")
async def test_a_goal_stops_at_the_limit_of_the_day_and_is_still_active(tmp_path: Path) -> None:
    turns = [DONE, LOOK, DONE, LOOK, DONE]
    async with stage(tmp_path, turns, models=DOLLAR, limits={"daily_cost": 2.5}) as s:
        await s.session.send(SetGoal(objective="On and on"))
        assert (await s.run()).reason == "limit_reached:daily_cost"
        assert len(s.server.exchanges) == 3
        goals = s.session.state.goals
        assert goals is not None
        assert goals.active is not None


@pytest.mark.deep
@pytest.mark.proves("Z10")
async def test_what_another_session_did_unasked_counts_for_the_hour(tmp_path: Path) -> None:
    touch = [Turn(tool_calls=(call("shell", command=f"touch {name}"),)) for name in "ab"]
    hour = {"actions_per_hour": 1}
    async with stage(tmp_path, [touch[0], LOOK, DONE]) as s:
        await s.run()
    async with stage(tmp_path, [touch[1], DONE], limits=hour) as s:
        await s.run()
        assert [each.limit for each in s.events(PermissionBlocked)] == ["actions_per_hour"]
        assert not await anyio.Path(s.cwd / "b").exists()
    async with stage(tmp_path, [touch[1], DONE], limits={"actions_per_hour": 2}) as s:
        await s.run()
        assert await anyio.Path(s.cwd / "b").exists()
