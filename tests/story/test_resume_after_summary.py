"""Going on with the right session, and with the history it had when it was summarised."""

from pathlib import Path

import pytest

from ouroboros.core.events import ContextCompacted
from ouroboros.llm.turns import ScriptedUsage, Turn
from tests.story.stage import call, stage

FULL = ScriptedUsage(input_uncached=8_000, output_text=100)
LOW = ScriptedUsage(input_uncached=500, output_text=10)


@pytest.mark.proves("codex-6.7")
async def test_the_request_after_resuming_extends_the_one_before(tmp_path: Path) -> None:
    turns = [
        Turn(tool_calls=(call("shell", command="echo one"),), usage=FULL),
        Turn(text="I ran echo.", usage=LOW),
        Turn(text="Looking.", tool_calls=(call("shell", command="echo two"),), usage=LOW),
        Turn(text="Done.", usage=LOW),
    ]
    window = {"window": 10_000}
    async with stage(tmp_path, turns, context=window) as s:
        assert (await s.run("The task")).final == "Done."
        assert len(s.events(ContextCompacted)) == 1
        before, history = s.body()["messages"], list(s.session.state.history)
    async with stage(tmp_path, [Turn(text="More.")], context=window, latest=True) as s:
        assert s.session.state.history == history
        await s.run("And now?")
        after = s.body()["messages"]
        assert after[: len(before)] == before
        assert [m["role"] for m in after[len(before) :]] == ["assistant", "user"]
        assert s.events(ContextCompacted) == []


@pytest.mark.proves("I11")
async def test_continue_takes_the_newest_of_several_sessions_of_the_folder(tmp_path: Path) -> None:
    names: list[str] = []
    for words in ("First", "Second", "Third"):
        async with stage(tmp_path, [Turn(text="ok")]) as s:
            await s.run(words)
            names.append(s.session.id)
    async with stage(tmp_path, [Turn(text="again")], resume=names[0]) as s:
        await s.run("First again")
    async with stage(tmp_path, [Turn(text="ok")], latest=True) as s:
        assert s.session.id == names[0]
    assert len(set(names)) == 3
