"""Scripts in a session that did not ask for them: found by a search, loaded by their first use."""

import json
from pathlib import Path

import pytest

from ouroboros.llm.turns import Turn
from tests.story.stage import call, stage
from tests.story.test_browser_tools import says, words_of

DONE = Turn(text="Done.")


@pytest.mark.deep
@pytest.mark.proves("D11")
async def test_a_model_finds_and_runs_a_script_without_any_setting(tmp_path: Path) -> None:
    turns = [
        says(call("tool_search", query="run javascript over files", limit=1)),
        says(call("call_tool", name="js", arguments={"code": "await write('a.txt', 'x'); 6 * 7"})),
        says(call("call_tools", code="(await read({path: 'a.txt'})).includes('x')")),
        DONE,
    ]
    async with stage(tmp_path, turns) as opened:
        await opened.run()
        found, answer, over_tools = words_of(opened)
        listed = [
            [tool["function"]["name"] for tool in s["tools"]] for s in map(opened.body, range(4))
        ]
    (tool,) = json.loads(found)["tools"]
    assert tool["name"] == "js"
    assert tool["parameters"]["required"] == ["code"]
    assert "42" in answer
    assert "true" in over_tools
    assert (tmp_path / "work" / "a.txt").read_text() == "x"
    assert listed[0] == listed[3]
    assert "js" not in listed[0]


@pytest.mark.proves("D18", "divergences-tools-that-were-found")
async def test_each_request_extends_the_last_though_tools_were_found(tmp_path: Path) -> None:
    turns = [
        says(call("tool_search", query="edits")),
        says(call("call_tool", name="request_user_input", arguments={"questions": []})),
        DONE,
    ]
    async with stage(tmp_path, turns) as opened:
        await opened.run()
        bodies = [json.dumps(opened.body(number)["messages"])[:-1] for number in range(3)]
        tools = [json.dumps(opened.body(number)["tools"]) for number in range(3)]
    assert bodies[1].startswith(bodies[0])
    assert bodies[2].startswith(bodies[1])
    assert len(set(tools)) == 1


@pytest.mark.proves("D11")
async def test_scripts_that_are_switched_off_are_not_found(tmp_path: Path) -> None:
    turns = [says(call("tool_search", query="javascript")), says(call("js", code="1")), DONE]
    async with stage(tmp_path, turns, tools={"disabled": ["js", "call_tools"]}) as opened:
        await opened.run()
        found, refused = words_of(opened)
    assert json.loads(found)["tools"] == []
    assert "unsupported call: js" in refused
