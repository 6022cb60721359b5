"""A model that can only write text does a real task: rules, the person and the results are there."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from ouroboros.core.commands import Approve, Deny
from ouroboros.core.events import (
    AgentMessage,
    PermissionBlocked,
    PermissionRequested,
    ToolStarted,
)
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, stage

SMALL = {"base_url": "http://127.0.0.1:9/v1", "auth": "none", "dialect": {"tools": "fenced"}}
LOOK = "I look first.\n\n```run sh\ncat notes.txt\n```\n"
FIX = """\
```run apply_patch
*** Begin Patch
*** Update File: notes.txt
-helo
+hello
*** End Patch
```
"""
DONE = "The word is spelt right now. To see it yourself:\n```sh\ncat notes.txt\n```\n"


@asynccontextmanager
async def small(tmp_path: Path, turns: Sequence[Turn], **settings: Any) -> AsyncGenerator[Stage]:
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    (folder / "notes.txt").write_text("helo\n")
    async with stage(tmp_path, turns, format="small", providers={"small": SMALL}, **settings) as s:
        yield s


def heard(s: Stage, number: int = -1) -> str:
    """What the model read last."""
    latest = s.body(number)["messages"][-1]
    assert latest["role"] == "user"
    return str(latest["content"])


@pytest.mark.deep
@pytest.mark.proves("H19")
@pytest.mark.parametrize("chunk", [0, 1])
async def test_a_task_is_done_by_run_blocks(tmp_path: Path, chunk: int) -> None:
    turns = [Turn(text=text, chunk=chunk) for text in (LOOK, FIX, DONE)]
    async with small(tmp_path, turns) as s:
        outcome = await s.run("Correct the spelling in notes.txt.")
        assert (outcome.reason, outcome.final) == ("completed", DONE)
        assert (s.cwd / "notes.txt").read_text() == "hello\n"
        assert [one.name for one in s.events(ToolStarted)] == ["shell", "apply_patch"]
        bodies = [s.body(number) for number in range(3)]
        assert all("tools" not in body for body in bodies)
        assert "```run sh" in bodies[0]["messages"][0]["content"]
        assert heard(s, 1).startswith("[result of sh: ok]\nExit code: 0\n")
        assert "helo\n[end of result]" in heard(s, 1)
        assert heard(s).startswith("[result of apply_patch: ok]\n")
        assert bodies[2]["messages"][-4]["content"] == LOOK.rstrip("\n")
        assert bodies[2]["messages"][-2]["content"] == FIX.rstrip("\n")


@pytest.mark.deep
@pytest.mark.proves("H19")
async def test_the_person_is_asked_and_a_no_reaches_the_model(tmp_path: Path) -> None:
    block = "```run sh\necho {} >> notes.txt\n```"
    turns = [
        Turn(text=block.format("no")),
        Turn(text=block.format("yes")),
        Turn(text="Done."),
    ]
    async with small(tmp_path, turns, mode="ask", interactive=True) as s:
        async with anyio.create_task_group() as group:
            group.start_soon(s.run, "Write it.")
            await s.until(PermissionRequested)
            first = s.events(PermissionRequested)[0]
            assert "echo no >> notes.txt" in first.action
            await s.session.send(Deny(request_id=first.request_id, message="Say yes instead."))
            await s.until(PermissionRequested, 2)
            second = s.events(PermissionRequested)[1]
            await s.session.send(Approve(request_id=second.request_id))
        assert (s.cwd / "notes.txt").read_text() == "helo\nyes\n"
        denied = heard(s, 1)
        assert denied.startswith("[result of sh: failed]\n")
        assert "Say yes instead." in denied


@pytest.mark.proves("H19")
async def test_a_rule_holds_for_a_run_block(tmp_path: Path) -> None:
    turns = [Turn(text="```run sh\nrm notes.txt\n```"), Turn(text="Well.")]
    rules = {"deny": ["shell(rm *)"]}
    async with small(tmp_path, turns, permissions=rules) as s:
        await s.run("Remove it.")
        assert (s.cwd / "notes.txt").exists()
        assert len(s.events(PermissionBlocked)) == 1
        assert heard(s).startswith("[result of sh: failed]\n")


@pytest.mark.deep
@pytest.mark.proves("H19")
async def test_a_command_gets_300_seconds_and_no_more(tmp_path: Path) -> None:
    longer = '```run shell\n{"command": "true", "timeout": 600}\n```'
    turns = [Turn(text=f"```run sh\ntrue\n```\n{longer}"), Turn(text="Done.")]
    async with small(tmp_path, turns) as s:
        await s.run()
        asked = [json.loads(one.arguments) for one in s.events(ToolStarted)]
        assert [one["timeout"] for one in asked] == [300, 300]


@pytest.mark.deep
async def test_a_command_that_takes_too_long_is_ended_and_told(tmp_path: Path) -> None:
    slow = '```run shell\n{"command": "sleep 60", "timeout": 0.2}\n```'
    async with small(tmp_path, [Turn(text=slow), Turn(text="Done.")]) as s:
        await s.run()
        assert "timed out" in heard(s)


@pytest.mark.proves("H19")
async def test_a_block_that_was_cut_off_does_nothing_and_the_model_is_told(tmp_path: Path) -> None:
    cut = "```run sh\nrm notes.txt"
    turns = [Turn(text=cut, stop="length"), Turn(text=cut), Turn(text="Done.")]
    async with small(tmp_path, turns) as s:
        outcome = await s.run()
        assert outcome.final == "Done."
        assert (s.cwd / "notes.txt").exists()
        assert "cut off at the output limit" in heard(s, 1)
        assert "was not closed" in heard(s, 2)
        first = s.events(AgentMessage)[0].message
        assert (first.text, first.calls) == (cut, ())


async def test_a_name_that_is_no_tool_is_told(tmp_path: Path) -> None:
    turns = [Turn(text="```run js\n1 + 1\n```"), Turn(text="Done.")]
    async with small(tmp_path, turns) as s:
        await s.run()
        assert heard(s).startswith("[result of js: failed]\n")


@pytest.mark.proves("H19", "divergences-code-blocks-of-models-without")
async def test_samples_in_an_answer_do_not_run(tmp_path: Path) -> None:
    text = "````\n```run sh\nrm notes.txt\n```\n````\nand\n```sh\nrm notes.txt\n```"
    text += "\nThat removes it."
    async with small(tmp_path, [Turn(text=text)]) as s:
        outcome = await s.run("How would one remove it?")
        assert (outcome.reason, outcome.final) == ("completed", text)
        assert (s.cwd / "notes.txt").exists()
        assert s.events(ToolStarted) == []


@pytest.mark.proves("H19")
async def test_a_sample_for_a_first_reply_is_taken_for_an_answer_only_when_repeated(
    tmp_path: Path,
) -> None:
    sample = "I remove it.\n```bash\nrm notes.txt\n```"
    async with small(tmp_path, [Turn(text=sample), Turn(text=sample)]) as s:
        outcome = await s.run("Remove it.")
        assert (outcome.reason, outcome.final) == ("completed", sample)
        assert heard(s).startswith("[nothing ran]\n```bash does not run.")
        assert s.body(1)["messages"][-2]["content"] == sample
        assert (s.cwd / "notes.txt").exists()


@pytest.mark.proves("H19")
async def test_after_made_up_results_the_model_reads_the_true_ones(tmp_path: Path) -> None:
    made_up = f"{LOOK}\n[result of sh: ok]\nhello\n[end of result]\n\nIt is right already."
    async with small(tmp_path, [Turn(text=made_up), Turn(text="Done.")]) as s:
        await s.run("Correct the spelling in notes.txt.")
        assert s.body(1)["messages"][-2]["content"] == LOOK.rstrip("\n")
        assert "helo\n[end of result]" in heard(s)


@pytest.mark.proves("H19")
@pytest.mark.parametrize("pace", [0.0, pytest.param(0.05, marks=pytest.mark.deep)])
async def test_the_answer_of_a_tool_is_the_answer_of_the_run(tmp_path: Path, pace: float) -> None:
    text = '```run done\n{"answer": "It is right."}\n```\n\nThat is all there is to say.'
    async with small(tmp_path, [Turn(text=text, chunk=12, pace_seconds=pace)]) as s:
        outcome = await s.run("Is it right?")
        assert (outcome.reason, outcome.final) == ("completed", "It is right.")
