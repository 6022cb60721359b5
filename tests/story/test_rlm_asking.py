"""The mind that writes code asks the person, and is stopped when it does the same without end."""

from pathlib import Path

import anyio
import pytest

from ouroboros.agent.running.repeats import REPEATED
from ouroboros.core.commands import Answer, Approve, Deny
from ouroboros.core.errors import Misuse
from ouroboros.core.events import PermissionRequested, PermissionsGranted
from ouroboros.core.events.code import CodeGenerated
from ouroboros.core.events.question import UserAsked
from ouroboros.llm.turns import Turn
from tests.story.rlm_stage import block, contexts, rlm_stage

ASKS = block(
    "const q = {id: 'db', header: 'Database', question: 'Which?', "
    "options: [{label: 'SQLite', description: 'one file'}]};\n"
    "const said = await request_user_input([q]);\nsetFinal(said.answers.db.answers[0])"
)


@pytest.mark.proves("A25", "D32")
async def test_its_question_reaches_the_person_and_the_answer_its_code(tmp_path: Path) -> None:
    answers = {"db": ("PostgreSQL",)}
    async with rlm_stage(tmp_path, [ASKS], interactive=True) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(UserAsked)
            (asked,) = s.events(UserAsked)
            await s.session.send(Answer(request_id=asked.request_id, answers=answers))
        assert s.session.state.final == "PostgreSQL"
        (asked,) = s.events(UserAsked)
        with pytest.raises(Misuse, match="not open any more"):
            await s.session.send(Answer(request_id=asked.request_id, answers=answers))
        assert "request_user_input([{id, header" in s.body()["messages"][0]["content"]


async def test_where_nobody_is_there_it_is_not_told_of_it(tmp_path: Path) -> None:
    async with rlm_stage(tmp_path, [block("setFinal(typeof request_user_input)")]) as s:
        assert (await s.run()).final == "undefined"
        assert "request_" not in s.body()["messages"][0]["content"]


@pytest.mark.proves("A25", "D32")
@pytest.mark.parametrize("is_allowed", [True, False])
async def test_it_asks_to_be_allowed_more(tmp_path: Path, is_allowed: bool) -> None:
    other = tmp_path / "other"
    other.mkdir()
    code = (
        f"await request_permissions('to put it there', {{write: ['{other}']}});\n"
        f"await write('{other}/a.txt', 'x');\nsetFinal('written')"
    )
    end = block("setFinal('not allowed')")
    async with rlm_stage(tmp_path, [block(code), end], mode="auto-edit", interactive=True) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(PermissionRequested)
            (asked,) = s.events(PermissionRequested)
            answer = Approve if is_allowed else Deny
            await s.session.send(answer(request_id=asked.request_id))
        assert len(s.events(PermissionsGranted)) == is_allowed
        assert (other / "a.txt").exists() == is_allowed
        assert s.session.state.final == ("written" if is_allowed else "not allowed")


@pytest.mark.proves("Z11")
async def test_a_block_that_fails_the_same_is_not_run_for_ever(tmp_path: Path) -> None:
    wrong = block("await read('gone.txt')")
    async with rlm_stage(tmp_path, [wrong] * 6) as s:
        outcome = await s.run()
        assert outcome.reason == "limit_reached:repeated_call"
        assert len(s.events(CodeGenerated)) == 2
        assert REPEATED in contexts(s)[-1]


@pytest.mark.proves("Z11")
async def test_blocks_in_turns_are_not_run_for_ever(tmp_path: Path) -> None:
    turn = [block("await read('gone.txt')"), block("null.x")]
    async with rlm_stage(tmp_path, turn * 5) as s:
        assert (await s.run()).reason == "limit_reached:repeated_call"
        assert len(s.events(CodeGenerated)) == 4


async def test_a_block_that_may_bring_something_new_is_run_more_often(tmp_path: Path) -> None:
    more = block("env.n = (env.n ?? 0) + 1; void 0")
    turns: list[Turn] = [*[more] * 5, block("setFinal(String(env.n))")]
    async with rlm_stage(tmp_path, turns) as s:
        assert (await s.run()).final == "5"


@pytest.mark.proves("A25", "D32")
async def test_what_was_refused_may_be_done_in_the_same_block_once_it_is_granted(
    tmp_path: Path,
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write = f"await write('{other}/a.txt', 'x')"
    code = (
        f"{write}.catch(() => 0);\n"
        f"await request_permissions('to put it there', {{write: ['{other}']}});\n"
        f"{write};\nsetFinal('written')"
    )
    async with rlm_stage(tmp_path, [block(code)], mode="auto-edit", interactive=True) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(PermissionRequested)
            await s.session.send(Deny(request_id=s.events(PermissionRequested)[0].request_id))
            await s.until(PermissionRequested, 2)
            await s.session.send(Approve(request_id=s.events(PermissionRequested)[1].request_id))
        assert s.session.state.final == "written"
        assert len(s.events(PermissionRequested)) == 2
