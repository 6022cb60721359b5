"""Vendors that number the calls of each reply from zero: every call has its own result for good."""

from pathlib import Path

from msgspec.structs import replace

from ouroboros.core.events import ToolResulted
from ouroboros.llm.turns import Turn
from tests.story.stage import call, stage

DONE = Turn(text="Done.")


async def test_results_stay_with_their_calls_after_resuming(tmp_path: Path) -> None:
    turns = [
        Turn(tool_calls=(replace(call("shell", command=f"echo {word}"), id="call_0"),))
        for word in ("apple", "pear", "plum")
    ]
    async with stage(tmp_path, [*turns, DONE]) as s:
        await s.run()
        assert len({result.call_id for result in s.events(ToolResulted)}) == 3
    async with stage(tmp_path, [DONE], latest=True) as s:
        await s.run("Again")
        said = [m["content"] for m in s.body()["messages"] if m["role"] == "tool"]
        assert [
            next(word for word in ("apple", "pear", "plum") if word in text) for text in said
        ] == ["apple", "pear", "plum"]
