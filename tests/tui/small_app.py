"""A real engine behind a screen that holds no more than what is tested: cards, a line, other screens."""

import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from ouroboros.app.hub import Hub, Outfit, Room, hub
from ouroboros.core.commands import Command, Submit
from ouroboros.core.events import Envelope
from ouroboros.faces.slashes.table import SLASHES, Slash
from ouroboros.faces.tui.cards.slot import CardSlot
from ouroboros.faces.tui.keys import Keys
from ouroboros.faces.wording.face import Notice
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving
from tests.tui.calm import Calm


class SmallApp(App[None]):
    """What cards and screens ask of the application, over a real hub."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, hub: Hub, room: Room, *, guard_seconds: float = 0.0) -> None:
        super().__init__()
        self.hub, self.room = hub, room
        self.loaded = hub.outfit.loaded(hub.outfit.cwd)
        self.keys = Keys()
        self.cwd = hub.outfit.cwd
        self.environment = hub.outfit.environment
        self.slashes: Mapping[str, Slash] = SLASHES
        self.told: list[Notice] = []
        self.switched: list[str] = []
        self.results: list[object] = []
        self._guard_seconds = guard_seconds

    def compose(self) -> ComposeResult:
        yield VerticalScroll(can_focus=False)
        yield CardSlot(guard_seconds=self._guard_seconds)
        yield Input(id="line", compact=True)

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self.room.listen(self.take)
        self.slot.sync(self.room.state)

    def on_key(self, event: Key) -> None:
        if self.keys.action(event.key, "app") == "answer":
            self.slot.answer()

    @property
    def slot(self) -> CardSlot:
        return self.screen_stack[0].query_one(CardSlot)

    @property
    def line(self) -> Input:
        return self.screen_stack[0].query_one("#line", Input)

    def take(self, envelope: Envelope) -> None:
        if self.is_running:
            self.call_later(self.slot.take, envelope)  # on the application's own loop

    def tell(self, told: Notice) -> None:
        self.told.append(told)

    async def switch(self, session: str) -> None:
        self.switched.append(session)

    def leave(self, code: int = 0) -> None:
        self.exit(return_code=code)

    def open(self, screen: Screen[Any]) -> None:
        """Shows a screen; what it ends with is kept."""
        self.call_later(self.push_screen, screen, self.results.append)


class Sent:
    """A room that remembers what was sent to it, and sends it on."""

    def __init__(self, room: Room) -> None:
        self._send = room.send
        self.commands: list[Command] = []

    async def __call__(self, command: Command) -> None:
        self.commands.append(command)
        await self._send(command)


class Small:
    """One person at one screen."""

    def __init__(self, app: SmallApp, pilot: Pilot[None], sent: Sent) -> None:
        self.app, self.pilot, self._sent = app, pilot, sent
        self.room, self.hub = app.room, app.hub

    @property
    def commands(self) -> list[Command]:
        """What the person's keys made of themselves, without what the test said."""
        return [each for each in self._sent.commands if not isinstance(each, Submit)]

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        await self.press(*text)

    async def until(self, holds: Callable[[], object]) -> None:
        """Waits until something is so."""
        with anyio.fail_after(60):
            while not holds():
                await self.pilot.pause(0.005)

    async def sees(self, *words: str) -> str:
        """Waits until all of the words are on the screen."""
        with anyio.move_on_after(60):
            await self.until(lambda: all(each in self.text() for each in words))
        shown = self.text()
        for each in words:
            assert each in shown, shown
        return shown

    async def asked(self) -> None:
        """Waits until a card has the keys."""
        slot = self.app.slot
        await self.until(lambda: slot.card is not None and slot.card.has_keys)

    async def back(self) -> None:
        """Waits until no other screen is in front, and a card has the keys."""
        await self.until(lambda: len(self.app.screen_stack) == 1)
        await self.asked()

    async def rested(self) -> None:
        """Waits until nothing runs and no card is shown."""
        await self.until(lambda: not self.room.running and self.app.slot.card is None)

    def text(self, of: Widget | None = None) -> str:
        """What is on the screen now."""
        lines = self.app.screen._compositor.render_strips()
        region = of.region if of is not None else self.app.screen.region
        rows = lines[region.y : region.bottom]
        return "\n".join(row.text[region.x : region.right].rstrip() for row in rows)


@asynccontextmanager
async def small(
    tmp_path: Path,
    turns: Sequence[Turn] = (),
    *,
    size: tuple[int, int] = (80, 24),
    guard_seconds: float = 0.0,
    environment: dict[str, str] | None = None,
    **settings: Any,
) -> AsyncGenerator[Small]:
    """A session of a hub against a scripted server, on a screen of that size."""
    folder, home = tmp_path / "work", tmp_path / "home"
    folder.mkdir(exist_ok=True)
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "SHELL": "/bin/sh",
        "OUROBOROS_HOME": str(home),
        **(environment or {}),
    }
    async with serving(turns) as server:
        usual = {"base_url": server.url, "model": "openai-chat/scripted", "mode": "ask"}
        flags = {name: value or None for name, value in {**usual, **settings}.items()}
        outfit = Outfit(environment=variables, cwd=folder, flags=flags)
        async with hub(outfit) as opened:
            # Whoever has no model looks at the first start; a session is there all the same.
            room = await opened.open(model="" if flags["model"] else "echo")
            sent = Sent(room)
            room.send = sent
            app = SmallApp(opened, room, guard_seconds=guard_seconds)
            async with app.run_test(size=size):
                yield Small(app, Calm(app), sent)
