"""A hub on a stage: a scripted model server on loopback, a home, and sessions any number of readers follow."""

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import msgspec

from ouroboros.app.hub import Gap, Hub, Outfit, Room, hub
from ouroboros.core.events import Envelope
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import ScriptedServer, serving


class Stage:
    """An open hub, and the server its models are asked at."""

    def __init__(self, open_hub: Hub, server: ScriptedServer) -> None:
        self.hub, self.server = open_hub, server


def outfit(tmp_path: Path, url: str, **flags: Any) -> Outfit:
    """As ``ouro web`` has one; settings beyond ``flags`` stand in the home's file."""
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    return Outfit(
        environment={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "SHELL": "/bin/sh",
            "OUROBOROS_HOME": str(tmp_path / "home"),
        },
        cwd=work,
        flags={"model": "openai-chat/scripted", "base_url": url, "mode": "full-auto", **flags},
    )


@asynccontextmanager
async def hub_stage(
    tmp_path: Path,
    turns: Sequence[Turn],
    *,
    repeat: bool = False,
    close_after: float = 900.0,
    **flags: Any,
) -> AsyncGenerator[Stage]:
    """A hub whose sessions are answered by a script."""
    async with (
        serving(turns, repeat=repeat) as server,
        hub(outfit(tmp_path, server.url, **flags, **{"server.close_after": close_after})) as opened,
    ):
        yield Stage(opened, server)


async def idle(room: Room) -> None:
    """Waits until nothing runs."""
    changed = anyio.Event()

    def note(_: Envelope) -> None:
        nonlocal changed
        changed.set()

    room.session.listen(note)
    with anyio.fail_after(60):
        while room.running:
            with anyio.move_on_after(0.05):
                await changed.wait()
            changed = anyio.Event()


async def durable(room: Room, *, after: int = 0, upto: int, capacity: int = 1024) -> list[bytes]:
    """The durable events up to a number, as a reader of the room gets them."""
    found: list[bytes] = []
    with anyio.fail_after(60):
        async with room.follow(after, capacity=capacity) as events:
            async for each in events:
                if not isinstance(each, Gap) and each.data.durable:
                    found.append(msgspec.json.encode(each))
                    if each.seq >= upto:
                        break
    return found
