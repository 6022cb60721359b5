"""Pictures of a screen, kept as SVG beside the tests: one that differs fails, and says where it is.

``just snap tests/tui`` accepts the new ones, which a person then looks at in the diff.
"""

import itertools
import re
from pathlib import Path

import anyio
import anyio.to_thread
from textual.app import App

DRAWN = Path(__file__).with_name("drawn")
SECONDS = 20.0
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_NUMBER = re.compile(r"terminal-\d+")


def picture[Result](app: App[Result]) -> str:
    """What is on the screen, the same on each machine and without anything from outside."""
    drawn = _FONTS.sub("", app.export_screenshot(title="ouro", simplify=True))
    lines = _NUMBER.sub("terminal", drawn).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip() + "\n"


def text[Result](app: App[Result]) -> str:
    """The characters that are on the screen, line by line."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(part.text for part in strip).rstrip() for strip in strips)


class Album:
    """The kept pictures of the tests."""

    def __init__(self, folder: Path, *, accepts: bool) -> None:
        """``accepts``: a picture that differs takes the place of the kept one."""
        self._folder, self._accepts = folder, accepts

    async def check[Result](self, app: App[Result], name: str) -> None:
        """Fails unless the screen comes to look as it was kept."""
        kept = DRAWN / f"{name}.svg"
        if self._accepts:
            await anyio.to_thread.run_sync(_keep, kept, picture(app))
            return
        wanted = await anyio.to_thread.run_sync(_kept, kept)
        with anyio.move_on_after(SECONDS):
            for pause in itertools.repeat(0.05):
                if picture(app) == wanted:
                    return
                await anyio.sleep(pause)
        other = self._folder / f"{name}.svg"
        await anyio.to_thread.run_sync(_keep, other, picture(app))
        raise AssertionError(f"{kept} is not what is drawn: {other}\n{text(app)}")


def _kept(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


def _keep(path: Path, drawn: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(drawn, "utf-8")
