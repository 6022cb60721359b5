"""The whole full-screen face in this process, over an engine with a scripted model."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from anyio import create_task_group
from textual.pilot import Pilot

from ouroboros.app.config.layers import load
from ouroboros.app.hub import Outfit, hub
from ouroboros.core.events import Envelope
from ouroboros.core.events.envelope import Event
from ouroboros.faces.tui.app import OuroApp
from ouroboros.faces.tui.start import Left, Start
from tests.tui.calm import Calm
from tests.tui.pictures import text

SECONDS = 60.0


def turns(folder: Path, *each: Mapping[str, object]) -> str:
    """A scripted model."""
    path = folder / "turns.jsonl"
    path.write_text("".join(json.dumps(turn) + "\n" for turn in each), "utf-8")
    return f"script:{path}"


def started(folder: Path, *, model: str = "", **settings: object) -> Start:
    """What the application is started with, in a fresh folder with a fresh home."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    environment = {
        "HOME": str(folder),
        "OUROBOROS_HOME": str(folder / "home"),
        "PATH": "/usr/bin:/bin",
        "SHELL": "/bin/sh",
    }
    flags: dict[str, object] = {"model": model or None, "mode": "full-auto"}
    flags |= {name.replace("__", "."): value for name, value in settings.items()}
    return Start(
        loaded=load(work, environment, flags, ""),
        environment=environment,
        cwd=work,
        outfit=lambda: Outfit(environment=environment, cwd=work, flags=flags),
    )


@asynccontextmanager
async def shown(
    start: Start, *, size: tuple[int, int] = (80, 24)
) -> AsyncGenerator[tuple[OuroApp, Pilot[Left]]]:
    """The application with an open session, until the end of the block."""
    app = OuroApp(start)
    assert start.outfit is not None
    async with create_task_group() as tasks, hub(start.outfit()) as opened:
        room = await opened.open(cwd=start.cwd, resume=start.resume, latest=start.latest)
        app.beside.begin(tasks, opened)
        async with app.run_test(size=size):
            pilot = Calm(app)
            app.opened(opened, room)
            with anyio.fail_after(SECONDS):
                while not app._following.is_live:
                    await pilot.pause(0.001)
            await pilot.pause()
            yield app, pilot
        app.beside.end()
        tasks.cancel_scope.cancel()


async def until(app: OuroApp, pilot: Pilot[Left], kind: str) -> None:
    """Waits until the session has an event of this type, and it is on the screen."""
    with anyio.fail_after(SECONDS):
        room = app.room
        assert room is not None
        async with room.follow() as events:
            async for each in events:
                if isinstance(each, Envelope) and each.type == kind:
                    break
        # A screen that has just gone to this session may still read what we have read.
        while not app._following.is_live:
            await pilot.pause(0.001)
    await settled(pilot)


async def sees(app: OuroApp, pilot: Pilot[Left], *words: str) -> None:
    """Waits until all of the words are on the screen."""
    with anyio.move_on_after(SECONDS):
        while not all(each in text(app) for each in words):
            await pilot.pause(0.01)
    assert all(each in text(app) for each in words), text(app)


async def settled(pilot: Pilot[Left]) -> None:
    """Waits until all that is known is drawn."""
    await pilot.pause()


def envelope(event: Event, seq: int = 0, ts: float = 0.0) -> Envelope:
    """An event with a place in a session."""
    return Envelope(
        id=f"e{seq}",
        session="ses_1",
        turn=1,
        seq=seq,
        ts=ts,
        type=event.type,
        source=event.source,
        data=event,
    )
