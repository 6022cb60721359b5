"""The mind that writes code asks the person, and is stopped when it does the same without end."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from ouroboros.agent.running.repeats import REPEATED
from ouroboros.core.commands import Answer, Approve, Deny
from ouroboros.core.errors import Misuse
from ouroboros.core.events import PermissionRequested, PermissionsGranted
from ouroboros.core.events.code import CodeGenerated
from ouroboros.core.events.question import UserAsked
from ouroboros.llm.turns import Turn
from tests.cases import every
from tests.story.rlm_stage import block, contexts, rlm_stage
from tests.story.stage import Stage

ASKS = block(
    "const q = {id: 'db', header: 'Database', question: 'Which?', "
    "options: [{label: 'SQLite', description: 'one file'}]};\n"
    "const said = await request_user_input([q]);\nsetFinal(said.answers.db.answers[0])"
)


@pytest.mark.deep
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


@pytest.mark.deep
@pytest.mark.proves("A25", "D32")
async def test_it_asks_to_be_allowed_more_than_once(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write = f"await write('{other}/a.txt', 'x')"
    asks = f"await request_permissions('to put it there', {{write: ['{other}']}})"
    turns = [
        *(block(f"{asks};\n{write};\nsetFinal('written')"), block("setFinal('not allowed')")),
        block(f"{write}.catch(() => 0);\n{asks};\n{write};\nsetFinal('written')"),
    ]
    async with rlm_stage(tmp_path, turns, mode="auto-edit", interactive=True) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await answered(s, Deny)
        assert s.events(PermissionsGranted) == []
        assert not (other / "a.txt").exists()
        assert s.session.state.final == "not allowed"
        # What was refused may be done in the same block once it is granted.
        s.afresh()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await answered(s, Deny)
            await answered(s, Approve, 2)
        assert s.session.state.final == "written"
        assert len(s.events(PermissionRequested)) == 2
        assert len(s.events(PermissionsGranted)) == 1
        assert (other / "a.txt").exists()


async def answered(s: Stage, answer: type[Approve | Deny], number: int = 1) -> None:
    await s.until(PermissionRequested, number)
    await s.session.send(answer(request_id=s.events(PermissionRequested)[number - 1].request_id))


@pytest.mark.deep
@pytest.mark.proves("Z11")
async def test_blocks_that_fail_the_same_are_not_run_for_ever(tmp_path: Path) -> None:
    wrong, other = block("await read('gone.txt')"), block("null.x")
    more = block("env.n = (env.n ?? 0) + 1; void 0")
    turns: list[Turn] = [
        *([more] * 5),
        block("setFinal(String(env.n) + typeof request_user_input)"),
        *([wrong] * 4),
        *([other, wrong] * 5),
    ]
    async with rlm_stage(tmp_path, turns) as s:
        # What may bring something new is run more often; where nobody is there none is asked.
        assert (await s.run()).final == "5undefined"
        assert "request_" not in s.body()["messages"][0]["content"]
        s.afresh()
        outcome = await s.run()
        assert outcome.reason == "limit_reached:repeated_call"
        assert len(s.events(CodeGenerated)) == 2
        assert REPEATED in contexts(s)[-1]
        s.afresh()
        assert (await s.run()).reason == "limit_reached:repeated_call"
        assert len(s.events(CodeGenerated)) == 4


@pytest.mark.deep
@pytest.mark.proves("E17", "D32")
@every(
    "interactive, guardian, mode, told",
    [
        (False, False, "ask", True),
        (False, False, "auto-edit", True),
        (False, False, "full-auto", True),
        (False, False, "plan", True),
        (True, False, "ask", False),
        (True, False, "full-auto", False),
        (False, True, "ask", False),
    ],
)
async def test_code_is_told_that_nobody_can_be_asked(
    interactive: bool, guardian: bool, mode: str, told: bool, tmp_path: Path
) -> None:
    turns = [
        block("await llm_query('How many?', 'x '.repeat(9_000))"),
        block("setFinal(1)"),
        block("setFinal('done')"),
    ]
    opening: dict[str, Any] = {"mode": mode, "interactive": interactive}
    opening |= {"guardian": {"enabled": True, "model": "echo"}} if guardian else {}
    opening |= {"rlm": {"leaf_tokens": 1_000}}
    async with rlm_stage(tmp_path, turns, **opening) as s:
        await s.run()
        asked = contexts(s)
        assert len(asked) == 3  # the child's is the one between
        words = "Nobody is here to be asked: what needs approval is refused."
        assert [words in each for each in asked] == [told] * 3


@pytest.mark.proves("E17")
async def test_code_is_told_why_a_call_was_refused_and_that_nobody_was_there(
    tmp_path: Path,
) -> None:
    turns = [block("await write('a.txt', 'x')"), block("setFinal('went on')")]
    async with rlm_stage(tmp_path, turns, mode="ask") as s:
        outcome = await s.run()
        assert "Nobody is here to approve this" in contexts(s)[1]
        assert (outcome.exit_code, outcome.unapproved) == (0, 1)
        assert s.session.state.final == "went on"
