"""kill -9 while a command runs: the command and what it started do not outlive us."""

import os
import signal
import time
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving
from tests.story.crash import start
from tests.story.inhabitants import inhabitants, is_running
from tests.story.stage import call

STUBBORN = (
    "trap '' TERM; sh -c 'echo yes > child; exec sleep 60' & echo yes > parent; wait; sleep 60"
)


def appears(path: Path) -> None:
    until = time.monotonic() + 120
    while not path.exists() or not path.read_text(encoding="utf-8").endswith("\n"):
        assert time.monotonic() < until, f"{path.name} does not appear"
        time.sleep(0.02)


def empties(folder: Path) -> None:
    until = time.monotonic() + 120
    while left := inhabitants(folder):
        assert time.monotonic() < until, f"{left} still run"
        time.sleep(0.02)


def killed(url: str, cwd: Path, *words: str) -> set[int]:
    """Kills a run while its command runs; the processes that there were besides it."""
    process = start(url, cwd, cwd.parent / "home", *words, "Go.")
    appears(cwd / "parent")
    appears(cwd / "child")
    found = inhabitants(cwd) - {process.pid}
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    return found


@pytest.mark.proves("F07")
@pytest.mark.parametrize(
    "sandbox",
    [
        "workspace-write",
        pytest.param("danger-full-access", marks=pytest.mark.deep),
    ],
)
async def test_a_killed_run_takes_its_command_along(tmp_path: Path, sandbox: str) -> None:
    cwd = tmp_path / "work"
    cwd.mkdir()
    turns = [Turn(tool_calls=(call("shell", command=STUBBORN, timeout=90),))]
    async with serving(turns) as server:
        found = await to_thread.run_sync(killed, server.url, cwd, "--sandbox", sandbox)
        assert len(found) >= 2
        await to_thread.run_sync(empties, cwd)


@pytest.mark.deep
@pytest.mark.proves("browser-kills")
async def test_a_background_process_that_was_left_on_purpose_stays(tmp_path: Path) -> None:
    cwd = tmp_path / "work"
    cwd.mkdir()
    leave = "sleep 60 >/dev/null 2>&1 </dev/null & echo $! > child"
    turns = [
        Turn(tool_calls=(call("shell", command=leave),)),
        Turn(tool_calls=(call("shell", command="echo $$ > parent; sleep 60", timeout=90),)),
    ]
    async with serving(turns) as server:
        await to_thread.run_sync(killed, server.url, cwd, "--sandbox", "danger-full-access")
        parent, left = (int((cwd / name).read_text()) for name in ("parent", "child"))
        until = time.monotonic() + 120
        while is_running(parent):
            assert time.monotonic() < until, "the command still runs"
            await anyio.sleep(0.02)
        assert is_running(left)
        os.kill(left, signal.SIGKILL)
