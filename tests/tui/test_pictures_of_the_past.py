"""What the lists of sessions and of turns look like, on a day that stands still."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import time_machine

from ouroboros.core.commands import Submit
from ouroboros.faces.tui.parts.select import Select
from ouroboros.faces.tui.screens.sessions import SessionPicker
from tests.tui.pictures import Album
from tests.tui.small_app import small
from tests.tui.test_rewind_screen import TURNS, opened, worked
from tests.tui.test_session_screens import replies

DAY = datetime(2026, 3, 4, 12, 30, tzinfo=ZoneInfo("UTC"))


@pytest.mark.proves("V23")
@pytest.mark.parametrize("size", [(69, 16), pytest.param((40, 10), marks=pytest.mark.deep)])
async def test_the_list_of_sessions(album: Album, tmp_path: Path, size: tuple[int, int]) -> None:
    with time_machine.travel(DAY, tick=False) as clock:
        async with small(tmp_path, replies("A lemon tart.", "Walruses."), size=size) as s:
            for words in ("What is yellow and sour?", "Who has tusks?"):
                room = await s.hub.open()
                await room.send(Submit(text=words))
                await s.until(lambda room=room: not room.running)
                await s.hub.close(room.id)
                clock.shift(60)
            s.app.open(SessionPicker("tusks"))
            await s.sees("Who has tusks?")
            await s.until(lambda: len(s.app.screen.query_one(Select).picks) == 1)
            await s.press("backspace", *["backspace"] * 4)
            await s.until(lambda: len(s.app.screen.query_one(Select).picks) == 2)
            await s.sees("> 2026-03-04 12:31")
            await album.check(s.app, f"screen-sessions-{size[0]}")


@pytest.mark.deep
@pytest.mark.parametrize("size", [(100, 24), pytest.param((40, 10), marks=pytest.mark.deep)])
async def test_the_turns_to_go_back_to(album: Album, tmp_path: Path, size: tuple[int, int]) -> None:
    with time_machine.travel(DAY, tick=False):
        async with small(tmp_path, TURNS, mode="full-auto", size=size) as s:
            await worked(s)
            await opened(s)
            await s.press("down")
            await s.sees("+ two" if size[0] > 70 else "> 2 change it")
            await album.check(s.app, f"screen-rewind-{size[0]}")
            await s.press("enter")
            await s.sees("Going back: ")
            await album.check(s.app, f"screen-rewind-ways-{size[0]}")
