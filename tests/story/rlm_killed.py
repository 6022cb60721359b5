"""A run of the mind that writes code in a process of its own, killed once so many requests have come."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import anyio
from anyio import to_thread

from ouroboros.core.events import Event
from ouroboros.llm.turns import Turn
from ouroboros.store.resume import read
from ouroboros.store.sessions import list_sessions
from ouroboros.testing.server import ScriptedServer, serving
from tests import forked

RESUMED = """
import sys
from pathlib import Path
import anyio
from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.settings import Settings

async def main(url, home, cwd):
    settings = Settings(base_url=url, mode="full-auto", model="openai-chat/scripted")
    engine = Ouroboros(settings, home=Path(home), environment={"PATH": "/usr/bin:/bin", "HOME": cwd})
    async with engine.open(cwd=Path(cwd), latest=True) as session:
        await session.run("")

anyio.run(main, *sys.argv[1:])
"""


def _started(server: ScriptedServer, home: Path, cwd: Path, resume: str) -> subprocess.Popen[Any]:
    if resume:
        words = [sys.executable, "-I", "-c", RESUMED, server.url, str(home), str(cwd)]
        return subprocess.Popen(words, cwd=cwd)
    model = ("--model", "openai-chat/scripted", "--base-url", server.url, "--mode", "full-auto")
    words = [sys.executable, "-m", "ouroboros", "rlm", "--repl", *model, "Count the ships."]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(cwd), "OUROBOROS_HOME": str(home)}
    return forked.Popen(words, cwd=cwd, env=environment, stdout=DEVNULL, stderr=DEVNULL)


def _kept(home: Path, kind: type[Event]) -> int:
    """How many events of a kind are on the disk."""
    record = read(home, list_sessions(home)[0].id)
    return sum(isinstance(envelope.data, kind) for envelope in record.envelopes)


async def killed(
    tmp_path: Path,
    turns: list[Turn],
    requests: int,
    *,
    file: str = "",
    resume: str = "",
    until: tuple[type[Event], int] | None = None,
) -> None:
    """Runs until so many requests have arrived, the file and so many events are there, and kills."""
    cwd = tmp_path / "work"
    cwd.mkdir(exist_ok=True)
    async with serving(turns) as server:
        process = await to_thread.run_sync(_started, server, tmp_path / "home", cwd, resume)
        try:
            with anyio.fail_after(60):
                while len(server.exchanges) < requests or (file and not (cwd / file).exists()):
                    assert process.poll() is None
                    await anyio.sleep(0.01)
                while (
                    until
                    and await to_thread.run_sync(_kept, tmp_path / "home", until[0]) < until[1]
                ):
                    assert process.poll() is None
                    await anyio.sleep(0.01)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            await to_thread.run_sync(process.wait)
