"""A final value over the heads of children: refused once with their names, then they are ended and named."""

from pathlib import Path

import anyio
import pytest

from ouroboros.core.commands import Interrupt
from ouroboros.core.events.code import CodeResulted, Logged
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.llm.turns import Turn
from tests.story.rlm_stage import block, contexts, rlm_stage

OVER = "llm_query('Look at it', 'x');\nsetFinal('early');\nawait sleep(50);\nwhile (true) {}"
SHORT = {"block_timeout": 0.3}
SLOW = Turn(text="late", when="The data follows between", delay_seconds=90)


def warnings(shown: list[Logged]) -> list[str]:
    return [each.text for each in shown if each.level == "warning"]


@pytest.mark.proves("A16", "divergences-setfinal-over-children")
async def test_it_is_refused_once_and_the_second_time_the_person_is_told_who_was_ended(
    tmp_path: Path,
) -> None:
    turns = [block(OVER), block("setFinal('late enough')"), block(OVER), block(OVER + " // again")]
    async with rlm_stage(tmp_path, [*turns, SLOW], rlm=SHORT) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.final) == ("completed", "late enough")
        (told,) = [each for each in contexts(s) if "setFinal was refused" in each]
        assert "- sub_1: Look at it (a plain read)" in told
        assert "the run ends with it" not in told
        assert [(e.child, e.reason) for e in s.events(SubagentCompleted)] == [
            ("sub_1", "cancelled")
        ]
        assert [e.ok for e in s.events(CodeResulted)] == [False, True]
        assert warnings(s.events(Logged)) == []
        s.afresh()
        outcome = await s.run()
        assert (outcome.reason, outcome.final) == ("completed", "early")
        (warning,) = warnings(s.events(Logged))
        assert "- sub_2: Look at it" in warning
        assert s.session.state.children == {}


@pytest.mark.deep
@pytest.mark.proves("A16")
async def test_children_that_end_in_time_are_in_nobodys_way(tmp_path: Path) -> None:
    asks = "llm_query('Read it', 'x')"
    turns = [
        *(block(f"setFinal(await {asks})"), block(f"{asks}; setFinal('ok')")),
        Turn(text="ok", when="The data follows between"),
    ]
    async with rlm_stage(tmp_path, turns) as s:
        assert [(await s.run()).final, (await s.run()).final] == ["ok", "ok"]
        assert "refused" not in "".join(map(str, s.shown))


@pytest.mark.deep
@pytest.mark.proves("A16")
async def test_those_of_a_run_that_was_stopped_do_not_count_against_the_next(
    tmp_path: Path,
) -> None:
    turns = [block("await llm_query('Look at it', 'x')"), block("setFinal('next')"), SLOW]
    async with rlm_stage(tmp_path, turns) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run, "One.")
            await s.until(SubagentStarted)
            await s.session.send(Interrupt())
        assert (await s.run("Two.")).final == "next"


@pytest.mark.proves("A16")
@pytest.mark.deep
async def test_it_holds_for_the_children_of_a_child(tmp_path: Path) -> None:
    ask = block("setFinal(await llm_query('Go on.', 'x'.repeat(60_000)))")
    turns = [ask, block(OVER), block("setFinal('of the child')"), SLOW]
    async with rlm_stage(tmp_path, turns, rlm={**SHORT, "depth": 2}) as s:
        assert (await s.run()).final == "of the child"
        (told,) = [each for each in contexts(s) if "setFinal was refused" in each]
        assert "- sub_2: Look at it (a plain read)" in told
