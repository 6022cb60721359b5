"""Commands that outlive their call, in whole runs: killed, resumed, told of."""

from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.core.commands import Resize
from ouroboros.core.events.process import ProcessKept
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving
from tests.story.inhabitants import inhabitants
from tests.story.stage import call, stage
from tests.story.test_killed_with_a_command import STUBBORN, empties, killed

DONE = Turn(text="All done.")


@pytest.mark.proves("D13", "F07")
@pytest.mark.deep
@pytest.mark.parametrize("sandbox", ["workspace-write", "danger-full-access"])
@pytest.mark.parametrize("tty", [False, True])
async def test_a_killed_run_takes_along_what_had_outlived_its_call(
    tmp_path: Path, sandbox: str, tty: bool
) -> None:
    cwd = tmp_path / "work"
    cwd.mkdir()
    turns = [
        Turn(tool_calls=(call("exec_command", cmd=STUBBORN, tty=tty, yield_time_ms=250),)),
        Turn(tool_calls=(call("shell", command="sleep 60", timeout=90),)),
    ]
    async with serving(turns) as server:
        found = await to_thread.run_sync(killed, server.url, cwd, "--sandbox", sandbox)
        assert len(found) >= 2
        await to_thread.run_sync(empties, cwd)


@pytest.mark.deep
@pytest.mark.proves("D13")
async def test_the_end_of_a_session_ends_them_and_the_next_one_says_so(tmp_path: Path) -> None:
    begun = Turn(tool_calls=(call("exec_command", cmd="sleep 600", yield_time_ms=250),))
    async with stage(tmp_path, [begun, DONE]) as s:
        await s.run()
        (kept,) = s.events(ProcessKept)
        assert s.session.state.processes == {kept.number: "sleep 600"}
        assert inhabitants(s.cwd)
        session = s.session.id
    assert not inhabitants(tmp_path / "work")
    turns = [Turn(tool_calls=(call("write_stdin", session_id=kept.number),)), DONE]
    async with stage(tmp_path, turns, resume=session) as s:
        ended = "the command 'sleep 600' ended with the program that had this session before"
        assert ended in s.session.warnings
        await s.run("Go on.")
        text = list(s.results.values())[-1].parts[0]
        assert "('sleep 600' ended with the program that had started it)" in str(text)
        assert s.session.state.processes == {}


@pytest.mark.proves("D13")
async def test_a_command_on_a_terminal_has_the_size_that_the_person_told(tmp_path: Path) -> None:
    sized = Turn(tool_calls=(call("exec_command", cmd="stty size", tty=True, login=False),))
    async with stage(tmp_path, [sized, DONE, sized, DONE]) as s:
        await s.run()
        await s.session.send(Resize(columns=111, rows=37))
        await s.run("Again.")
        said = [str(result.parts) for result in s.results.values()]
    assert "24 80" in said[0]
    assert "37 111" in said[1]
