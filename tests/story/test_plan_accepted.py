"""A plan that the model proposes is the person's to accept, change or refuse."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from ouroboros.agent.running.asides import lines_changed
from ouroboros.core.commands import AcceptPlan, Answer, Branch, RefusePlan, SetMode
from ouroboros.core.errors import Misuse
from ouroboros.core.events import SettingsChanged, ToolResulted, UserMessage
from ouroboros.core.events.asides import PlanAnswered, PlanProposed
from ouroboros.core.events.question import UserAsked
from ouroboros.llm.turns import Turn
from tests.passing import hurrying, until
from tests.story.stage import Stage, call, stage

PLAN = "1. Write a.txt\n2. Look at it"
PROPOSAL = Turn(text=f"Here it is:\n<proposed_plan>\n{PLAN}\n</proposed_plan>\nTell me.")
WRITE = Turn(tool_calls=(call("write", path="a.txt", content="x"),))
DONE = Turn(text="Done.")


def said(s: Stage) -> list[str]:
    """The person's own words, in order."""
    plain = [event.message for event in s.events(UserMessage) if event.message.kind == "plain"]
    return [message.text for message in plain]


@pytest.mark.proves("A32")
async def test_an_accepted_plan_is_carried_out_in_the_mode_that_was_chosen(tmp_path: Path) -> None:
    async with stage(tmp_path, [WRITE, PROPOSAL, WRITE, DONE], mode="plan") as s:
        await s.run("Plan it")
        assert [event.text for event in s.events(PlanProposed)] == [PLAN]
        assert s.session.state.proposed == PLAN
        assert s.types.index("plan.proposed") < s.types.index("task.completed")
        assert not (s.cwd / "a.txt").exists()
        await s.session.send(AcceptPlan(mode="auto-edit"))
        assert (s.cwd / "a.txt").read_text() == "x"
        assert (s.session.state.mode, s.session.state.proposed) == ("auto-edit", "")
        assert said(s) == ["Plan it", "Implement the plan."]
        told = [str(m["content"]) for m in s.body()["messages"] if m["role"] == "user"]
        assert sum("Mode: auto-edit." in text for text in told) == 1


@pytest.mark.proves("A32")
async def test_a_changed_plan_reaches_the_model_in_the_persons_words(tmp_path: Path) -> None:
    async with stage(tmp_path, [PROPOSAL, DONE], mode="plan") as s:
        await s.run("Plan it")
        await s.session.send(AcceptPlan(text="1. Only look"))
        assert s.session.state.mode == "ask"
        assert "1. Only look" in said(s)[1]
        (answered,) = s.events(PlanAnswered)
        assert (answered.accepted, answered.mode, answered.text) == (True, "ask", "1. Only look")


@pytest.mark.proves("A24")
async def test_the_lines_that_the_person_changed_in_a_plan_stand_before_it(tmp_path: Path) -> None:
    """Where most of it is new the plan alone is shorter."""
    async with stage(tmp_path, [PROPOSAL, DONE], mode="plan") as s:
        await s.run("Plan it")
        await s.session.send(AcceptPlan(text="1. Write b.txt\n2. Look at it\n3. Say so"))
        assert said(s)[1] == (
            "Implement this plan; I changed it:\n\n"
            "-1. Write a.txt\n+1. Write b.txt\n+3. Say so\n\n"
            "<proposed_plan>\n1. Write b.txt\n2. Look at it\n3. Say so\n</proposed_plan>"
        )
    assert lines_changed(PLAN, "1. Only look") == ""
    assert lines_changed("a", "\n" * 2_000) == ""
    assert lines_changed(PLAN, f"My change: only say how\n\n{PLAN}") == ""


@pytest.mark.proves("A28")
async def test_an_accepted_plan_is_carried_out_in_the_mode_before(tmp_path: Path) -> None:
    async with stage(tmp_path, [PROPOSAL, WRITE, DONE], mode="auto-edit") as s:
        await s.session.send(SetMode(mode="plan"))
        await s.run("Plan it")
        await s.session.send(AcceptPlan())
        assert s.session.state.mode == "auto-edit"
        assert (s.cwd / "a.txt").read_text() == "x"


@pytest.mark.proves("A32")
async def test_a_refused_plan_leaves_the_mode_and_the_words_go_on_planning(tmp_path: Path) -> None:
    again = Turn(text="<proposed_plan>\nAnother\n</proposed_plan>")
    async with stage(tmp_path, [PROPOSAL, again], mode="plan") as s:
        await s.run("Plan it")
        await s.session.send(RefusePlan(text="Without files"))
        assert s.session.state.mode == "plan"
        assert s.session.state.proposed == "Another"
        await s.session.send(RefusePlan())
        with pytest.raises(Misuse, match="no plan waits"):
            await s.session.send(AcceptPlan())
        assert s.events(SettingsChanged) == []
        assert said(s) == ["Plan it", "Without files"]


async def test_other_words_and_another_branch_leave_no_plan_to_accept(tmp_path: Path) -> None:
    async with stage(tmp_path, [PROPOSAL, DONE, PROPOSAL], mode="plan", check=False) as s:
        await s.run("Plan it")
        first = s.session.state.tree.turns()[0]
        await s.run("What is a.txt?")
        assert s.session.state.proposed == ""
        await s.run("Plan again")
        assert s.session.state.proposed == PLAN
        await s.session.send(Branch(message_id=first))
        assert s.session.state.proposed == ""


async def test_outside_plan_mode_the_words_are_only_words(tmp_path: Path) -> None:
    async with stage(tmp_path, [PROPOSAL], mode="ask") as s:
        await s.run("Plan it")
        assert s.events(PlanProposed) == []


@pytest.mark.proves("A32")
async def test_a_plan_that_waits_is_still_there_after_a_restart(tmp_path: Path) -> None:
    async with stage(tmp_path, [PROPOSAL], mode="plan") as s:
        await s.run("Plan it")
    async with stage(tmp_path, [WRITE, DONE], resume=s.session.id, chosen=()) as again:
        assert (again.session.state.mode, again.session.state.proposed) == ("plan", PLAN)
        with pytest.raises(Misuse, match="in mode plan nothing is carried out"):
            await again.session.send(AcceptPlan(mode="plan"))
        await again.session.send(AcceptPlan(mode="full-auto"))
        assert (again.cwd / "a.txt").read_text() == "x"


@pytest.mark.deep
@pytest.mark.proves("A32")
async def test_a_mode_that_is_changed_while_a_run_is_on_holds_for_the_next_call(
    tmp_path: Path,
) -> None:
    """The model is told at its next turn, and once."""
    second = Turn(tool_calls=(call("write", path="b.txt", content="x"),), delay_seconds=60)
    async with stage(tmp_path, [WRITE, second, DONE, DONE], mode="full-auto") as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(ToolResulted)
            await s.session.send(SetMode(mode="plan"))
            async with hurrying(1):
                await until(lambda: s.session.state.ended)
        assert (s.cwd / "a.txt").exists()
        assert not (s.cwd / "b.txt").exists()
        assert "Mode: plan." in str(s.body(2)["messages"])
        await s.run("And now?")
        told = [str(m["content"]) for m in s.body()["messages"] if m["role"] == "user"]
        assert ["Mode: plan." in text for text in told] == [False, False, True, False]


@pytest.mark.proves("A32")
@pytest.mark.parametrize(
    ("sandbox", "policy"),
    [
        pytest.param(sandbox, policy, marks=[] if policy in first else pytest.mark.deep)
        for sandbox, first in (
            ("read-only", ("untrusted",)),
            ("workspace-write", ("", "on-failure")),
            ("danger-full-access", ("never",)),
        )
        for policy in ("", "untrusted", "on-failure", "on-request", "never")
    ],
)
async def test_no_policy_and_no_sandbox_lets_plan_mode_change_anything(
    tmp_path: Path, policy: str, sandbox: str
) -> None:
    calls = (
        call("write", path="a.txt", content="x"),
        call("shell", command="touch b.txt"),
        call("exec_command", cmd="touch c.txt", sandbox_permissions="require_escalated",
             justification="x"),
        call("ls"),
    )  # fmt: skip
    wanted = {"mode": sandbox}
    turns = [Turn(tool_calls=calls), DONE]
    async with stage(
        tmp_path, turns, mode="plan", approval_policy=policy, sandbox=wanted, interactive=True
    ) as s:
        await s.run("Plan it")
        ended = [result.status for result in s.events(ToolResulted)]
        assert sorted(ended) == ["denied", "denied", "denied", "done"]
        assert list(s.cwd.iterdir()) == []


@pytest.mark.proves("A32")
async def test_the_person_is_asked_in_plan_mode(tmp_path: Path) -> None:
    question: dict[str, Any] = {
        "id": "where",
        "header": "Where",
        "question": "Which file?",
        "options": [{"label": "a.txt", "description": "the first"}],
    }
    turns = [Turn(tool_calls=(call("request_user_input", questions=[question]),)), PROPOSAL]
    async with (
        stage(tmp_path, turns, mode="plan", interactive=True) as s,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(s.run)
        await s.until(UserAsked)
        (asked,) = s.events(UserAsked)
        await s.session.send(Answer(request_id=asked.request_id, answers={"where": ("a.txt",)}))
        await s.until(PlanProposed)
        assert "a.txt" in str(s.events(ToolResulted)[0].parts)
