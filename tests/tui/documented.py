"""The pictures of the full-screen face in ``docs/pictures``, from real runs of the demo.

``python -m tests.tui.documented`` draws them anew.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

import anyio
from textual.pilot import Pilot

from ouroboros.app.config.layers import load
from ouroboros.app.demo import fix
from ouroboros.app.hub import Outfit
from ouroboros.core.commands import Approve, Submit
from ouroboros.faces.tui.app import OuroApp
from ouroboros.faces.tui.start import Left, Start
from tests.tui.pictures import picture
from tests.tui.screen_stage import settled, shown, until

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SIZE = (100, 32)
HERE = "/home/me/parcel"
_LENGTH = re.compile(r"(<text [^>]*?)( textLength=\"[^\"]*\")([^>]*>[^<]*)")


async def draw(app: OuroApp, name: str, *places: str) -> None:
    """Keeps what is on the screen, without the names of folders of this machine."""
    drawn = picture(app)
    for place, name_of_it in ((sys.executable, "python"), *((each, HERE) for each in places)):
        drawn = _LENGTH.sub(lambda found, place=place: _free(found, place), drawn)
        drawn = drawn.replace(place, name_of_it)
    await anyio.Path(FOLDER / f"{name}.svg").write_text(drawn, "utf-8")


def _free(found: re.Match[str], place: str) -> str:
    """A text element without its length where its words are about to change."""
    return found[1] + found[3] if place in found[3] else found[0]


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
    """Says yes until the run is over."""
    room = app.room
    assert room is not None
    while room.running:
        for asked in list(room.state.approvals):
            await room.send(Approve(request_id=asked))
        await pilot.pause(0.05)
    await settled(pilot)


async def main() -> None:
    """Draws all of them."""
    await anyio.Path(FOLDER).mkdir(exist_ok=True)
    for theme in ("dark", "light"):
        with tempfile.TemporaryDirectory() as place:
            start, words = await started(Path(place), theme)
            async with shown(start, size=SIZE) as (app, pilot):
                room = app.room
                assert room is not None
                app.send(Submit(text=words))
                await until(app, pilot, "permission.requested")
                await pilot.pause(1)
                if theme == "dark":
                    await draw(app, "tui-approval", str(start.cwd), place)
                await answer_all(app, pilot)
                await draw(app, f"tui-{theme}", str(start.cwd), place)


if __name__ == "__main__":
    anyio.run(main)
