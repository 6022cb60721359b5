"""The pictures of the full-screen face in ``docs/pictures``, from real runs of the demo.

``python -m tests.tui.documented`` draws them anew.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import anyio
from textual.pilot import Pilot

from ouroboros.app.config.layers import load
from ouroboros.app.demo import fix
from ouroboros.app.hub import Outfit
from ouroboros.core.commands import Submit
from ouroboros.faces.tui.app import OuroApp
from ouroboros.faces.tui.start import Left, Start
from tests.tui.pictures import picture
from tests.tui.screen_stage import settled, shown, until

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SIZE, SMALL = (116, 32), (40, 10)
HERE = Path(tempfile.gettempdir()) / "demo"


async def draw(app: OuroApp, name: str) -> None:
    """Keeps what is on the screen."""
    await anyio.Path(FOLDER / f"{name}.svg").write_text(picture(app), "utf-8")


async def started(folder: Path, theme: str) -> tuple[Start, str]:
    """The demo in a folder, and what it is told to do."""
    environment = {
        "HOME": str(folder),
        "OUROBOROS_HOME": str(folder / "home"),
        "PATH": os.environ["PATH"],
        "SHELL": "/bin/sh",
    }
    unpacked = await fix.unpack(folder, environment)
    flags: dict[str, object] = {"model": unpacked.model, "mode": "ask", "tui.theme": theme}
    loaded = await anyio.to_thread.run_sync(load, unpacked.cwd, environment, flags, "")
    start = Start(
        loaded=loaded,
        environment=environment,
        cwd=unpacked.cwd,
        outfit=lambda: Outfit(environment=environment, cwd=unpacked.cwd, flags=flags),
    )
    return start, unpacked.prompt


async def answer_all(app: OuroApp, pilot: Pilot[Left]) -> None:
    """Says yes by keys until the run is over."""
    room = app.room
    assert room is not None
    while room.running:
        if app.cards.card is not None and app.cards.card.has_keys:
            await pilot.press("y")
        await pilot.pause(0.05)
    await settled(pilot)


async def main() -> None:
    """Draws all of them; the names of interpreter and folder are those that anybody may have."""
    sys.executable = "python"
    await anyio.Path(FOLDER).mkdir(exist_ok=True)
    for theme in ("dark", "light"):
        HERE.mkdir()
        try:
            await drawn(HERE, theme)
        finally:
            shutil.rmtree(HERE)


async def drawn(folder: Path, theme: str) -> None:
    """One run of the demo in this theme."""
    start, words = await started(folder, theme)
    async with shown(start, size=SIZE) as (app, pilot):
        app.send(Submit(text=words))
        await until(app, pilot, "permission.requested")
        await pilot.pause(1)
        if theme == "dark":
            await draw(app, "tui-approval")
            await pilot.resize_terminal(*SMALL)
            await settled(pilot)
            await draw(app, "tui-small")
            await pilot.resize_terminal(*SIZE)
        await answer_all(app, pilot)
        await draw(app, f"tui-{theme}")


if __name__ == "__main__":
    anyio.run(main)
