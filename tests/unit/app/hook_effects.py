"""What the setting of hooks does to a run."""

from pathlib import Path

from ouroboros.core.events.hooks import HookFinished
from ouroboros.llm.turns import Turn
from tests.story.stage import stage


async def hooks(folder: Path) -> None:
    table = {"Stop": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}
    async with stage(folder, [Turn(text="done")], hooks=table) as s:
        await s.run("hello")
        assert [each.event for each in s.events(HookFinished)] == ["Stop"]


HOOK_EFFECTS = {"hooks": hooks}
