"""The worker as it runs in life: what it holds, and that it never outlives us."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from ouroboros.code.js.cage import DATA_BYTES
from ouroboros.code.js.seat import Seat
from ouroboros.code.wire import packed
from tests.unit.code.place import isolate, pool, run_while, told
from tests.unit.tools.spine import gone

US = """
import anyio, sys
from ouroboros.code.pool import Isolates
from ouroboros.core.clock import SystemClock
from ouroboros.safety.guard import Guard

class Nobody:
    async def answer(self, name, arguments):
        await anyio.sleep_forever()

async def main():
    guard = Guard() if sys.argv[1] == "guard" else None
    if guard:
        guard.begin()
    async with Isolates(environment={}, guard=guard, clock=SystemClock()) as pool:
        async with pool.isolate(Nobody(), functions=("wait",)) as one:
            await one.run("1")
            print(one.pid, flush=True)
            await one.run(sys.argv[2], seconds=600)

anyio.run(main)
"""


def look_into(process: Path) -> None:
    status = (process / "status").read_text("utf-8")
    assert "NoNewPrivs:\t1" in status
    assert "Seccomp:\t2" in status
    limits = " ".join((process / "limits").read_text("utf-8").split())
    for bound in (
        f"data size {DATA_BYTES} {DATA_BYTES}",
        "file size 0 0",
        "core file size 0 0",
        "open files 64 64",
        "processes 0 0",
    ):
        assert f"Max {bound} " in limits
    if os.geteuid() == 0:  # a worker hides its files from everybody but root
        places = [str(fd.readlink()) for fd in (process / "fd").iterdir()]
        assert all(place.startswith("pipe:") for place in places)
        names = {line.split(b"=")[0] for line in (process / "environ").read_bytes().split(b"\0")}
        assert not names & {b"HOME", b"PATH", b"USER", b"VIRTUAL_ENV"}


@pytest.mark.proves("B25", "B24")
async def test_a_worker_holds_no_file_no_environment_and_every_lock():
    async with isolate() as one:
        await one.run("1")
        assert one.cage == ("limits", "no-new-privs", "landlock", "seccomp")
        await anyio.to_thread.run_sync(look_into, Path(f"/proc/{one.pid}"))


@pytest.mark.proves("browser-no-orphans")
async def test_nothing_starts_before_the_first_need_and_nothing_stays_after_the_end():
    async with pool() as isolates:
        assert isolates.workers == ()
        await isolates.warm()
        (warm,) = isolates.workers
        with anyio.fail_after(60):
            await warm.ready()
    assert await gone(warm.pid)


@pytest.mark.deep
@pytest.mark.proves("browser-no-orphans")
@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("guard", "while (true) {}"),
        pytest.param("guard", "await wait()", marks=pytest.mark.deep),
        pytest.param("alone", "while (true) {}", marks=pytest.mark.deep),
        pytest.param("alone", "await wait()", marks=pytest.mark.deep),
    ],
)
async def test_no_worker_outlives_us(how: str, code: str) -> None:
    command = [sys.executable, "-c", US, how, code]
    us = await anyio.to_thread.run_sync(
        lambda: subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    )
    assert us.stdout is not None
    line = await anyio.to_thread.run_sync(us.stdout.readline)
    await anyio.sleep(0.2)
    os.kill(us.pid, signal.SIGKILL)
    await anyio.to_thread.run_sync(us.wait)
    us.stdout.close()
    assert await gone(int(line))


LIES = [
    b"\xff" * 50,
    packed("c", b"[]"),
    packed("c", b'{"id": 1, "name": "shell", "arguments": ["id"]}'),
    packed("r", b"{}"),
    packed("d", b'{"variables": 5}'),
    b"\x00\x00\x00\x00R",
]


@pytest.mark.deep
@pytest.mark.proves("B25")
@pytest.mark.parametrize("most", [1, pytest.param(len(LIES), marks=pytest.mark.deep)])
async def test_a_hijacked_worker_that_says_garbage_is_ended_and_the_run_goes_on(most: int) -> None:
    async with isolate() as one:
        await one.run("const kept = 1")
        await one.checkpoint()
        for lie in LIES[:most]:
            await one.run("1")
            (seat,) = [seat for seat in one.seats if not seat.ended.is_set()]

            async def speak(seat: Seat = seat, lie: bytes = lie):
                seat.swallow(lie)  # what a worker says arrives here, whoever wrote it

            outcome = await run_while(one, "await wait()", speak)
            assert outcome.stopped == "crash"
            assert await gone(seat.pid)
            assert told(await one.run("kept")) == "1"
