"""What the settings of `ouro web` change."""

import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
from anyio import to_thread

from tests import forked
from tests.story.hub_stage import hub_stage
from tests.unit.llm.auth_server import spare_port

type Effect = Callable[[Path], Awaitable[None]]


async def _close_after(folder: Path) -> None:
    """A room nobody needs goes after so long, and not before."""
    for name, seconds, goes in (("a", 0.05, True), ("b", 600.0, False)):
        (folder / name).mkdir()
        async with hub_stage(folder / name, [], close_after=seconds) as s:
            room = await s.hub.open()
            with anyio.move_on_after(30 if goes else 0.3):
                await room.gone.wait()
            assert (s.hub.rooms() == ()) is goes


def _first_line(folder: Path, home: Path) -> str:
    command = [sys.executable, "-m", "ouroboros", "web", "--headless-token", "--model", "echo"]
    variables = {**os.environ, "OUROBOROS_HOME": str(home)}
    with forked.Popen(
        command, cwd=folder, env=variables, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
    return line


async def _port(folder: Path) -> None:
    """The program listens where the person's file says."""
    home = folder / "home"
    home.mkdir()
    port = spare_port()
    (home / "config.toml").write_text(f"[server]\nport = {port}\n", "utf-8")
    line = await to_thread.run_sync(_first_line, folder, home)
    assert line.startswith(f"{port} ")


SERVER_EFFECTS: dict[str, Effect] = {"server.port": _port, "server.close_after": _close_after}
