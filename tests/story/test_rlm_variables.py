"""Variables of code go along wherever the conversation goes on from; what is gone is told by name."""

import shutil
from functools import partial
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.app.past.forking import fork_aside, move
from ouroboros.app.settings import Settings
from ouroboros.app.teleport.arriving import arrive
from ouroboros.app.teleport.leaving import leave
from ouroboros.core.clock import SystemClock
from ouroboros.core.commands import Branch, Fork, Rollback
from ouroboros.core.events.session import SessionForked
from ouroboros.core.state import State
from ouroboros.repl import checkpoints
from tests.story.rlm_stage import block, contexts, rlm_stage
from tests.story.stage import Stage

FIRST = block("let ships = ['a']; const early = 1; setFinal(1)")
SECOND = block("ships.push('b'); env.late = 2; setFinal(2)")
LOOK = block("setFinal([ships.length, typeof env.late, early])")
BEFORE, AFTER = '[1,"undefined",1]', '[2,"number",1]'


async def two_runs(s: Stage) -> str:
    """Does both; the message that ended the first."""
    await s.run("First.")
    node = s.session.state.tree.head
    await s.run("Second.")
    return node


@pytest.mark.proves("I12")
async def test_a_rollback_brings_the_variables_of_there_back_and_a_jump_those_of_here(
    tmp_path: Path,
) -> None:
    async with rlm_stage(tmp_path, [FIRST, SECOND, LOOK, LOOK]) as s:
        await two_runs(s)
        late = s.session.state.tree.head
        await s.session.send(Rollback(turns=1))
        assert (await s.run("Look.")).final == BEFORE
        told = contexts(s)[2]
        assert "the variables of this session were brought back" in told
        assert "- ships: array, 1 items" in told
        assert "env.late" not in told
        await s.session.send(Branch(message_id=late))
        assert (await s.run("Look.")).final == AFTER
        assert "env.late: number = 2" in contexts(s)[3]


@pytest.mark.proves("I12")
@pytest.mark.deep
async def test_the_middle_of_a_run_has_the_variables_of_that_iteration_and_none_before_it(
    tmp_path: Path,
) -> None:
    turns = [
        *(FIRST, block("setFinal([typeof ships, typeof early])")),
        *(block("let n = 1"), block("n = 2"), block("n = 3; setFinal(n)"), block("setFinal(n)")),
    ]
    async with rlm_stage(tmp_path, turns) as s:
        await s.run("First.")
        await s.session.send(Rollback(turns=1))
        assert (await s.run("Look.")).final == '["undefined","undefined"]'
        assert "Variables: none yet." in contexts(s)[1]
        assert "brought back" not in contexts(s)[1]
        await s.run("Count.")
        replies = [m for m in s.session.history() if m.role == "assistant"]
        await s.session.send(Branch(message_id=replies[-2].id))
        assert (await s.run("Which?")).final == "2"


@pytest.mark.proves("I12")
@pytest.mark.deep
async def test_a_session_that_was_moved_while_closed_goes_on_with_the_variables_of_there(
    tmp_path: Path,
) -> None:
    async with rlm_stage(tmp_path, [FIRST, SECOND]) as s:
        await two_runs(s)
    await to_thread.run_sync(move, tmp_path / "home", s.session.id, Rollback(turns=1))
    async with rlm_stage(tmp_path, [LOOK, LOOK], resume=s.session.id) as again:
        assert (await again.run("Look.")).final == BEFORE
        assert "brought back" in contexts(again)[0]
    async with rlm_stage(tmp_path, [LOOK], resume=s.session.id) as third:
        assert (await third.run("Once more.")).final == BEFORE


@pytest.mark.proves("I12")
@pytest.mark.deep
@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
async def test_a_fork_has_the_variables_of_its_node_and_each_goes_its_own_way(
    tmp_path: Path, *, is_open: bool
) -> None:
    async with rlm_stage(tmp_path, [FIRST, SECOND]) as s:
        node = await two_runs(s)
        if is_open:
            await s.session.send(Fork(message_id=node))
    if is_open:
        child = s.events(SessionForked)[0].child
    else:
        child = await to_thread.run_sync(fork_aside, tmp_path / "home", s.session.id, node)
    changed = block("ships = []; setFinal(0)")
    async with rlm_stage(tmp_path, [LOOK, changed], resume=child) as other:
        assert (await other.run("Look.")).final == BEFORE
        await other.run("Change.")
    async with rlm_stage(tmp_path, [LOOK], resume=s.session.id) as again:
        assert (await again.run("Look.")).final == AFTER


@pytest.mark.proves("I12")
@pytest.mark.deep
async def test_variables_that_are_gone_are_told_by_name(tmp_path: Path) -> None:
    async with rlm_stage(tmp_path, [FIRST, SECOND]) as s:
        await two_runs(s)
    await to_thread.run_sync(shutil.rmtree, tmp_path / "home" / "repl")
    async with rlm_stage(tmp_path, [block("setFinal(typeof ships)")], resume=s.session.id) as again:
        assert (await again.run("Look.")).final == "undefined"
        told = contexts(again)[0]
        assert "the variables of this session are not here any more" in told
        assert "lost are ships, early, env.late" in told
        assert "Variables: none yet." in told


@pytest.mark.proves("I12")
@pytest.mark.deep
async def test_only_so_many_earlier_ones_are_kept(tmp_path: Path) -> None:
    state = State(session="ses_1")
    kept = checkpoints.Checkpoints.of(tmp_path, state)
    taint = checkpoints.Saved()

    def keep() -> list[str]:
        return [
            kept.keep(checkpoints.Checkpoint(variables=b"%d" % number, saved=taint))
            for number in range(checkpoints.MOST + 20)
        ]

    names = await to_thread.run_sync(keep)
    there = {path.name for path in (tmp_path / "repl" / "ses_1").iterdir()}
    assert len(there) == checkpoints.MOST + 1
    assert f"main.{names[-1]}.variables" in there
    assert f"main.{names[0]}.variables" not in there


@pytest.mark.proves("I12", "divergences-variables-of-a-repl")
@pytest.mark.deep
async def test_what_stays_behind_when_a_session_leaves_the_machine_is_told_by_name(
    tmp_path: Path,
) -> None:
    async with rlm_stage(tmp_path, [FIRST]) as s:
        await s.run("First.")
    home, archive, there = tmp_path / "home", tmp_path / "a.teleport", tmp_path / "there"
    await to_thread.run_sync(
        partial(
            leave,
            home,
            s.session.id,
            archive,
            settings=Settings(),
            clock=SystemClock(),
            clean=None,
        )
    )
    came = await to_thread.run_sync(arrive, there / "home", archive, there / "work")
    look = block("setFinal(typeof ships)")
    async with rlm_stage(there, [look], resume=came.session) as again:
        assert (await again.run("Look.")).final == "undefined"
        assert "lost are ships, early" in contexts(again)[0]
