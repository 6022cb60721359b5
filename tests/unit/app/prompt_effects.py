"""What the settings of the full-screen prompt change in it."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from ouroboros.faces.tui.prompt.outside import _edited
from ouroboros.faces.wording.face import Notice
from tests.tui.prompt_stage import keys, staged

type Effect = Callable[[Path], Awaitable[None]]


async def vim(folder: Path) -> None:
    for is_on, line in ((True, "o|ne"), (False, "oneh|")):
        async with staged(folder, tui__vim=is_on) as (stage, pilot):
            await keys(pilot, "one<escape>h")
            assert stage.line == line


async def own_keys(folder: Path) -> None:
    own: dict[str, Any] = {"tui.keys.undo": ["ctrl+r"]}
    async with staged(folder, **own) as (stage, pilot):
        await keys(pilot, "one<ctrl+r>")
        assert stage.line == "|"


async def editor(folder: Path) -> None:
    async with staged(folder, tui__editor="/nowhere/at-all") as (stage, _):
        told = await _edited(stage, "kept")  # a headless screen cannot be given away
        assert isinstance(told, Notice)
        assert told.text == "error: there is no editor '/nowhere/at-all'"


PROMPT_EFFECTS: dict[str, Effect] = {
    "tui.vim": vim,
    "tui.keys": own_keys,
    "tui.editor": editor,
}
