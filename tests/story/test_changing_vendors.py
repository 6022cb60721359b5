"""A session goes over to another vendor and back: its history goes with it, thoughts stay at home."""

from pathlib import Path

import pytest

from ouroboros.core.commands import SetModel
from ouroboros.llm.protocols import NAMES
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, call, stage
from tests.wire.body_readers import Step, read

MODELS = {
    "bedrock-converse": "anthropic.claude-x",
    "bedrock-invoke-stream": "anthropic.claude-x",
    "gemini": "gemini-x",
}
PATHS = {"openai-chat": "/v1", "openai-responses": "/v1", "gemini": "/v1beta"}
RING = set(zip(NAMES, (*NAMES[1:], NAMES[0]), strict=True))
QUICK = {("openai-responses", "anthropic-messages")}


def tier(first: str, second: str) -> list[pytest.MarkDecorator]:
    """One pair is tried every time."""
    if (first, second) in QUICK:
        return []
    return [pytest.mark.deep if (first, second) in RING else pytest.mark.soak]


PAIRS = [
    pytest.param(first, second, marks=tier(first, second))
    for first in NAMES
    for second in NAMES
    if first != second
]
"""Every pair; each format once as the first and once as the second in the deep tests."""


def model(name: str) -> str:
    return f"my-{name}/{MODELS.get(name, 'scripted')}"


def sent(s: Stage, protocol: str) -> list[Step]:
    return read(protocol, s.server.exchanges[-1].body.encode())


def results(steps: list[Step]) -> list[str]:
    return [step.text.split("\n")[-2] for step in steps if step.kind == "result"]


@pytest.mark.proves("H24")
@pytest.mark.parametrize(("first", "second"), PAIRS)
async def test_after_five_turns_another_vendor_knows_all_that_was_done(
    tmp_path: Path, first: str, second: str
) -> None:
    turns: list[Turn] = []
    for number in range(7):
        run = call("shell", command=f"echo out{number}")
        turns += [
            Turn(reasoning=f"thought{number}", tool_calls=(run,)),
            Turn(text=f"Done {number}."),
        ]
    providers = {
        f"my-{name}": {
            "base_url": f"{{server}}{PATHS.get(name, '')}",
            "protocol": name,
            "auth": "none",
        }
        for name in (first, second)
    }
    async with stage(tmp_path, turns, model=model(first), providers=providers, check=False) as s:
        for number in range(5):
            await s.run(f"Task {number}")
        await s.session.send(SetModel(model=model(second)))
        assert (await s.run("Task 5")).final == "Done 5."
        steps = sent(s, second)
        assert results(steps) == [f"out{number}" for number in range(6)]
        words = [step.text for step in steps if (step.role, step.kind) == ("assistant", "words")]
        assert words == [f"Done {number}." for number in range(5)]
        assert [step.name for step in steps if step.kind == "call"] == ["shell"] * 6
        assert sum(step.kind == "thought" for step in steps) <= 1
        await s.session.send(SetModel(model=model(first)))
        assert (await s.run("Task 6")).final == "Done 6."
        assert results(sent(s, first)) == [f"out{number}" for number in range(7)]


@pytest.mark.deep
@pytest.mark.proves("D30")
async def test_tools_go_by_the_names_a_vendor_knows(tmp_path: Path) -> None:
    habits = {
        "base_url": "http://127.0.0.1:9/v1",
        "auth": "none",
        "dialect": {"tool_names": "capitalised"},
    }
    turns = [
        Turn(tool_calls=(call("Bash", command="echo hi"), call("read", path="a.txt"))),
        Turn(text="Done."),
    ]
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_text("a")
    deny = {"deny": ["shell(rm *)"]}
    async with stage(
        tmp_path, turns, format="titled", providers={"titled": habits}, permissions=deny
    ) as s:
        await s.run()
        told = {tool["function"]["name"] for tool in s.body(0)["tools"]}
        assert {"Read", "Edit", "Write", "Glob", "apply_patch", "Bash"} <= told
        assert not {"shell", "exec_command", "read", "edit", "write", "find"} & told
        calls = s.body()["messages"][-3]["tool_calls"]
        assert [made["function"]["name"] for made in calls] == ["Bash", "Read"]
        assert [result.status for result in s.results.values()] == ["done", "done"]
