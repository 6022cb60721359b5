"""Goals: what they use, how a session goes on with one by itself, and what ends that."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

from ouroboros.app.past.sessions import events
from ouroboros.core.commands import Interrupt, Rollback, SetGoal, SetMode, Steer
from ouroboros.core.errors import Misuse
from ouroboros.core.events import ContextCompacted, TaskCompleted, ToolProgress, ToolResulted
from ouroboros.core.events.goal import GoalContinued, GoalCreated, GoalLimited, GoalUpdated
from ouroboros.core.events.schema import decode
from ouroboros.core.parts import Text
from ouroboros.core.state import fold
from ouroboros.core.state.goals import Goal, Goals, Used
from ouroboros.llm.turns import Fault, ScriptedUsage, Turn
from ouroboros.store.line import encode
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


@pytest.mark.proves("Z02", "codex-18.3", "codex-18.5")
async def test_turns_begin_by_themselves_until_the_goal_is_reached_and_none_after(tmp_path: Path):
    turns = [
        turn("First."),
        turn("", LOOK),
        turn("Second."),
        REACHED,
        turn("Done."),
        turn("Not me."),
    ]
    async with stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Reach <it> & stay"))
        outcome = await s.run("Begin.")
        assert (outcome.reason, outcome.final) == ("completed", "Done.")
        assert goal(s).status == "complete"
        assert [each.number for each in s.events(GoalContinued)] == [1, 2]
        assert len(s.events(TaskCompleted)) == 3
        assert len(s.server.exchanges) == 5
        hidden = [
            m for m in s.session.history() if m.kind == "context" and "goal_context" in m.text
        ]
        assert len(hidden) == 2
        assert "Reach &lt;it&gt; &amp; stay" in hidden[0].text
        assert "<it>" not in hidden[0].text


@pytest.mark.proves("Z03", "codex-18.2", "divergences-wrap-up-at-a-budget")
async def test_a_budget_ends_the_goal_with_one_wrap_up_and_no_turn_by_itself(tmp_path: Path):
    turns = [
        turn("One.", uncached=50, out=10),
        turn("", LOOK, uncached=50, out=10),
        turn("", LOOK, uncached=5, out=1),
        turn("This is left.", uncached=3, out=1),
    ]
    async with stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Much", token_budget=100))
        outcome = await s.run("Begin.")
        assert outcome.final == "This is left."
        (limited,) = s.events(GoalLimited)
        assert (limited.status, limited.tokens_used) == ("budget_limited", 120)
        assert (goal(s).status, used(s).tokens) == ("budget_limited", 130)
        assert sum("is used up" in m.text for m in s.session.history()) == 1
        assert len(s.events(GoalContinued)) == 1
        assert len(s.server.exchanges) == 4


@pytest.mark.proves("Z04", "codex-18.6")
async def test_input_from_a_cache_and_what_was_used_before_the_goal_is_not_counted(tmp_path: Path):
    turns = [
        turn("Before.", uncached=900, out=90),
        turn("", through("create_goal", objective="Later"), uncached=70, out=7),
        turn("", LOOK, uncached=10, cached=400, out=5),
        REACHED,
        turn("Done.", uncached=1000, out=1),
    ]
    async with stage(tmp_path, turns) as s:
        await s.run("One.")
        await s.run("Two.")
        assert (goal(s).status, used(s).tokens) == ("complete", 15)


@pytest.mark.proves("Z05", "codex-18.1")
async def test_a_second_goal_is_refused_and_results_have_the_known_form(tmp_path: Path):
    turns = [
        turn("", through("get_goal")),
        turn("", through("create_goal", objective="Mine", token_budget=1000)),
        turn("", through("create_goal", objective="Another")),
        turn("", through("update_goal", status="paused")),
        turn("", through("update_goal", status="complete"), uncached=4),
        turn("Done."),
    ]
    async with stage(tmp_path, turns) as s:
        await s.run()
        told = [result.parts[0] for result in s.events(ToolResulted)]
        texts = [part.text for part in told if isinstance(part, Text)]
        nothing = {"goal": None, "remainingTokens": None, "completionBudgetReport": None}
        assert json.loads(texts[0]) == nothing
        made = json.loads(texts[1])
        assert (made["goal"]["objective"], made["goal"]["status"]) == ("Mine", "active")
        assert set(made["goal"]) == {
            *("threadId", "objective", "status", "tokenBudget", "tokensUsed"),
            *("timeUsedSeconds", "createdAt", "updatedAt"),
        }
        assert made["remainingTokens"] == 1000
        assert "already has one" in texts[2]
        assert s.events(ToolResulted)[3].status == "failed"
        assert "tokens used: " in json.loads(texts[4])["completionBudgetReport"]
        assert len(s.events(GoalCreated)) == 1


@pytest.mark.proves("Z02", "codex-18.3", "codex-18.5")
async def test_no_turn_begins_by_itself_in_plan_mode_or_for_a_paused_goal(tmp_path: Path):
    async with stage(tmp_path, [turn("A."), turn("B.")], mode="plan") as s:
        await s.session.send(SetGoal(objective="Later"))
        await s.run("One.")
        await s.session.send(SetMode(mode="full-auto"))
        await s.session.send(SetGoal(status="paused"))
        await s.run("Two.")
        assert s.events(GoalContinued) == []
        with pytest.raises(Misuse, match="nothing was cut off"):
            await s.run("")


@pytest.mark.deep
@pytest.mark.proves("codex-18.4")
async def test_words_that_wait_are_answered_before_a_turn_begins_by_itself(tmp_path: Path):
    slow = turn("", call("shell", command="echo on; until [ -e go ]; do sleep 0.02; done"))
    async with stage(tmp_path, [slow, turn("Heard."), REACHED, turn("Done.")]) as s:
        await s.session.send(SetGoal(objective="Go on"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "Begin.")
            await s.until(ToolProgress)
            await s.session.send(Steer(text="And this."))
            (s.cwd / "go").touch()
        said = [m for m in s.session.history() if m.role == "user"]
        kinds = [m.text if m.kind == "plain" else m.kind for m in said]
        assert kinds == ["context", "Begin.", "And this.", "context"]


@pytest.mark.proves("codex-18.4")
async def test_a_goal_ends_where_the_provider_lets_nobody_use_more(tmp_path: Path):
    turns = [turn("A."), Turn(fault=Fault(kind="quota"))]
    async with stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Much"))
        outcome = await s.run("Begin.")
        assert outcome.reason == "failed"
        assert [each.status for each in s.events(GoalLimited)] == ["usage_limited"]
        assert goal(s).status == "usage_limited"
        await s.session.send(SetGoal(status="active"))
        assert goal(s).status == "active"


@pytest.mark.proves("Z11", "divergences-blocked-goals")
async def test_three_turns_in_a_row_that_do_nothing_block_the_goal(tmp_path: Path):
    turns = [turn("Begun."), turn("", LOOK), turn("Looked."), *[turn("Not yet.")] * 3, turn("No.")]
    async with stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Never"))
        await s.run("Begin.")
        assert (goal(s).status, len(s.server.exchanges)) == ("blocked", 6)
        assert "did nothing" in goal(s).reason
        assert s.events(GoalUpdated)[-1].by == "system"


@pytest.mark.deep
@pytest.mark.proves("codex-18.4")
async def test_an_interrupt_leaves_the_goal_active_and_begins_nothing(tmp_path: Path):
    slow = turn("", call("shell", command="echo on; sleep 60"))
    async with stage(tmp_path, [turn("A."), slow, REACHED, turn("Done.")]) as s:
        await s.session.send(SetGoal(objective="Go on"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "Begin.")
            await s.until(GoalContinued)
            await s.until(ToolProgress)
            await s.session.send(Interrupt())
        assert goal(s).status == "active"
        assert s.session.state.ended == "cancelled"
        outcome = await s.run("")
        assert (outcome.final, goal(s).status) == ("Done.", "complete")


@pytest.mark.proves("codex-18.4")
async def test_caps_of_a_run_hold_for_all_the_turns_of_its_goal(tmp_path: Path):
    turns = [turn("Not yet."), *[turn("", LOOK), turn("Not yet.")] * 5]
    async with stage(tmp_path, turns, limits={"max_turns": 4}) as s:
        await s.session.send(SetGoal(objective="Go on"))
        outcome = await s.run("Begin.")
        assert (outcome.reason, outcome.exit_code) == ("limit_reached:max_turns", 3)
        assert len(s.server.exchanges) == 4
        assert goal(s).status == "active"


@pytest.mark.proves("Z05", "codex-18.1")
async def test_a_goal_has_parts_and_ends_only_after_them(tmp_path: Path):
    turns = [
        turn("", through("create_goal", objective="A", parent="goal")),
        turn("", through("create_goal", objective="A one", parent="1")),
        turn("", through("create_goal", objective="B", parent="goal")),
        turn("", through("update_goal", status="complete", part="1")),
        turn("", through("update_goal", status="complete")),
        *[turn("", through("update_goal", status="complete", part=n)) for n in ("1.1", "1", "2")],
        REACHED,
        turn("Done."),
    ]
    async with stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="All"))
        await s.run("Begin.")
        parts = [(number, part.objective, part.status) for number, part in goals(s).parts()]
        done = "complete"
        assert parts == [("1", "A", done), ("1.1", "A one", done), ("2", "B", done)]
        failed = [r.parts[0] for r in s.events(ToolResulted) if r.status == "failed"]
        assert [isinstance(part, Text) and part.text[:1] for part in failed] == ["1", "3"]
        assert goal(s).status == "complete"


@pytest.mark.deep
@pytest.mark.proves("codex-18.4")
async def test_the_goal_goes_back_with_the_conversation_and_what_was_used_does_not(tmp_path: Path):
    turns = [
        turn("A.", uncached=10),
        turn("", through("update_goal", status="complete"), uncached=20),
    ]
    turns += [turn("Done."), turn("", LOOK, uncached=3), REACHED, turn("Again.")]
    async with stage(tmp_path, turns, check=False) as s:
        await s.session.send(SetGoal(objective="Go", token_budget=1000))
        await s.session.send(SetGoal(status="paused"))
        await s.run("One.")
        await s.session.send(SetGoal(status="active"))
        await s.run("Two.")
        assert goal(s).status == "complete"
        before = used(s).tokens
        await s.session.send(Rollback(turns=1))
        assert goal(s).status == "active"
        assert used(s).tokens == before
        await s.run("Two, again.")
        assert (goal(s).status, used(s).tokens) == ("complete", before + 3)


@pytest.mark.deep
@pytest.mark.proves("codex-18.4")
async def test_a_fork_has_the_goal_paused_and_nothing_used(tmp_path: Path):
    async with stage(tmp_path, [turn("A.", uncached=9)]) as s:
        await s.session.send(SetGoal(objective="Go"))
        await s.session.send(SetMode(mode="plan"))
        await s.run("One.")
        child = await s.session.fork()
    async with stage(tmp_path, [], resume=child) as s:
        assert (goal(s).status, used(s).tokens) == ("paused", 0)


@pytest.mark.proves("Z01")
async def test_a_session_goes_on_with_its_goal_and_the_log_tells_the_same(tmp_path: Path):
    async with stage(tmp_path, [turn("A.", uncached=7, out=1)]) as s:
        await s.session.send(SetMode(mode="plan"))
        await s.session.send(SetGoal(objective="Go", token_budget=500))
        await s.run("One.")
        id, live = s.session.id, goals(s)
    async with stage(tmp_path, [REACHED, turn("Done.")], resume=id) as s:
        assert (goals(s).all, goals(s).used) == (live.all, live.used)
        outcome = await s.run("")
        assert (outcome.final, goal(s).status) == ("Done.", "complete")
        kept = await to_thread.run_sync(events, tmp_path / "home", id)
        folded = fold([decode(encode(each)) for each in kept.envelopes])
        assert folded.goals == goals(s)


@pytest.mark.proves("codex-18.4", "divergences-tools-for-goals")
async def test_the_first_request_says_nothing_of_goals(tmp_path: Path):
    async with stage(tmp_path, [turn("A.")]) as s:
        await s.run("Hello.")
        assert "goal" not in json.dumps(s.body(0)["tools"])


@pytest.mark.proves("Z11")
async def test_a_goal_that_goes_in_circles_has_a_fresh_start_and_then_is_blocked(tmp_path: Path):
    again = [turn("", LOOK)] * 4
    turns = [*again, turn("Summary of it."), *again]
    async with stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Go on"))
        outcome = await s.run("Begin.")
        assert (outcome.reason, outcome.exit_code) == ("limit_reached:repeated_call", 3)
        assert len(s.events(ContextCompacted)) == 1
        assert (goal(s).status, len(s.server.exchanges)) == ("blocked", 7)
        assert "again and again" in goal(s).reason
        assert json.dumps(s.body()).count("<objective>\\nGo on") == 1
        asked = json.dumps([s.body(number) for number in range(len(s.server.exchanges))])
        assert asked.count("Pay most attention to: what was tried already") == 1
        assert "person wishes" not in asked


@pytest.mark.deep
@pytest.mark.proves("Z11")
async def test_circles_end_also_where_no_summary_can_be_had(tmp_path: Path):
    turns = [
        *[turn("", LOOK)] * 4,
        Turn(fault=Fault(kind="auth", status=401)),
        *[turn("", LOOK)] * 4,
    ]
    async with stage(tmp_path, turns) as s:
        await s.session.send(SetGoal(objective="Go on"))
        with anyio.fail_after(60):
            outcome = await s.run("Begin.")
        assert outcome.reason == "limit_reached:repeated_call"
        assert (goal(s).status, s.events(ContextCompacted)) == ("blocked", [])
        assert "again and again" in goal(s).reason
