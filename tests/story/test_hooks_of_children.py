"""Hooks around what a session starts: they add to children, refuse them, send them back, and see their calls."""

from pathlib import Path

import pytest

from ouroboros.core.commands import Review
from ouroboros.core.errors import OuroborosError
from ouroboros.core.events import TaskCompleted
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.core.events.hooks import HookFinished
from ouroboros.core.events.review import ReviewExited
from ouroboros.llm.turns import Fault, ScriptedUsage, Turn
from tests.story.rlm_stage import block, contexts, rlm_stage
from tests.story.stage import stage
from tests.story.test_compaction import LOW
from tests.story.test_hooks import answer, ends, hook
from tests.story.test_hooks_in_trouble import kept, seen
from tests.story.test_review import finding, reply, repository
from tests.story.test_rlm_children import LARGE
from tests.unit.plugins.schemas import schema, wrong
from tests.unit.plugins.test_hook_answers import NAMES

ASK = block("setFinal(await llm_query('One?', 'x'))")
LARGER = block("setFinal(await llm_query('Work.', data))")


def once(folder: Path, reason: str, mark: str = "again") -> str:
    """A command that refuses the first time only."""
    return f"[ -e {folder}/{mark} ] || {{ touch {folder}/{mark}; echo {reason} >&2; exit 2; }}"


@pytest.mark.deep
@pytest.mark.proves("Z12")
async def test_a_plain_read_is_told_more_and_sent_back(tmp_path: Path) -> None:
    hooks = {
        "SubagentStart": hook("echo Count in dozens.", "leaf"),
        "SubagentStop": [*hook(kept(tmp_path)), *hook(once(tmp_path, "say it in words"), "leaf")],
    }
    turns = [ASK, Turn(text="12"), Turn(text="A dozen.")]
    async with rlm_stage(tmp_path, turns, hooks=hooks) as s:
        assert (await s.run()).final == "A dozen."
        first, second = contexts(s)[1:]
        assert first.startswith("<hook_context>\nCount in dozens.\n</hook_context>\n\nOne?")
        assert second.startswith(first.partition("The data")[0])
        assert "\nx\n" in second
        prompt = '<hook_prompt hook_run_id="subagentstop:1:session">say it in words</hook_prompt>'
        assert "\n12\n" in second
        assert prompt in second
        assert len(s.events(SubagentCompleted)) == 1
    told = seen(tmp_path)
    assert [(each["stop_hook_active"], each["last_assistant_message"]) for each in told] == [
        (False, "12"),
        (True, "A dozen."),
    ]
    rule = schema("subagent-stop.command.input")
    assert [wrong(each, rule, rule) for each in told] == [[], []]


@pytest.mark.deep
@pytest.mark.proves("Z12")
async def test_a_run_of_its_own_is_told_more_and_goes_on(tmp_path: Path) -> None:
    hooks = {
        "SubagentStart": hook(answer("SubagentStart", additionalContext="Mind the tide."), "run"),
        "SubagentStop": hook(once(tmp_path, "look once more"), "run"),
    }
    turns = [LARGER, block("setFinal('forty')"), block("setFinal('fifty')")]
    async with rlm_stage(tmp_path, turns, data={"data": LARGE}, hooks=hooks) as s:
        assert (await s.run()).final == "fifty"
        root, first, second = contexts(s)
        assert "Mind the tide." not in root
        assert "Mind the tide." in first
        assert "Mind the tide." in second
        assert "look once more" in second
        assert ("SubagentStop", "blocked") in ends(s)
        assert [each.final for each in s.events(TaskCompleted)] == ["fifty"]


@pytest.mark.deep
@pytest.mark.proves("Z12", "divergences-subagentstart-with-continue-false")
async def test_a_child_that_a_hook_stops_is_never_asked(tmp_path: Path) -> None:
    no = """printf '%s' '{"continue": false, "stopReason": "no helpers today"}'"""
    async with rlm_stage(tmp_path, [ASK], hooks={"SubagentStart": hook(no)}) as s:
        final = (await s.run()).final
        assert final == "[SUB-CALL ERROR] a hook stopped it: no helpers today"
        assert len(s.server.exchanges) == 1
        assert s.events(SubagentCompleted)[0].reason == "failed"


@pytest.mark.deep
@pytest.mark.proves("Z12")
async def test_a_kind_that_no_matcher_fits_is_left_alone(tmp_path: Path) -> None:
    no = hook("echo never >&2; exit 2", "run|review")
    async with rlm_stage(tmp_path, [ASK, Turn(text="One.")], hooks={"SubagentStop": no}) as s:
        assert (await s.run()).final == "One."
        assert ends(s) == []


@pytest.mark.deep
@pytest.mark.proves("Z12")
async def test_a_child_cannot_be_sent_back_for_ever(tmp_path: Path) -> None:
    turns = [ASK, *(Turn(text=f"Answer {number}.") for number in range(6))]
    async with rlm_stage(tmp_path, turns, hooks={"SubagentStop": hook("echo no >&2; exit 2")}) as s:
        assert (await s.run()).final == "Answer 5."


@pytest.mark.deep
@pytest.mark.proves("Z12")
async def test_what_a_child_may_spend_bounds_how_often_it_is_sent_back(tmp_path: Path) -> None:
    usage = ScriptedUsage(input_uncached=400, output_text=100)
    asks = block("setFinal(await llm_query('One?', 'x'))", usage=LOW)
    turns = [asks, *(Turn(text="No.", usage=usage) for _ in range(6))]
    refuse = {"SubagentStop": hook("echo no >&2; exit 2")}
    async with rlm_stage(tmp_path, turns, hooks=refuse, limits={"max_tokens": 1_500}) as s:
        await s.run()
        assert len(s.server.exchanges) == 3
        assert s.events(SubagentCompleted)[0].reason == "failed"


@pytest.mark.deep
@pytest.mark.proves("Z12")
async def test_hooks_hear_of_a_child_that_failed(tmp_path: Path) -> None:
    fault = Turn(fault=Fault(kind="invalid_request", message="no such thing"))
    hooks = {"SubagentStop": [*hook(kept(tmp_path)), *hook("echo on >&2; exit 2")]}
    async with rlm_stage(tmp_path, [ASK, fault], hooks=hooks) as s:
        assert "[SUB-CALL ERROR]" in (await s.run()).final
        await s.until(HookFinished, 2)
    (told,) = seen(tmp_path)
    assert (told["agent_id"], told["last_assistant_message"]) == ("sub_1", None)


@pytest.mark.proves("codex-13.1")
async def test_calls_of_a_child_are_told_as_its_own_and_what_hooks_add_is_told_to_it(
    tmp_path: Path,
) -> None:
    add = answer("PreToolUse", additionalContext="It is an old file.")
    hooks = {"PreToolUse": [*hook(kept(tmp_path), "Read"), *hook(add, "Read")]}
    turns = [
        block("await read('a.txt')"),
        LARGER,
        block("await read('a.txt')"),
        block("setFinal('done')"),
    ]
    async with rlm_stage(tmp_path, turns, data={"data": LARGE}, hooks=hooks) as s:
        (s.cwd / "a.txt").write_text("hello\n")
        assert (await s.run()).final == "done"
        assert ["It is an old file." in each for each in contexts(s)] == [False, True, False, True]
    own, childs = seen(tmp_path)
    assert "agent_id" not in own
    assert (childs["agent_id"], childs["agent_type"]) == ("sub_1", "run")
    rule = schema(f"{NAMES['PreToolUse']}.command.input")
    assert wrong(childs, rule, rule) == []


@pytest.mark.deep
@pytest.mark.proves("codex-13.1")
async def test_a_hook_that_stops_a_childs_work_stops_the_child_alone(tmp_path: Path) -> None:
    stop = """printf '%s' '{"continue": false, "stopReason": "enough"}'"""
    turns = [LARGER, block("await read('a.txt')"), block("setFinal('unseen')")]
    hooks = {"PostToolUse": hook(stop, "Read")}
    async with rlm_stage(tmp_path, turns, data={"data": LARGE}, hooks=hooks) as s:
        (s.cwd / "a.txt").write_text("hello\n")
        outcome = await s.run()
        assert (outcome.reason, outcome.final) == ("completed", "[SUB-CALL CANCELLED]")
        assert len(s.server.exchanges) == 2


@pytest.mark.deep
async def test_a_reviewer_is_told_more_and_sent_back(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    (folder / "a.py").write_text("all new\n")
    hooks = {
        "SubagentStart": hook("echo We never use tabs.", "review"),
        "SubagentStop": hook(once(tmp_path, "rate it anew"), "review"),
    }
    last = reply(finding(str(folder / "a.py"), 1, title="[P0] Worse"))
    turns = [reply(finding(str(folder / "a.py"), 1)), last]
    async with stage(tmp_path, turns, check=False, hooks=hooks) as s:
        await s.session.send(Review())
        (exited,) = s.events(ReviewExited)
        assert [one.title for one in exited.review.findings] == ["[P0] Worse"]
        assert "We never use tabs." in str(s.body(0)["messages"])
        assert "rate it anew" in str(s.body(1)["messages"][-1])


@pytest.mark.deep
async def test_a_reviewer_that_a_hook_stops_is_never_asked(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    (folder / "a.py").write_text("all new\n")
    no = """printf '%s' '{"continue": false, "stopReason": "not on a Friday"}'"""
    async with stage(tmp_path, [], check=False, hooks={"SubagentStart": hook(no, "review")}) as s:
        with pytest.raises(OuroborosError, match="a hook stopped the reviewer: not on a Friday"):
            await s.session.send(Review())
        assert s.server.exchanges == []
        assert len(s.events(SubagentStarted)) == 1
        assert s.events(SubagentCompleted)[0].reason == "failed"
