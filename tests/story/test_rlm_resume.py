"""kill -9 in a run of the mind that writes code: it goes on with its variables, and repeats nothing."""

from pathlib import Path

import pytest

from ouroboros.core.events.code import IterationStarted
from ouroboros.llm.turns import Turn
from tests.story.rlm_killed import killed
from tests.story.rlm_stage import block, contexts, findings
from tests.story.stage import stage


@pytest.mark.proves("browser-kills")
@pytest.mark.deep
async def test_a_killed_run_goes_on_with_its_variables(tmp_path: Path) -> None:
    turns = [
        block("const ships = ['a', 'b'];\nfunction count() { return ships.length }\nships"),
        block("env.red = 1;\n1"),
        Turn(text="never said", delay_seconds=60),
    ]
    await killed(tmp_path, turns, 3, until=(IterationStarted, 3))
    end = [block("setFinal(count() + env.red)")]
    opening = {"mind": ""}
    async with stage(
        tmp_path, end, check=False, cwd=tmp_path / "work", latest=True, opening=opening
    ) as s:
        assert s.session.state.mind == "rlm"
        outcome = await s.run("")
        assert (outcome.reason, outcome.final) == ("completed", "3")
        (told,) = contexts(s)
        assert told.startswith('# Task\n"""\nCount the ships.\n"""\nIteration 4 of 25.')
        assert "- ships: array, 2 items" in told
        assert "## Iteration 1\n```repl\nconst ships" in told
        assert "brought back" in told
        assert [e.iteration for e in s.events(IterationStarted)] == [4]
        assert findings(s).breaches == ()


@pytest.mark.proves("browser-kills")
async def test_a_kill_within_a_block_is_told_and_nothing_is_run_again(tmp_path: Path) -> None:
    turns = [
        block("await write('once.txt', 'x');\nawait sleep(10_000)", "await write('b.txt', 'x')")
    ]
    await killed(tmp_path, turns, 1, file="once.txt")
    (tmp_path / "work" / "once.txt").unlink()
    async with stage(
        tmp_path, [block("setFinal('seen')")], check=False, cwd=tmp_path / "work", latest=True
    ) as s:
        assert (await s.run("")).final == "seen"
        (told,) = contexts(s)
        assert "Whether it took effect is unknown" in told
        assert "it did not run" in told
        assert not (tmp_path / "work" / "once.txt").exists()
        assert not (tmp_path / "work" / "b.txt").exists()
