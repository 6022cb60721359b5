"""kill -9 while children work: asked again where that repeats nothing, else named as gone."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.app.past.sessions import events
from ouroboros.core.events import ToolResulted
from ouroboros.core.events.code import IterationStarted
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.core.parts import Text
from ouroboros.llm.turns import Turn
from tests.story.rlm_killed import killed
from tests.story.rlm_stage import block, contexts
from tests.story.stage import Stage, stage

ASK = "const a = await llm_query('How many are red?', ships);\nsetFinal(a + ' of ' + ships.length)"
DEFINE = block("const ships = ['a', 'b'];")
SILENT = Turn(text="never said", delay_seconds=90)


def again(tmp_path: Path, turns: list[Turn]) -> AbstractAsyncContextManager[Stage]:
    return stage(tmp_path, turns, check=False, cwd=tmp_path / "work", latest=True)


def told(s: Stage) -> str:
    return "\n".join(
        part.text for e in s.events(ToolResulted) for part in e.parts if isinstance(part, Text)
    )


@pytest.mark.proves("I12")
@pytest.mark.deep
async def test_a_block_that_only_asked_is_run_again_and_its_child_is_asked_again(
    tmp_path: Path,
) -> None:
    await killed(tmp_path, [DEFINE, block(ASK), SILENT], 3, until=(SubagentStarted, 1))
    async with again(tmp_path, [Turn(text="One")]) as s:
        (warning,) = [each for each in s.session.warnings if "child" in each]
        assert "sub_1 ended with the program and is asked again" in warning
        assert "How many are red? (a plain read)" in warning
        outcome = await s.run("")
        assert (outcome.reason, outcome.final) == ("completed", "One of 2")
        assert len(s.server.exchanges) == 1  # the child's: the run itself is not asked again
        record = await to_thread.run_sync(events, tmp_path / "home", s.session.id)
    kept = [envelope.data for envelope in record.envelopes]
    begun = [e.child for e in kept if isinstance(e, SubagentStarted)]
    ended = [(e.child, e.reason) for e in kept if isinstance(e, SubagentCompleted)]
    assert begun == ["sub_1", "sub_2"]
    assert ended == [("sub_1", "lost"), ("sub_2", "completed")]


@pytest.mark.proves("I12")
@pytest.mark.deep
async def test_a_child_whose_block_has_acted_is_named_as_gone_to_model_and_person(
    tmp_path: Path,
) -> None:
    acts = block(f"await write('once.txt', 'x');\n{ASK}")
    await killed(tmp_path, [DEFINE, acts, SILENT], 3, until=(SubagentStarted, 1))
    (tmp_path / "work" / "once.txt").unlink()
    async with again(tmp_path, [block("setFinal('seen')")]) as s:
        assert any(
            "sub_1 ended with the program and is gone" in each for each in s.session.warnings
        )
        assert (await s.run("")).final == "seen"
        (context,) = contexts(s)
        assert "Whether it took effect is unknown" in context
        assert "- sub_1: How many are red? (a plain read)" in context
        assert not (tmp_path / "work" / "once.txt").exists()


@pytest.mark.proves("I12")
@pytest.mark.deep
async def test_how_far_a_child_of_its_own_had_come_is_told(tmp_path: Path) -> None:
    large = "x".ljust(60_000)
    code = f"await store('k', 1);\nawait llm_query('Look through it.', 'x'.repeat({len(large)}))"
    turns = [block(code), block("const seen = 1;"), SILENT]
    await killed(tmp_path, turns, 3, until=(IterationStarted, 3))
    async with again(tmp_path, [block("setFinal('seen')")]) as s:
        await s.run("")
        assert "- sub_1: Look through it. (in iteration 2)" in contexts(s)[0]


@pytest.mark.proves("I12")
@pytest.mark.deep
async def test_new_words_do_not_start_it_again(tmp_path: Path) -> None:
    await killed(tmp_path, [DEFINE, block(ASK), SILENT], 3, until=(SubagentStarted, 1))
    async with again(tmp_path, [block("setFinal(ships.length)")]) as s:
        assert (await s.run("Leave the colours.")).final == "2"
        assert len(s.server.exchanges) == 1
        assert "its variables are those of before" in told(s)
        assert "- sub_1: How many are red?" in told(s)
        assert s.session.state.calls == {}


@pytest.mark.proves("I12")
@pytest.mark.deep
async def test_a_block_that_was_cut_off_twice_is_not_run_a_third_time(tmp_path: Path) -> None:
    await killed(tmp_path, [DEFINE, block(ASK), SILENT], 3, until=(SubagentStarted, 1))
    await killed(tmp_path, [SILENT], 1, resume="yes", until=(SubagentStarted, 2))
    async with again(tmp_path, [block("setFinal('no more')")]) as s:
        assert any(
            "sub_2 ended with the program and is gone" in each for each in s.session.warnings
        )
        assert (await s.run("")).final == "no more"
        assert "- sub_2: How many are red?" in contexts(s)[0]
