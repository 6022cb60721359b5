"""A child to talk with: what is said arrives whole and in order, and nothing of it outlives the block."""

import os
import signal
from pathlib import Path

import anyio
import pytest

from ouroboros.safety.companion import Companion, CompanionGone, companion

pytestmark = pytest.mark.real

ENVIRONMENT = {"PATH": os.environ["PATH"]}


async def said(child: Companion, length: int) -> bytes:
    got = b""
    with anyio.fail_after(60):
        while len(got) < length and (piece := await child.receive()):
            got += piece
    return got


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


async def test_large_messages_of_several_speakers_stay_whole(tmp_path: Path) -> None:
    messages = [bytes([number]) * 300_000 for number in range(4)]
    got = b""
    async with (
        companion(("cat",), cwd=tmp_path, environment=ENVIRONMENT) as child,
        anyio.create_task_group() as tasks,
    ):
        for message in messages:
            tasks.start_soon(child.send, message)
        got = await said(child, 1_200_000)
    assert (
        sorted(got[start : start + 300_000] for start in range(0, 1_200_000, 300_000)) == messages
    )


async def test_a_cancelled_message_is_finished_before_the_next(tmp_path: Path) -> None:
    """Nobody reads, so the pipe fills; the rest of the torn message comes first afterwards."""
    script = "read -r go < gate; exec cat"
    os.mkfifo(tmp_path / "gate")
    command = ("/bin/sh", "-c", script)
    async with companion(command, cwd=tmp_path, environment=ENVIRONMENT) as child:
        with anyio.move_on_after(0.1) as scope:
            await child.send(b"a" * 500_000)
        assert scope.cancelled_caught
        async with await anyio.open_file(tmp_path / "gate", "w") as gate:
            await gate.write("go\n")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(child.send, b"b" * 10)
            got = await said(child, 500_010)
            assert got == b"a" * 500_000 + b"b" * 10


async def test_a_child_that_has_ended_is_told(tmp_path: Path) -> None:
    async with companion(("true",), cwd=tmp_path, environment=ENVIRONMENT) as child:
        assert await child.receive() == b""
        with pytest.raises(CompanionGone):
            await child.send(b"x" * 1_000_000)
        assert await child.watch() == 0


async def test_the_last_complaints_are_kept(tmp_path: Path) -> None:
    script = "echo bad >&2; exit 7"
    async with companion(("/bin/sh", "-c", script), cwd=tmp_path, environment=ENVIRONMENT) as child:
        assert await child.watch() == 7
        assert (child.complaints, child.exit_code) == ("bad\n", 7)


async def test_a_frozen_child_is_ended_also_while_it_is_watched(tmp_path: Path) -> None:
    async with companion(("cat",), cwd=tmp_path, environment=ENVIRONMENT) as child:
        pid = child.pid
        os.kill(pid, signal.SIGSTOP)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(child.watch)
            await anyio.sleep(0.05)
            await child.kill()
    assert not is_there(pid)
