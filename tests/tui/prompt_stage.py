"""The prompt alone on a screen, and what it tells the application."""

import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from textual import events
from textual.app import App, ComposeResult
from textual.keys import _character_to_key
from textual.pilot import Pilot

from ouroboros.app.config.layers import Loaded, load
from ouroboros.app.hub import Hub, Room
from ouroboros.faces.slashes.table import SLASHES, Slash
from ouroboros.faces.tui.keys import bound
from ouroboros.faces.tui.prompt.saying import Escaped, Line, Said
from ouroboros.faces.tui.prompt.widget import Prompt
from ouroboros.faces.wording.face import Notice
from tests.tui.calm import Calm
from tests.tui.pictures import text

_KEY = re.compile(r"<([a-z+_0-9]+)>|(.)", re.DOTALL)


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
        self.slashes: Mapping[str, Slash] = SLASHES
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
        """What is on the screen, without rows that are empty."""
        return [line for line in text(self).split("\n") if line]

    @property
    def line(self) -> str:
        """What is typed, with ``|`` where the cursor is."""
        buffer = self.prompt.editor.buffer
        return f"{buffer.text[: buffer.cursor]}|{buffer.text[buffer.cursor :]}"


@asynccontextmanager
async def staged(
    folder: Path, *, size: tuple[int, int] = (80, 24), **flags: object
) -> AsyncGenerator[tuple[Stage, Pilot[int]]]:
    """The stage while it is shown; ``flags`` are settings, with ``__`` for each dot."""
    given = {name.replace("__", "."): value for name, value in flags.items()}
    stage = Stage(folder, flags=given)
    async with stage.run_test(size=size) as pilot:
        calm = Calm(pilot.app)
        await calm.pause()
        yield stage, calm


async def keys(pilot: Pilot[Any], script: str) -> None:
    """Presses what a script says: characters, and keys by their names in ``<>``; all at once."""
    for name, character in _KEY.findall(script):
        key = name or _character_to_key(character)
        typed = character or (" " if name == "space" else None)
        pilot.app.post_message(events.Key(key, typed))
    await pilot.pause()


async def settled[Result](stage: App[Result], pilot: Pilot[Result]) -> None:
    """Waits until nothing is looked for any more."""
    with anyio.fail_after(60):
        while not all(worker.is_finished for worker in stage.workers):
            await pilot.pause(0.005)
    await pilot.pause()
