"""Goals of the mind that writes code: what is told of them, and what its code does with them."""

import json
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread

from ouroboros.app.past.sessions import events
from ouroboros.core.commands import SetGoal
from ouroboros.core.events import TaskCompleted
from ouroboros.core.events.code import IterationStarted
from ouroboros.core.events.goal import GoalContinued, GoalLimited, GoalUpdated
from ouroboros.core.state import fold
from ouroboros.core.state.goals import Goal, Goals
from ouroboros.llm.turns import ScriptedUsage, Turn
from tests.story.rlm_stage import block, contexts, rlm_stage
from tests.story.stage import Stage

ACT = "await write('a.txt', 'x')"
REACHED = "await update_goal('complete')"


def used(code: str, *, uncached: int = 0, cached: int = 0, out: int = 0) -> Turn:
    usage = ScriptedUsage(input_uncached=uncached, cache_read=cached, output_text=out)
    return block(code, usage=usage)


def goals(s: Stage) -> Goals:
    assert s.session.state.goals is not None
    return s.session.state.goals


def goal(s: Stage) -> Goal:
    root = goals(s).root
    assert root is not None
    return root


@pytest.mark.proves("Z01", "Z02")
async def test_runs_begin_by_themselves_until_code_says_that_the_goal_is_reached(
    tmp_path: Path,
) -> None:
    turns = [
        block("const seen = 1; setFinal('First.')"),
        block(ACT),
        block("setFinal('Second.')"),
        block(f"{REACHED};\nsetFinal('Done ' + seen)"),
        *(block("setFinal(1)"), block("setFinal(2)")),
    ]
    async with rlm_stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Reach <it> & stay"))
        outcome = await s.run("Begin.")
        assert (outcome.reason, outcome.final) == ("completed", "Done 1")
        assert goal(s).status == "complete"
        assert [each.number for each in s.events(GoalContinued)] == [1, 2]
        assert len(s.events(TaskCompleted)) == 3
        assert len(s.server.exchanges) == 4
        first, second, third, fourth = contexts(s)
        assert all("Reach &lt;it&gt; &amp; stay" in told for told in (first, third, fourth))
        assert "Go on with the goal" not in first
        assert "setFinal ends this run and not the goal" in first
        assert "Go on with the goal" in second
        assert 'await update_goal("complete") in a block' in second
        assert second.startswith('# Task\n"""\nBegin.\n"""\nIteration 1 of 25.')
        assert "## Iteration 1\n" in second
        assert "Iteration 2 of 25." in third
        # Of a goal that rests nothing is told, and no run begins by itself.
        s.afresh()
        for wish in (SetGoal(status="paused"), SetGoal(clear=True)):
            await s.session.send(SetGoal(objective="Later"))
            await s.session.send(wish)
            await s.run("Something else.")
        assert s.events(GoalContinued) == []
        assert "Later" not in "".join(contexts(s))


@pytest.mark.deep
@pytest.mark.proves("Z05")
async def test_code_sets_a_goal_adds_parts_and_reads_how_it_stands(tmp_path: Path) -> None:
    code = """const none = await get_goal();
await create_goal('Two things', 5000);
await create_goal('One', {parent: 'goal'});
let second = ''; try { await create_goal('Other') } catch (e) { second = e.message }
let early = ''; try { await update_goal('complete') } catch (e) { early = e.message }
await update_goal('complete', '1');
const after = await update_goal('complete');
setFinal({none, second, early, after});"""
    async with rlm_stage(tmp_path, [block(code)]) as s:
        found: dict[str, Any] = json.loads((await s.run()).final)
        assert found["none"]["goal"] is None
        assert "already has one" in found["second"]
        assert "1 of its parts are not complete" in found["early"]
        assert found["after"]["goal"]["status"] == "complete"
        assert found["after"]["parts"] == [
            {"number": "1", "objective": "One", "status": "complete"}
        ]
        assert "tokens used" in found["after"]["completionBudgetReport"]
        assert s.events(GoalContinued) == []
        assert fold([e for e in s.shown if e.data.durable]).goals == s.session.state.goals


@pytest.mark.deep
@pytest.mark.proves("Z03")
async def test_a_budget_ends_the_goal_with_one_wrap_up_and_no_run_by_itself(
    tmp_path: Path,
) -> None:
    turns = [
        used("setFinal('One.')", uncached=50, out=10),
        used(ACT, uncached=50, out=10),
        used("setFinal('This is left.')", uncached=3, cached=900, out=1),
        used("setFinal('Never.')"),
    ]
    async with rlm_stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Much", token_budget=100))
        outcome = await s.run("Begin.")
        assert outcome.final == "This is left."
        (limited,) = s.events(GoalLimited)
        assert (limited.status, limited.tokens_used) == ("budget_limited", 120)
        assert (goal(s).status, goals(s).use(goal(s)).tokens) == ("budget_limited", 124)
        assert len(s.events(GoalContinued)) == 1
        told = contexts(s)
        assert ["is used up" in each for each in told] == [False, False, True]
        assert "as the final value" in told[2]
        assert (await s.run("And now?")).final == "Never."
        assert "is used up" not in contexts(s)[3]


@pytest.mark.proves("Z11")
@pytest.mark.deep
async def test_three_runs_in_a_row_that_do_nothing_block_the_goal(tmp_path: Path) -> None:
    turns = [
        block("setFinal('Begun.')"),
        block("await get_goal();\nsetFinal('Not yet.')"),
        *[block(f"setFinal('No {n}.')") for n in range(4)],
    ]
    async with rlm_stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Never"))
        await s.run("Begin.")
        assert (goal(s).status, len(s.server.exchanges)) == ("blocked", 4)
        assert "did nothing" in goal(s).reason
        assert s.events(GoalUpdated)[-1].by == "system"


@pytest.mark.proves("Z11")
@pytest.mark.deep
async def test_a_goal_that_goes_in_circles_is_blocked(tmp_path: Path) -> None:
    turns = [block("nowhere()") for _ in range(20)]
    async with rlm_stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Never"))
        outcome = await s.run("Begin.")
        assert outcome.reason == "limit_reached:repeated_call"
        assert goal(s).status == "blocked"
        assert "again and again" in goal(s).reason


@pytest.mark.proves("Z11")
@pytest.mark.deep
async def test_each_run_has_its_iterations_and_the_last_of_one_does_not_end_the_goal(
    tmp_path: Path,
) -> None:
    turns = [
        block("const one = 1;"),
        block("const two = 2;"),
        block("setFinal('As far as it came.')"),
        block("const three = 3;"),
        block(f"{REACHED};\nsetFinal(one + two + three)"),
    ]
    async with rlm_stage(tmp_path, turns, rlm={"max_iterations": 2}) as s:
        await s.session.send(SetGoal(objective="Count"))
        outcome = await s.run("Begin.")
        assert (outcome.reason, outcome.final, goal(s).status) == ("completed", "6", "complete")
        told = contexts(s)
        assert ["last iteration" in each for each in told] == [False, False, True, False, False]
        assert [
            f"Iteration {n} of 2." in each for n, each in zip((1, 2, 2, 1, 2), told, strict=True)
        ] == [True] * 5
        assert [each.iteration for each in s.events(IterationStarted)] == [1, 2, 3, 4, 5]


@pytest.mark.deep
@pytest.mark.proves("Z01", "Z02")
async def test_a_goal_without_words_is_worked_for_by_code_however_small_the_data(
    tmp_path: Path,
) -> None:
    turns = [block(f"{REACHED};\nsetFinal(data.length)")]
    async with rlm_stage(tmp_path, turns, data={"data": [1, 2]}, way="auto") as s:
        await s.session.send(SetGoal(objective="Count the rows"))
        assert (await s.run("")).final == "2"
        (told,) = contexts(s)
        assert "Count the rows" in told
        assert goal(s).status == "complete"


@pytest.mark.proves("Z01", "Z02")
@pytest.mark.deep
async def test_a_session_that_is_opened_again_goes_on_with_its_goal(tmp_path: Path) -> None:
    limits = {"max_turns": 2}
    turns = [block("let n = 1; setFinal(n)"), block(ACT)]
    async with rlm_stage(tmp_path, turns, limits=limits) as s:
        await s.session.send(SetGoal(objective="Reach it", token_budget=10_000))
        assert (await s.run("Begin.")).reason == "limit_reached:max_turns"
    end = [block(f"{REACHED};\nsetFinal('n is ' + n)")]
    async with rlm_stage(tmp_path, end, resume=s.session.id) as again:
        assert goal(again).status == "active"
        assert (await again.run("")).final == "n is 1"
        (told,) = contexts(again)
        assert "Reach it" in told
        assert "of 10,000" in told
        assert goal(again).status == "complete"
        record = await to_thread.run_sync(events, tmp_path / "home", s.session.id)
        assert fold(record.envelopes).goals == again.session.state.goals
