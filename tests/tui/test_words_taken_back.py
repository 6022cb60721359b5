"""Whoever goes back has the words in the prompt that they went back to before, to say them another way."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from textual.pilot import Pilot

from ouroboros.faces.tui.app import OuroApp
from ouroboros.faces.tui.parts.select import Select
from ouroboros.faces.tui.screens.rewind import RewindScreen
from ouroboros.faces.tui.start import Left
from tests.tui.pictures import text
from tests.tui.prompt_stage import keys
from tests.tui.screen_stage import shown, started


async def until(app: OuroApp, pilot: Pilot[Left], holds: Callable[[], object]) -> None:
    with anyio.move_on_after(60):
        while not holds():
            await pilot.pause(0.005)
        return
    raise AssertionError(text(app))


async def gone_back(app: OuroApp, pilot: Pilot[Left], way: str, before: str) -> None:
    """To before the older of two turns, on the screen that ``way`` opens."""
    await keys(pilot, way)

    def is_listed() -> bool:
        screen = app.screen
        if not isinstance(screen, RewindScreen):
            return False
        return len(screen.query_one("#turns", Select).picks) == 2

    await until(app, pilot, is_listed)
    await keys(pilot, "2")
    await until(app, pilot, lambda: app.screen.has_class("-asking"))
    await keys(pilot, "c")
    await until(app, pilot, lambda: not isinstance(app.screen, RewindScreen))
    assert app.prompt.text == before
    assert not app.state.tree.turns()


@pytest.mark.proves("K06")
@pytest.mark.parametrize("way", ["<escape><escape>", "/rewind<enter>"])
async def test_the_words_come_back_whole(tmp_path: Path, way: str) -> None:
    said = f"first  line\n{'long ' * 60}end"
    async with shown(started(tmp_path, model="echo")) as (app, pilot):
        for turn, words in enumerate((said, "and on"), 1):
            app.prompt.set_text(words)
            await keys(pilot, "<enter>")
            await until(app, pilot, lambda turn=turn: app.state.turn == turn and rests(app))
        await gone_back(app, pilot, way, said)
        assert app.focused is app.prompt
        await keys(pilot, "!<enter>")
        await until(app, pilot, lambda: [f"{said}!"] == heard(app) and rests(app))


def rests(app: OuroApp) -> bool:
    return app.room is not None and not app.room.running


def heard(app: OuroApp) -> list[str]:
    return [each.text for each in app.state.history if each.role == "user" and each.kind == "plain"]
