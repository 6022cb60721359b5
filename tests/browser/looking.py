"""A person's window on a test's tabs: what it is shown is kept, pictures are acknowledged as a page does."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import msgspec

from ouroboros.browser.capture.casting import Casts
from ouroboros.browser.live.driver import Drivers
from ouroboros.browser.live.ground import Ground
from ouroboros.browser.live.live import Live
from ouroboros.browser.live.window import Window
from ouroboros.browser.plan import Status
from ouroboros.browser.prompts.dialogs import Dialogs
from ouroboros.browser.recovery import Recovery, revive
from ouroboros.browser.tabs import Tabs
from ouroboros.browser.transfer.choosers import Choosers
from ouroboros.browser.transfer.uploads import Uploads
from ouroboros.core.events.envelope import Event
from tests.browser.stage import Stage

SECONDS = 60.0


class Picture(msgspec.Struct):
    """One picture that came: its head, and the JPEG."""

    tab: str
    number: int
    width: float
    height: float
    data: bytes = b""


class Person:
    """One who looks, and does things."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.told: list[dict[str, Any]] = []
        self.pictures: list[Picture] = []
        self.acknowledges = True
        self._came = anyio.Event()
        self._wishes = 0

    async def read(self) -> None:
        """Takes what comes until it is cancelled."""
        while True:
            said = await self.window.next()
            if isinstance(said, str):
                self.told.append(msgspec.json.decode(said))
            else:
                length = int.from_bytes(said[:4], "big")
                picture = msgspec.json.decode(said[4 : 4 + length], type=Picture)
                picture.data = said[4 + length :]
                self.pictures.append(picture)
                if self.acknowledges:
                    self.window.hear('{"kind":"seen"}')
            self._came.set()
            self._came = anyio.Event()

    def wish(self, kind: str, **fields: object) -> None:
        """Says a wish whose answer nobody waits for."""
        self.window.hear(msgspec.json.encode({"kind": kind, **fields}))

    async def ask(self, kind: str, **fields: object) -> dict[str, Any]:
        """Says a wish and gives its answer."""
        self._wishes += 1
        id = f"w{self._wishes}"
        self.wish(kind, id=id, **fields)
        return await self.hear(lambda said: said.get("id") == id)

    async def hear(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message that fits, now or soon."""
        await self.until(lambda: any(fits(said) for said in self.told))
        return next(said for said in self.told if fits(said))

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits until something holds, looking after everything that comes."""
        with anyio.fail_after(SECONDS):
            while not holds():
                await self._came.wait()

    async def look(
        self, tab: str, *, rate: float = 30, width: int = 640, height: int = 400
    ) -> None:
        """Has a tab in view and waits for its first picture."""
        before = len(self.pictures)
        view = {"tab": tab, "width": width, "height": height, "rate": rate}
        self.wish("watch", views=[view])
        await self.until(lambda: any(p.tab == tab for p in self.pictures[before:]))

    def state(self, tab: str) -> dict[str, Any]:
        """The newest that was told of a tab."""
        found: dict[str, Any] = {}
        for said in self.told:
            if said["kind"] == "hello":
                found = next((each for each in said["tabs"] if each["id"] == tab), found)
            if said["kind"] == "tab:updated" and said["tab"]["id"] == tab:
                found = said["tab"]
        return found


class Gallery:
    """The live view of a test's tabs."""

    def __init__(self, live: Live, events: list[Event]) -> None:
        self.live, self.events = live, events
        self.drivers, self.casts = live.ground.drivers, live.ground.casts
        self.named: list[str] = []

    @asynccontextmanager
    async def person(self, id: str = "window-1") -> AsyncGenerator[Person]:
        """Somebody looks until the end of the block."""
        async with self.live.viewer(id) as window, anyio.create_task_group() as tasks:
            person = Person(window)
            tasks.start_soon(person.read)
            await person.hear(lambda said: said["kind"] == "hello")
            yield person
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def gallery(
    stage: Stage, folder: Path, *, is_theirs: bool = False, grace_seconds: float = 120.0
) -> AsyncGenerator[Gallery]:
    """A live view over the stage's tabs; files may be handed in from ``folder``."""
    events: list[Event] = []
    dialogs, choosers = Dialogs(events.append), Choosers()
    await dialogs.begin(stage.connection, stage.tabs)
    await choosers.begin(stage.connection, stage.tabs)
    named: list[str] = []

    async def tabs() -> Tabs:
        return stage.tabs

    async def recover() -> Recovery:
        return await revive(stage.tabs)

    ground = Ground(
        tabs=tabs,
        recover=recover,
        status=lambda: Status(state="running", mode="managed"),
        named=named.append,
        is_theirs=is_theirs,
        casts=Casts(),
        drivers=Drivers(events.append),
        dialogs=dialogs,
        choosers=choosers,
        uploads=Uploads((folder,)),
    )
    live = Live(ground, grace_seconds=grace_seconds)
    await live.begin(stage.connection, stage.tabs)
    made = Gallery(live, events)
    made.named = named
    async with live:
        yield made
