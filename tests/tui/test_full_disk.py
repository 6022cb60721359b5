"""A disk on which nothing has room: said in words, and gone on with once there is."""

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from ouroboros.app.hub import hub
from ouroboros.faces.tui.app import OuroApp
from tests.small_disk import fill, mounted
from tests.tui.calm import Calm
from tests.tui.pictures import text
from tests.tui.prompt_stage import keys
from tests.tui.screen_stage import SECONDS, sees, settled, shown, started, turns

WAITS = {
    "text": "word " * 400,
    "tool_calls": [
        {"name": "shell", "arguments": {"command": "while [ ! -e go ]; do sleep 0.02; done"}}
    ],
}


@pytest.fixture
def small_home(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "home", mebibytes=2) as disk:
        yield disk


def filled(disk: Path) -> Path:
    """Leaves no room."""
    fill(disk / "ballast")
    return disk / "ballast"


@pytest.mark.deep
@pytest.mark.proves("interfaces-full-disk-in-the-terminal")
async def test_words_that_cannot_be_kept_are_given_back(tmp_path: Path, small_home: Path) -> None:
    start = started(tmp_path, model=turns(tmp_path, {"text": "There is room."}))
    async with shown(start) as (app, pilot):
        ballast = filled(small_home)
        await keys(pilot, "hello<enter>")
        await sees(app, pilot, "error: No room on the disk", "hello", "Free some space")
        assert not app.prompt.is_at_work
        assert text(app).count("error: ") == 1
        ballast.unlink()
        await keys(pilot, "<enter>")
        await sees(app, pilot, "There is room.")


@pytest.mark.deep
@pytest.mark.proves("interfaces-full-disk-in-the-terminal")
async def test_a_run_that_dies_says_so_and_the_prompt_is_free(
    tmp_path: Path, small_home: Path
) -> None:
    start = started(tmp_path, model=turns(tmp_path, WAITS, {"text": "It is kept."}))
    async with shown(start) as (app, pilot):
        await keys(pilot, "hello<enter>")
        await sees(app, pilot, "word word", "while [ ! -e go ]")
        filled(small_home)
        (start.cwd / "go").touch()
        await sees(app, pilot, "error: No room on the disk")
        with anyio.fail_after(SECONDS):
            while app.prompt.is_at_work:
                await pilot.pause(0.01)
        await settled(pilot)
        assert text(app).count("error: ") == 1


@pytest.mark.proves("interfaces-full-disk-in-the-terminal")
async def test_on_a_full_disk_the_next_words_try_again_to_open_a_session(
    tmp_path: Path, small_home: Path
) -> None:
    start = started(tmp_path, model=turns(tmp_path, {"text": "There is room."}))
    app = OuroApp(start)
    ballast = filled(small_home)
    assert start.outfit is not None
    async with hub(start.outfit()) as opened, app.run_test(size=(80, 24)):
        pilot = Calm(app)
        await app.opening.open(opened)
        await sees(app, pilot, "error: No room on the disk")
        await keys(pilot, "hello<enter>")
        await sees(app, pilot, "hello")
        assert app.room is None
        ballast.unlink()
        await keys(pilot, "<enter>")
        await sees(app, pilot, "There is room.")
