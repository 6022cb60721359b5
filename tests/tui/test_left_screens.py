"""Screens that are left while they still read what they would show."""

import asyncio
from collections.abc import Callable
from itertools import count, takewhile
from pathlib import Path

import anyio
import pytest
from textual.app import App, ComposeResult

from ouroboros.faces.tui.parts.select import Select
from ouroboros.faces.tui.screens.frame import Framed
from tests.tui.calm import Calm
from tests.tui.screen_stage import shown, started


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


class Staying(Framed[None]):
    """Looks for its list so many turns of the loop after the program began to end."""

    def __init__(self, turns: int, is_running: Callable[[], bool]) -> None:
        super().__init__()
        self._turns, self._is_running = turns, is_running

    def body(self) -> ComposeResult:
        yield Select(id="list")

    def begin(self) -> None:
        self.run_worker(self._read())

    async def _read(self) -> None:
        for _ in takewhile(lambda _: self._is_running(), count()):
            await asyncio.sleep(0)
        for _ in range(self._turns):
            await asyncio.sleep(0)
        self.query_one(Select).show([])


@pytest.mark.deep
async def test_what_is_read_when_the_program_ends_harms_nobody(tmp_path: Path) -> None:
    for turns in (1, 2, 3, 5, 8, 12, 16, 20, 30, 40, 60, 90):
        folder = tmp_path / str(turns)
        folder.mkdir()
        async with shown(started(folder, model="echo")) as (app, pilot):
            app.push_screen(Staying(turns, lambda app=app: app.is_running))
            await pilot.pause()
        assert app.failure is None, turns
