"""A question that was open when the program was killed is asked again, and its answer counts once."""

import os
import signal
import sys
from pathlib import Path

import anyio
import pytest

from ouroboros.core.commands import Approve, Deny
from ouroboros.core.errors import Misuse
from ouroboros.core.events import PermissionAnswered, PermissionRequested, ToolAttempted
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, stage

CHILD = """
import sys
from pathlib import Path
import anyio
from ouroboros.core.events import PermissionRequested
from ouroboros.llm.turns import Turn
from tests.story.stage import call, stage

async def main():
    turns = [Turn(text="I make it.", tool_calls=(call("shell", command="echo hi >> out.txt"),))]
    async with stage(Path(sys.argv[1]), turns, mode="ask", interactive=True) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "Make it.")
            await s.until(PermissionRequested)
            print(s.events(PermissionRequested)[0].request_id, flush=True)
            await anyio.sleep_forever()

anyio.run(main)
"""


async def killed(tmp_path: Path) -> str:
    """The id of a question that was open when its process was killed."""
    command = [sys.executable, "-c", CHILD, str(tmp_path)]
    async with await anyio.open_process(command, cwd=Path.cwd(), env=dict(os.environ)) as process:
        assert process.stdout is not None
        with anyio.fail_after(60):
            said = b""
            while not said.endswith(b"\n"):
                said += await process.stdout.receive()
        process.send_signal(signal.SIGKILL)
        await process.wait()
    return said.decode().strip()


async def went_on(s: Stage, text: str, answer: Approve | Deny) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(s.run, text)
        await s.until(PermissionRequested)
        await s.session.send(answer)


@pytest.mark.proves("E28")
@pytest.mark.parametrize("text", ["", pytest.param("And then?", marks=pytest.mark.deep)])
async def test_it_is_asked_again_and_a_yes_carries_the_call_out_once(tmp_path: Path, text: str):
    asked = await killed(tmp_path)
    answers = [Turn(text="It is made.")]
    async with stage(tmp_path, answers, mode="ask", interactive=True, latest=True) as s:
        assert list(s.session.state.approvals) == [asked]
        await went_on(s, text, Approve(request_id=asked))
        assert [one.request_id for one in s.events(PermissionRequested)] == [asked]
        assert (s.cwd / "out.txt").read_text() == "hi\n"
        assert len(s.events(ToolAttempted)) == 1
        with pytest.raises(Misuse, match="the first answer counted"):
            await s.session.send(Approve(request_id=asked))
        assert s.session.state.ended == "completed"
    async with stage(tmp_path, [Turn(text="Yes.")], mode="ask", latest=True) as s:
        await s.run("Is it there?")
        assert s.events(PermissionRequested) == []
        assert (s.cwd / "out.txt").read_text() == "hi\n"


@pytest.mark.proves("E28")
@pytest.mark.deep
async def test_a_no_after_the_restart_holds(tmp_path: Path):
    asked = await killed(tmp_path)
    async with stage(
        tmp_path, [Turn(text="Then not.")], mode="ask", interactive=True, latest=True
    ) as s:
        await went_on(s, "", Deny(request_id=asked, message="not now"))
        assert not (s.cwd / "out.txt").exists()
        assert [r.status for r in s.results.values()] == ["denied"]


@pytest.mark.proves("E17")
@pytest.mark.deep
async def test_where_nobody_is_it_is_refused(tmp_path: Path):
    await killed(tmp_path)
    async with stage(tmp_path, [Turn(text="Then not.")], mode="ask", latest=True) as s:
        outcome = await s.run("")
        assert (outcome.exit_code, outcome.unapproved > 0) == (0, True)
        assert [one.decider for one in s.events(PermissionAnswered)] == ["nobody"]
        assert not (s.cwd / "out.txt").exists()
