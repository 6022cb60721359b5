"""kill -9 while a command runs: the command and what it started do not outlive us."""

import os
import signal
import time
from pathlib import Path

from anyio import to_thread

from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving
from tests.story.crash import start
from tests.story.stage import call

STUBBORN = "trap '' TERM; sh -c 'echo $$ > child; exec sleep 60' & echo $$ > parent; wait; sleep 60"


def appears(path: Path) -> int:
    until = time.monotonic() + 20
    while not path.exists() or not path.read_text(encoding="utf-8").endswith("\n"):
        assert time.monotonic() < until, f"{path.name} does not appear"
        time.sleep(0.02)
    return int(path.read_text(encoding="utf-8"))


def ends(pid: int) -> None:
    until = time.monotonic() + 10
    while is_running(pid):
        assert time.monotonic() < until, f"{pid} is still running"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def killed(url: str, cwd: Path) -> tuple[int, int]:
    """Kills a run while its command runs; the numbers of the command and of what it started."""
    process = start(url, cwd, cwd / "home", "Go.")
    parent, child = appears(cwd / "parent"), appears(cwd / "child")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    return parent, child


async def test_a_killed_run_takes_its_command_along(tmp_path: Path) -> None:
    turns = [Turn(tool_calls=(call("shell", command=STUBBORN, timeout=90),))]
    async with serving(turns) as server:
        for pid in await to_thread.run_sync(killed, server.url, tmp_path):
            await to_thread.run_sync(ends, pid)


async def test_a_background_process_that_was_left_on_purpose_stays(tmp_path: Path) -> None:
    leave = "sleep 60 >/dev/null 2>&1 </dev/null & echo $! > child"
    turns = [
        Turn(tool_calls=(call("shell", command=leave),)),
        Turn(tool_calls=(call("shell", command="echo $$ > parent; sleep 60", timeout=90),)),
    ]
    async with serving(turns) as server:
        parent, left = await to_thread.run_sync(killed, server.url, tmp_path)
        await to_thread.run_sync(ends, parent)
        assert is_running(left)
        os.kill(left, signal.SIGKILL)
