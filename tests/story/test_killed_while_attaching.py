"""Words whose names wait for a yes when the program is killed, or are stopped, are not lost."""

import os
import signal
import sys
from pathlib import Path

import anyio
import pytest

from ouroboros.core.commands import Interrupt
from ouroboros.core.events import PermissionRequested
from ouroboros.llm.turns import Turn
from tests.story.stage import stage

CHILD = """
import sys
from pathlib import Path
import anyio
from ouroboros.core.events import PermissionRequested
from ouroboros.llm.turns import Turn
from tests.story.stage import stage

async def main():
    async with stage(Path(sys.argv[1]), [Turn(text="ok")], mode="ask", interactive=True) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "Read @.env and say")
            await s.until(PermissionRequested)
            print("asked", flush=True)
            await anyio.sleep_forever()

anyio.run(main)
"""


def made(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".env").write_text("TOKEN=abcdef0123456789")


@pytest.mark.deep
async def test_a_kill_while_a_name_waits_for_a_yes_loses_no_words(tmp_path: Path) -> None:
    made(tmp_path)
    command = [sys.executable, "-c", CHILD, str(tmp_path)]
    async with await anyio.open_process(command, cwd=Path.cwd(), env=dict(os.environ)) as process:
        assert process.stdout is not None
        with anyio.fail_after(60):
            await process.stdout.receive()
        process.send_signal(signal.SIGKILL)
        await process.wait()
    async with stage(tmp_path, [Turn(text="ok")], mode="ask", latest=True) as s:
        assert [m.text for m in s.session.state.history if m.kind == "plain"] == [
            "Read @.env and say"
        ]
        assert (s.session.state.approvals, s.session.state.calls) == ({}, {})
        assert (await s.run("")).final == "ok"
        assert "abcdef" not in s.server.exchanges[-1].body


async def test_a_stop_while_a_name_waits_for_a_yes_keeps_the_words(tmp_path: Path) -> None:
    made(tmp_path)
    async with stage(tmp_path, [Turn(text="ok")], mode="ask", interactive=True) as s:
        async with anyio.create_task_group() as tasks:

            async def stop() -> None:
                await s.until(PermissionRequested)
                await s.session.send(Interrupt())

            tasks.start_soon(stop)
            assert (await s.run("Read @.env and say")).reason == "cancelled"
        assert (s.session.state.approvals, s.session.state.calls) == ({}, {})
        assert s.server.exchanges == []
        assert s.session.state.history[-1].text == "Read @.env and say"
        assert (await s.run("Never mind")).final == "ok"
