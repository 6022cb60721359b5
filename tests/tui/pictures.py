"""Pictures of a screen, kept as SVG beside the tests: one that differs fails, and says where it is.

``just snap tests/tui`` accepts the new ones, which a person then looks at in the diff.
"""

import re
from pathlib import Path

import anyio.to_thread
from textual.app import App

DRAWN = Path(__file__).with_name("drawn")
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
        """Fails unless the screen looks as it was kept."""
        await anyio.to_thread.run_sync(self._compare, name, picture(app), text(app))

    def _compare(self, name: str, drawn: str, words: str) -> None:
        kept = DRAWN / f"{name}.svg"
        if self._accepts:
            DRAWN.mkdir(exist_ok=True)
            kept.write_text(drawn, "utf-8")
            return
        if not kept.exists() or kept.read_text("utf-8") != drawn:
            other = self._folder / f"{name}.svg"
            other.write_text(drawn, "utf-8")
            raise AssertionError(f"{kept} is not what is drawn: {other}\n{words}")
