"""kill -9 in a run of the mind that writes code: it goes on with its variables, and repeats nothing."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
from anyio import to_thread

from ouroboros.core.events.code import IterationStarted
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import ScriptedServer, serving
from tests.story.rlm_stage import block, contexts, findings
from tests.story.stage import stage

PROGRAM = """
import sys
from pathlib import Path
import anyio
from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.settings import Settings

async def main(url, home, cwd):
    settings = Settings(base_url=url, mode="full-auto", model="openai-chat/scripted")
    engine = Ouroboros(settings, home=Path(home), environment={"PATH": "/usr/bin:/bin", "HOME": cwd})
    async with engine.open(cwd=Path(cwd), mind="rlm") as session:
        await session.run("Count the ships.")

anyio.run(main, *sys.argv[1:])
"""


async def killed(tmp_path: Path, turns: list[Turn], requests: int, file: str = "") -> None:
    """Runs until so many requests have arrived and the file is there, and kills."""
    cwd = tmp_path / "work"
    cwd.mkdir()
    async with serving(turns) as server:
        process = await to_thread.run_sync(start, server, tmp_path / "home", cwd)
        try:
            with anyio.fail_after(60):
                while len(server.exchanges) < requests or (file and not (cwd / file).exists()):
                    assert process.poll() is None
                    await anyio.sleep(0.02)
                await anyio.sleep(0.2)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            await to_thread.run_sync(process.wait)


def start(server: ScriptedServer, home: Path, cwd: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-I", "-c", PROGRAM, server.url, str(home), str(cwd)]
    return subprocess.Popen(words, cwd=cwd)


async def test_a_killed_run_goes_on_with_its_variables(tmp_path: Path) -> None:
    turns = [
        block("const ships = ['a', 'b'];\nfunction count() { return ships.length }\nships"),
        block("env.red = 1;\n1"),
        Turn(text="never said", delay_seconds=60),
    ]
    await killed(tmp_path, turns, 3)
    end = [block("setFinal(count() + env.red)")]
    opening = {"mind": ""}
    async with stage(
        tmp_path, end, check=False, cwd=tmp_path / "work", latest=True, opening=opening
    ) as s:
        assert s.session.state.mind == "rlm"
        outcome = await s.run("")
        assert (outcome.reason, outcome.final) == ("completed", "3")
        (told,) = contexts(s)
        assert told.startswith('# Task\n"""\nCount the ships.\n"""\nIteration 4 of 25.')
        assert "- ships: array, 2 items" in told
        assert "## Iteration 1\n```repl\nconst ships" in told
        assert "brought back" in told
        assert [e.iteration for e in s.events(IterationStarted)] == [4]
        assert findings(s).breaches == ()


async def test_a_kill_within_a_block_is_told_and_nothing_is_run_again(tmp_path: Path) -> None:
    turns = [
        block("await write('once.txt', 'x');\nawait sleep(10_000)", "await write('b.txt', 'x')")
    ]
    await killed(tmp_path, turns, 1, file="once.txt")
    (tmp_path / "work" / "once.txt").unlink()
    async with stage(
        tmp_path, [block("setFinal('seen')")], check=False, cwd=tmp_path / "work", latest=True
    ) as s:
        assert (await s.run("")).final == "seen"
        (told,) = contexts(s)
        assert "Whether it took effect is unknown" in told
        assert "it did not run" in told
        assert not (tmp_path / "work" / "once.txt").exists()
        assert not (tmp_path / "work" / "b.txt").exists()
