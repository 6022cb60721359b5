"""Screens that are left while they still read what they would show."""

import asyncio

import anyio
from textual.app import App, ComposeResult

from ouroboros.faces.tui.parts.select import Select
from ouroboros.faces.tui.screens.frame import Framed
from tests.tui.calm import Calm


class Small(App[None]):
    """What a screen asks of the application."""


class Reading(Framed[None]):
    """Leaves, and looks for its list so many turns of the loop later."""

    def __init__(self, turns: int) -> None:
        super().__init__()
        self._turns = turns

    def body(self) -> ComposeResult:
        yield Select(id="list")

    def begin(self) -> None:
        self.run_worker(self._read())

    async def _read(self) -> None:
        self.dismiss(None)
        for _ in range(self._turns):
            await asyncio.sleep(0)
        self.query_one(Select).show([])


async def test_what_is_read_when_a_screen_was_left_harms_nobody() -> None:
    app = Small()
    async with app.run_test():
        pilot = Calm(app)
        with anyio.fail_after(60):
            for turns in (1, 2, 3, 5, 8, 12, 16, 20, 30, 40, 60, 90):
                app.push_screen(Reading(turns))
                await pilot.pause()
                while len(app.screen_stack) > 1 and app._exception is None:
                    await pilot.pause(0.01)
                assert app._exception is None
