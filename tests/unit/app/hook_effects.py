"""What the setting of hooks does to a run."""

from pathlib import Path
from typing import Any

from ouroboros.core.events.hooks import HookFinished
from ouroboros.llm.turns import Turn
from tests.story.stage import stage


async def hooks(folder: Path) -> None:
    table = {"Stop": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}
    async with stage(folder, [Turn(text="done")], hooks=table) as s:
        await s.run("hello")
        assert [each.event for each in s.events(HookFinished)] == ["Stop"]


async def managed_hooks_only(folder: Path) -> None:
    table = {"Stop": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}
    settings: dict[str, Any] = {"hooks": table, "managed_hooks_only": True}
    async with stage(folder, [Turn(text="done")], **settings) as s:
        await s.run("hello")
        assert s.events(HookFinished) == []
        assert any("1 hook does not run" in said for said in s.session.warnings)


HOOK_EFFECTS = {"hooks": hooks, "managed_hooks_only": managed_hooks_only}
