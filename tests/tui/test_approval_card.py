"""The approval card by its keys: which command the session is given, and what came of it."""

from pathlib import Path

from ouroboros.core.commands import Approve, Submit
from ouroboros.llm.turns import Turn
from tests.story.stage import call
from tests.tui.small_app import Small, small

DONE = Turn(text="done")
TOUCH = Turn(tool_calls=(call("shell", command="touch made"),))


async def begin(s: Small) -> str:
    """Sets a run off that asks; gives the request."""
    await s.room.send(Submit(text="go"))
    await s.asked()
    return next(iter(s.room.state.approvals))


async def test_yes(tmp_path: Path) -> None:
    async with small(tmp_path, [TOUCH, DONE]) as s:
        request = await begin(s)
        print(s.text())
        await s.press("y")
        await s.rested()
        assert s.commands == [Approve(request_id=request)]
        assert (tmp_path / "work" / "made").exists()
