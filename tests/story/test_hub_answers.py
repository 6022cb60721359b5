"""Questions that a killed program left open: they wait for the next one, and an answer there goes on with the run."""

import shutil
from pathlib import Path

import pytest
from anyio import create_task_group, to_thread

from ouroboros.app.hub import Room
from ouroboros.core.commands import Approve, Command, Deny, Submit
from ouroboros.core.errors import Misuse
from ouroboros.core.events import PermissionAnswered, PermissionRequested
from ouroboros.llm.turns import Turn
from tests.cases import every
from tests.story.hub_stage import hub_stage, idle
from tests.story.stage import call
from tests.story.test_hub import seen

TURNS = [
    Turn(text="I make it.", tool_calls=(call("exec_command", cmd="touch made"),)),
    Turn(text="That was it."),
]


async def killed(tmp_path: Path) -> str:
    """A home as a killed program leaves it, with one question open; the session's id."""
    async with hub_stage(tmp_path, TURNS, mode="ask") as s:
        room = await s.hub.open()
        await room.send(Submit(text="Make it."))
        await seen(room, PermissionRequested)
        await room.session.settle()
        await to_thread.run_sync(shutil.copytree, tmp_path / "home", tmp_path / "left")
        return room.id


async def answered(room: Room, command: Command) -> bool:
    """Whether this answer was the one that counted."""
    try:
        await room.send(command)
    except Misuse:
        return False
    return True


@pytest.mark.deep
@pytest.mark.proves("interfaces-killed-server")
@every("allowed", [True, False])
async def test_an_answer_to_a_question_from_before_the_kill_goes_on_with_the_run(
    tmp_path: Path, allowed: bool
) -> None:
    session = await killed(tmp_path)
    await to_thread.run_sync(shutil.rmtree, tmp_path / "home")
    await to_thread.run_sync(shutil.move, tmp_path / "left", tmp_path / "home")
    async with hub_stage(tmp_path, TURNS[1:], mode="ask") as s:
        room = await s.hub.open(resume=session)
        (asked,) = room.state.approvals
        assert not room.running
        command = Approve(request_id=asked) if allowed else Deny(request_id=asked)
        won: list[bool] = []

        async def answer() -> None:
            won.append(await answered(room, command))

        async with create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(answer)
        await idle(room)
        assert sorted(won) == [False, False, True]
        answers = [
            each.data
            for each in await seen(room, PermissionAnswered)
            if isinstance(each.data, PermissionAnswered)
        ]
        assert [each.allowed for each in answers] == [allowed]
        assert (tmp_path / "work" / "made").exists() == allowed
        assert room.state.ended == "completed"
        assert not await answered(room, command)
