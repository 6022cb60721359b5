"""What the settings of the full-screen face change on the terminal."""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import msgspec
from anyio import create_task_group
from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot

from ouroboros.core.events import TaskCompleted
from ouroboros.core.events.browser import ArtifactKept
from ouroboros.core.events.envelope import Event
from ouroboros.faces.tui.app import OuroApp
from ouroboros.faces.tui.door import _shown
from ouroboros.faces.tui.first import picture as first_picture
from ouroboros.faces.tui.start import Left
from ouroboros.faces.tui.transcript.blocks import Block, Call, Told
from tests.tui.pictures import picture, text
from tests.tui.screen_stage import SECONDS, envelope, shown, started

type Effect = Callable[[Path], Awaitable[None]]

KITTY = {"TERM": "xterm-kitty", "COLORTERM": "truecolor", "KITTY_WINDOW_ID": "1"}
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-the old\n+the new\n"
CALL = re.compile(r"(?:\x1b\][^\a]*)?\a")
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


class Paper(HeadlessDriver):
    """A terminal that keeps what is written to it."""

    def __init__(self, *each: Any, **named: Any) -> None:
        super().__init__(*each, **named)
        self.written = ""

    def write(self, data: str) -> None:
        self.written += data


class Screen:
    """The application without an engine, as the door opens it."""

    def __init__(self, app: OuroApp) -> None:
        self.app, self.pilot = app, Pilot(app)

    @property
    def paper(self) -> Paper:
        paper = self.app._driver
        assert isinstance(paper, Paper)
        return paper

    async def shows(self, block: Block) -> list[str]:
        """The rows of the screen once the block is on it."""
        self.app.transcript.add(block)
        await self.settled()
        return text(self.app).split("\n")

    async def takes(self, event: Event) -> str:
        """What is written because the event was taken in."""
        before = len(self.paper.written)
        self.app.take(envelope(event, seq=1))
        await self.settled()
        return self.paper.written[before:]

    async def settled(self) -> None:
        with anyio.fail_after(SECONDS):
            while self.app.transcript._frame or any(
                not worker.is_finished for worker in self.app.workers
            ):
                await self.pilot.pause(0.005)
        await self.pilot.pause(0.05)


@asynccontextmanager
async def opened(
    folder: Path,
    *,
    size: tuple[int, int] = (80, 24),
    environment: dict[str, str] | None = None,
    **settings: Any,
) -> AsyncGenerator[Screen]:
    """The face with these settings of ``[tui]``, on paper of that size."""
    start = started(folder, **{f"tui__{name}": value for name, value in settings.items()})
    around = start.environment | (environment or {})
    app = OuroApp(msgspec.structs.replace(start, outfit=None, environment=around))

    class Sized(Paper):
        def _get_terminal_size(self) -> tuple[int, int]:
            return size

    app.driver_class = Sized
    async with create_task_group() as tasks:
        tasks.start_soon(_shown, app)
        with anyio.fail_after(SECONDS):
            await app.drawn.wait()
        try:
            with app._context():
                yield Screen(app)
        finally:
            app.leave()


async def theme(folder: Path) -> None:
    grounds = {"light": "#fbfbf9", "dark": "#14161a"}
    for name, other in (("light", "dark"), ("dark", "light")):
        async with opened(folder, environment={"COLORTERM": "truecolor"}, theme=name) as screen:
            drawn = picture(screen.app)
            assert grounds[name] in drawn
            assert grounds[other] not in drawn
            red, green, blue = bytes.fromhex(grounds[name][1:])
            assert f"\x1b[48;2;{red};{green};{blue}m" in first_picture(screen.app.start, 80, 24)


async def mouse(folder: Path) -> None:
    for is_on in (True, False):
        async with opened(folder, mouse=is_on) as screen:
            assert screen.paper._mouse is is_on


async def unfolded(folder: Path) -> None:
    lines = "\n".join(f"line {at}" for at in range(9))
    for is_on in (True, False):
        call = Call(id="c", name="shell", title="Run", status="done", output=lines)
        async with opened(folder, unfolded=is_on) as screen:
            assert ("line 5" in "".join(await screen.shows(call))) is is_on


async def side_by_side(folder: Path) -> None:
    for columns, chosen, is_beside in (
        *((80, "auto", False), (80, "always", True)),
        *((120, "auto", True), (120, "never", False)),
    ):
        call = Call(id="c", name="edit", title="Edit a.py", status="done", detail=DIFF)
        async with opened(folder, size=(columns, 24), side_by_side=chosen) as screen:
            rows = await screen.shows(call)
            assert any("the new" in row for row in rows)
            assert any("the old" in row and "the new" in row for row in rows) is is_beside


async def pictures(folder: Path) -> None:
    path = "artifacts/ses_1/shot.png"
    kept = ArtifactKept(
        id="shot.png", kind="file", name="shot", path=path, bytes=70, sha256="", mime="image/png"
    )
    (folder / "home" / path).parent.mkdir(parents=True)
    (folder / "home" / path).write_bytes(PNG)
    for chosen, environment, is_sent in (
        *(("auto", {}, False), ("kitty", {}, True)),
        *(("auto", KITTY, True), ("off", KITTY, False)),
    ):
        async with opened(folder, environment=environment, pictures=chosen) as screen:
            assert ("\x1b_Ga=T" in await screen.takes(kept)) is is_sent
            assert path in text(screen.app)


async def notifications(folder: Path) -> None:
    ended = TaskCompleted(reason="completed", final="It works.")
    said = "ouro: Done. It works."
    ways = {
        "osc9": [f"\x1b]9;{said}\a"],
        "osc777": [f"\x1b]777;notify;{said.replace(': ', ';')}\a"],
        "bell": ["\a"],
        "off": [],
    }
    for chosen, calls in ways.items():
        async with opened(folder, environment=KITTY, notifications=chosen) as screen:
            screen.app.on_app_blur()
            assert CALL.findall(await screen.takes(ended)) == calls


async def looked(pilot: Pilot[Left], holds: Callable[[], object]) -> None:
    """Waits until something is so."""
    with anyio.fail_after(SECONDS):
        while not holds():
            await pilot.pause(0.005)


async def status_script(folder: Path) -> None:
    start = started(folder, model="echo", tui__status_script="echo 'mine is here'")
    async with shown(start) as (app, pilot):
        await looked(pilot, lambda: "mine is here" in text(app).split("\n")[-1])


async def status_timeout(folder: Path) -> None:
    slow: dict[str, Any] = {"tui__status_script": "exec sleep 60", "tui__status_timeout": 0.1}
    async with shown(started(folder, model="echo", **slow)) as (app, pilot):
        blocks = app.transcript.blocks
        await looked(pilot, lambda: [each for each in blocks if isinstance(each, Told)])
        assert "the status script took longer than 0.1 s" in str(blocks)


SCREEN_EFFECTS: dict[str, Effect] = {
    "tui.theme": theme,
    "tui.mouse": mouse,
    "tui.unfolded": unfolded,
    "tui.side_by_side": side_by_side,
    "tui.pictures": pictures,
    "tui.notifications": notifications,
    "tui.status_script": status_script,
    "tui.status_timeout": status_timeout,
}
