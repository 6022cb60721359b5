"""kill -9 of us takes along what we start, in whichever moment of its start it comes."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from anyio import Path as AsyncPath
from anyio import create_task_group, fail_after, sleep, to_thread

from ouroboros.safety.guard import Guard
from ouroboros.safety.spawn import start

pytestmark = pytest.mark.real

DRIVER = """
import os, signal, sys
from pathlib import Path
from typing import override
import anyio
from ouroboros.safety.companion import companion
from ouroboros.safety.guard import Guard
from ouroboros.safety.spawn import start

class Between(Guard):
    @override
    def hold(self, mark, group):
        os.kill(os.getpid(), signal.SIGKILL)

async def main(tag, how):
    guard = Guard() if how == "any" else Between()
    guard.begin()
    print("begun", flush=True)
    environment = {"PATH": os.environ["PATH"], "TAG": tag}
    if how == "companion":
        async with companion(("sleep", "60"), cwd=Path("/"), environment=environment, guard=guard):
            pass
    while True:
        process = await start(("sleep", "60"), cwd=Path("/"), environment=environment, guard=guard)
        await process.close()

anyio.run(main, *sys.argv[1:])
"""


def tagged(tag: str) -> list[int]:
    """Living processes with this in their environment."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"TAG={tag}".encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def killed(how: str, delay_seconds: float) -> list[int]:
    """What is left of a driver that was killed, 10 seconds later at the latest."""
    tag = os.urandom(8).hex()
    words = [sys.executable, "-I", "-c", DRIVER, tag, how]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        if how == "any":
            time.sleep(delay_seconds)
            process.kill()
        assert process.wait(120) == -signal.SIGKILL
    until = time.monotonic() + 120
    while (left := tagged(tag)) and time.monotonic() < until:
        time.sleep(0.02)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


@pytest.mark.deep
@pytest.mark.proves("browser-kills")
@pytest.mark.parametrize("how", ["command", "companion"])
async def test_a_kill_between_the_start_and_the_knowing_of_its_number(how: str) -> None:
    assert await to_thread.run_sync(killed, how, 0) == []


@pytest.mark.deep
@pytest.mark.proves("browser-kills")
async def test_a_kill_in_any_moment_of_a_start() -> None:
    chance = random.Random(4)
    for _ in range(5):
        assert await to_thread.run_sync(killed, "any", chance.uniform(0, 0.004)) == []


@pytest.mark.soak
async def test_many_kills_in_any_moment_of_a_start() -> None:
    chance = random.Random(9)
    for _ in range(200):
        assert await to_thread.run_sync(killed, "any", chance.uniform(0, 0.004)) == []


async def test_however_many_ask_at_once_one_shell_watches(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    shell = tmp_path / "shell"
    shell.write_text(f'#!/bin/sh\necho x >> {begun}\nsleep 0.1\nexec /bin/sh "$@"\n')
    shell.chmod(0o755)
    guard = Guard(str(shell))
    async with create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(guard.on_duty)
    await guard.on_duty()
    assert guard.is_on_duty
    assert begun.read_text() == "x\n"


@pytest.mark.proves("sandbox-f-processes")
async def test_one_with_nothing_left_to_watch_is_gone_at_once_and_stands_in_nobodys_folder(
    tmp_path: Path,
) -> None:
    log, shell = AsyncPath(tmp_path / "log"), tmp_path / "shell"
    told = f"#!/bin/sh\nexec 2>>'{tmp_path}/log'\nexec /bin/sh -x \"$@\"\n"
    await AsyncPath(shell).write_text(told)
    await AsyncPath(shell).chmod(0o700)
    guard = Guard(str(shell))
    await guard.on_duty()
    process = await start(("true",), cwd=tmp_path, environment={}, guard=guard)
    await process.close()
    del process, guard  # its pipe is closed, as at our end
    said: list[str] = []
    with fail_after(60):
        while not {"+ exit", "+ sleep 1"} & set(said):
            await sleep(0.02)
            said = (await log.read_text()).splitlines()
    assert "+ exit" in said
    assert "+ cd /" in said
