"""A run of the mind that writes code in a process of its own, killed once so many requests have come."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
from anyio import to_thread

from ouroboros.llm.turns import Turn
from ouroboros.testing.server import ScriptedServer, serving

PROGRAM = """
import sys
from pathlib import Path
import anyio
from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.settings import Settings

async def main(url, home, cwd, resume):
    settings = Settings(base_url=url, mode="full-auto", model="openai-chat/scripted")
    engine = Ouroboros(settings, home=Path(home), environment={"PATH": "/usr/bin:/bin", "HOME": cwd})
    async with engine.open(cwd=Path(cwd), mind="rlm", latest=bool(resume)) as session:
        await session.run("" if resume else "Count the ships.")

anyio.run(main, *sys.argv[1:])
"""


def _started(server: ScriptedServer, home: Path, cwd: Path, resume: str) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-I", "-c", PROGRAM, server.url, str(home), str(cwd), resume]
    return subprocess.Popen(words, cwd=cwd)


async def killed(
    tmp_path: Path, turns: list[Turn], requests: int, *, file: str = "", resume: str = ""
) -> None:
    """Runs until so many requests have arrived and the file is there, and kills."""
    cwd = tmp_path / "work"
    cwd.mkdir(exist_ok=True)
    async with serving(turns) as server:
        process = await to_thread.run_sync(_started, server, tmp_path / "home", cwd, resume)
        try:
            with anyio.fail_after(60):
                while len(server.exchanges) < requests or (file and not (cwd / file).exists()):
                    assert process.poll() is None
                    await anyio.sleep(0.02)
                await anyio.sleep(0.2)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            await to_thread.run_sync(process.wait)
