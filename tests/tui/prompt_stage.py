"""The prompt alone on a screen, and what it tells the application."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from ouroboros.app.config.layers import Loaded, load
from ouroboros.app.hub import Hub, Room
from ouroboros.faces.tui.keys import bound
from ouroboros.faces.tui.prompt.saying import Escaped, Line, Said
from ouroboros.faces.tui.prompt.widget import Prompt
from ouroboros.faces.wording.face import Notice


class Stage(App[int]):
    """Notes all that the prompt says, oldest first."""

    CSS = "Screen { align: left bottom; }"

    def __init__(self, folder: Path, *, flags: Mapping[str, object]) -> None:
        super().__init__()
        (folder / "work").mkdir(exist_ok=True)
        self.cwd = folder / "work"
        self.environment: Mapping[str, str] = {
            "HOME": str(folder),
            "OUROBOROS_HOME": str(folder / "home"),
            "PATH": "/usr/bin:/bin",
        }
        self.loaded: Loaded = load(self.cwd, dict(self.environment), dict(flags), "")
        self.keys = bound(self.loaded.settings.tui.keys)
        self.hub: Hub | None = None
        self.room: Room | None = None
        self.said: list[str] = []
        self.told: list[Notice] = []
        self.prompt = Prompt(self, id="prompt")

    def compose(self) -> ComposeResult:
        yield self.prompt

    def on_mount(self) -> None:
        self.prompt.focus()

    def tell(self, told: Notice) -> None:
        self.told.append(told)

    async def switch(self, session: str) -> None:
        self.said.append(f"switch {session}")

    def leave(self, code: int = 0) -> None:
        self.said.append(f"leave {code}")

    def on_prompt_said(self, message: Said) -> None:
        self.said.append(f"{message.how}: {message.text}")

    def on_prompt_line(self, message: Line) -> None:
        self.said.append(f"line: {message.text}")

    def on_prompt_escaped(self, message: Escaped) -> None:
        self.said.append("escaped twice" if message.twice else "escaped")

    def on_prompt_mode_next(self) -> None:
        self.said.append("mode next")

    @property
    def rows(self) -> list[str]:
        """What is on the screen, without the blanks at the ends."""
        strips = self.screen._compositor.render_strips()
        return ["".join(part.text for part in strip).rstrip() for strip in strips]


@asynccontextmanager
async def staged(
    folder: Path, *, size: tuple[int, int] = (80, 24), **flags: object
) -> AsyncGenerator[tuple[Stage, Pilot[int]]]:
    """The stage while it is shown; ``flags`` are settings, with ``__`` for each dot."""
    given = {name.replace("__", "."): value for name, value in flags.items()}
    stage = Stage(folder, flags=given)
    async with stage.run_test(size=size) as pilot:
        await pilot.pause()
        yield stage, pilot


async def type_in(pilot: Pilot[int], text: str) -> None:
    """Presses a key for each character."""
    await pilot.press(*text)
