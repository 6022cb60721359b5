"""A task of 200 steps over ten summaries: each time the model is told all it needs, and no more."""

from pathlib import Path
from typing import Any

import pytest

from ouroboros.core.commands import SetGoal
from ouroboros.core.events import ContextCompacted
from ouroboros.llm.turns import Turn
from tests.story.stage import PROMPTS, call, stage
from tests.story.test_compaction import FULL, LOW, WINDOW, contents

STEPS, EACH = 200, 20


def turns() -> list[Turn]:
    """A step is a call; each twentieth fills the context, so that a summary comes before the next."""
    server = call("exec_command", cmd="sleep 60", yield_time_ms=250)
    found = [Turn(tool_calls=(server,), usage=LOW)]
    for number in range(1, STEPS + 1):
        is_last = number % EACH == 0
        plan = [
            {"step": f"Do step {number}", "status": "completed"},
            {"step": f"Do step {number + 1}", "status": "in_progress"},
        ]
        calls = [call("update_plan", plan=plan)]
        if is_last:
            calls.append(call("shell", command=f"echo {number} >> steps"))
        found.append(Turn(tool_calls=tuple(calls), usage=FULL if is_last else LOW))
        if is_last:
            found.append(Turn(text=f"Summary after {number}.", usage=LOW))
    reached = call("call_tool", name="update_goal", arguments={"status": "complete"})
    found.append(Turn(tool_calls=(reached,), usage=LOW))
    return [*found, Turn(text="All steps are done.", usage=LOW)]


def after_a_summary(body: dict[str, Any], number: int, process: int) -> int:
    """Holds the first request after a summary to what it must say; gives its size."""
    facts, words, summary = contents(body)
    assert words == "Do all the steps. Never touch main."
    assert summary == f"{PROMPTS['summary'].text}\n\nSummary after {number}."
    assert facts.count("Keep commits small.") == 1
    assert facts.count("<environment_context>") == 1
    assert "Mode: full-auto" in facts
    assert f"[in_progress] Do step {number + 1}\n" in facts
    assert f"[session_id {process}] sleep 60" in facts
    assert facts.count("<objective>\nAll steps are in the file.\n</objective>") == 1
    assert "<mentioned>" not in facts
    return len(str(body["messages"]))


@pytest.mark.proves("J14", "codex-6.7")
@pytest.mark.deep
async def test_two_hundred_steps_over_ten_summaries_lose_nothing(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "AGENTS.md").write_text("Keep commits small.")
    async with stage(tmp_path, turns(), context=WINDOW) as s:
        await s.session.send(SetGoal(objective="All steps are in the file."))
        outcome = await s.run("Do all the steps. Never touch main.")
        assert (outcome.reason, outcome.final) == ("completed", "All steps are done.")
        assert len(s.events(ContextCompacted)) == STEPS // EACH
        (process,) = s.session.state.processes
        sizes = [
            # The first turn, then twenty and a summary each time.
            after_a_summary(s.body(1 + part * (EACH + 1)), part * EACH, process)
            for part in range(1, STEPS // EACH + 1)
        ]
        assert max(sizes) - min(sizes) < 20
        done = (s.cwd / "steps").read_text().split()
        assert done == [str(number) for number in range(EACH, STEPS + 1, EACH)]
        last, history, plan = s.body()["messages"], s.session.state.history, s.session.state.plan
    async with stage(tmp_path, [Turn(text="Yes.")], context=WINDOW, latest=True) as s:
        assert (s.session.state.history, s.session.state.plan) == (history, plan)
        await s.run("Is it done?")
        assert s.body()["messages"][: len(last)] == last
