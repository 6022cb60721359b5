"""A model that does the same thing again and again."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from ouroboros.agent.running.repeats import FAILING, REPEATED
from ouroboros.core.commands import Approve, Deny
from ouroboros.core.events import PermissionRequested, ToolAttempted
from ouroboros.llm.turns import Turn
from tests.story.stage import call, stage

SAME = Turn(tool_calls=(call("ls", path="."),))
DONE = Turn(text="All done.")


@pytest.mark.proves("Z11")
async def test_where_nobody_is_to_be_asked_it_is_told_once_and_then_stopped(tmp_path: Path):
    async with stage(tmp_path, [SAME] * 9) as s:
        outcome = await s.run()
        assert outcome.reason == "limit_reached:repeated_call"
        assert len(s.events(ToolAttempted)) == 2
        assert [text.startswith(REPEATED) for text in texts(s.body())] == [False, False, True]
        again = await s.run("Go on.")
        assert again.reason == "limit_reached:repeated_call"


@pytest.mark.deep
@pytest.mark.proves("Z11")
async def test_another_result_or_another_call_between_begins_anew(tmp_path: Path):
    turns = [
        Turn(tool_calls=(call("shell", command="echo x >> log; cat log"),)),
    ] * 4
    turns += [SAME, SAME, Turn(tool_calls=(call("find", pattern="log"),)), SAME, SAME, DONE]
    async with stage(tmp_path, turns) as s:
        assert (await s.run()).reason == "completed"
        assert len(s.events(ToolAttempted)) == 9


@pytest.mark.deep
@pytest.mark.proves("Z11")
async def test_what_differs_only_in_time_is_the_same_result(tmp_path: Path):
    turns = [Turn(tool_calls=(call("exec_command", cmd="sleep 0.0$RANDOM; echo x"),))] * 9
    async with stage(tmp_path, turns) as s:
        assert (await s.run()).reason == "limit_reached:repeated_call"
        assert len(s.events(ToolAttempted)) == 2


@pytest.mark.proves("Z11")
async def test_a_person_is_asked_the_third_time_and_may_want_it(tmp_path: Path):
    turns = [SAME] * 5 + [DONE]
    async with stage(tmp_path, turns, mode="ask", interactive=True) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(PermissionRequested)
            (question,) = s.events(PermissionRequested)
            assert question.reason == "it was done 2 times in a row, and the same came of it"
            await s.session.send(Approve(request_id=question.request_id))
            await s.until(PermissionRequested, 2)
            second = s.events(PermissionRequested)[1]
            await s.session.send(Deny(request_id=second.request_id, message="Stop that"))
        assert len(s.events(ToolAttempted)) == 4
        assert "Stop that" in json.dumps(s.body())


@pytest.mark.deep
@pytest.mark.proves("Z11")
@pytest.mark.parametrize("length", [2, 3])
async def test_calls_that_come_in_turns_are_seen_too(tmp_path: Path, length: int):
    """A, B, A, B and A, B, C, A, B, C: the third round is told of, and then the run is stopped."""
    turn = [
        Turn(tool_calls=(call("ls", path="."),)),
        Turn(tool_calls=(call("find", pattern="*.py"),)),
        Turn(tool_calls=(call("shell", command="exit 3"),)),
    ][:length]
    async with stage(tmp_path, turn * 6) as s:
        outcome = await s.run()
        assert outcome.reason == "limit_reached:repeated_call"
        assert len(s.events(ToolAttempted)) == 2 * length
        told = [text.startswith(REPEATED) for text in texts(s.body())]
        assert told == [False] * 2 * length + [True]


@pytest.mark.deep
async def test_calls_in_turns_that_bring_something_new_go_on(tmp_path: Path):
    turn = [
        Turn(tool_calls=(call("shell", command="echo x >> log; wc -l < log"),)),
        Turn(tool_calls=(call("ls", path="."),)),
    ]
    async with stage(tmp_path, [*turn * 5, DONE]) as s:
        assert (await s.run()).reason == "completed"
        assert len(s.events(ToolAttempted)) == 10


@pytest.mark.deep
async def test_a_person_is_asked_about_calls_in_turns(tmp_path: Path):
    turn = [SAME, Turn(tool_calls=(call("find", pattern="*.py"),))]
    async with stage(tmp_path, [*turn * 3, DONE], mode="ask", interactive=True) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(PermissionRequested)
            (question,) = s.events(PermissionRequested)
            wanted = "2 calls were made in turns 2 times, and the same came of each"
            assert question.reason == wanted
            await s.session.send(Approve(request_id=question.request_id))
        assert len(s.events(ToolAttempted)) == 6


@pytest.mark.deep
@pytest.mark.proves("Z11")
async def test_the_same_error_for_other_arguments_is_told(tmp_path: Path):
    wrong = [
        Turn(tool_calls=(call("exec_command", cmd=f": {n}; echo no >&2; exit 1"),))
        for n in range(6)
    ]
    async with stage(tmp_path, [*wrong, DONE]) as s:
        assert (await s.run()).reason == "completed"
        told = [text.startswith(FAILING) for text in texts(s.body())]
        assert told == [False, False, False, False, True, False]


def texts(body: dict[str, Any]) -> list[str]:
    """The results of calls that the last request held."""
    return [message["content"] for message in body["messages"] if message["role"] == "tool"]
