"""Code that calls the same function again and again."""

from pathlib import Path

import pytest

from ouroboros.repl.patience import MOST_FAILURES
from ouroboros.tools.approval import Answer
from tests.unit.repl.repls import Ground
from tests.unit.tools.spine import Spine

pytestmark = pytest.mark.real

TRY = "let n = 0; const said = [];"
WRITE = "try { await write('a.txt', 'x'); n++ } catch (e) { said.push(e.message) }"


def ground(tmp_path: Path, answers: tuple[bool, ...]) -> Ground:
    work = tmp_path / "work"
    work.mkdir()
    given = [Answer(allowed=allowed) for allowed in answers]
    return Ground(Spine(work, mode="ask", answers=given), tmp_path / "home")


@pytest.mark.proves("Z11")
async def test_a_no_is_asked_for_once_in_a_block(tmp_path: Path):
    here = ground(
        tmp_path,
        (
            False,
            True,
        ),
    )
    async with here.repl() as repl:
        loop = (
            f"{TRY} for (let i = 0; i < 50; i++) {{ {WRITE} }} [n, new Set(said).size, said.length]"
        )
        entry = await repl.run_block(loop, call_id="one")
        assert entry.ok, entry.text
        assert len(here.spine.asker.questions) == 1
        assert not (here.cwd / "a.txt").exists()
        # Another call of the block, and the same in another block, are asked about.
        await repl.run_block("await write('b.txt', 'x')", call_id="two")
    assert len(here.spine.asker.questions) == 2
    assert (here.cwd / "b.txt").exists()


@pytest.mark.deep
async def test_what_fails_without_an_end_is_refused(tmp_path: Path):
    here = ground(tmp_path, ())
    code = (
        f"let last = ''; let n = 0; for (let i = 0; i < {MOST_FAILURES + 20}; i++) "
        "{ try { await read('gone.txt') } catch (e) { last = e.message; n++ } } setFinal(last)"
    )
    async with here.repl() as repl:
        entry = await repl.run_block(code, call_id="one")
        again = await repl.run_block(
            "try { await read('gone.txt') } catch (e) { setFinal(e.message) }", call_id="two"
        )
    assert f"failed {MOST_FAILURES} times in this block" in (entry.answer or "")
    assert "times in this block" not in (again.answer or "")
    failed = [event for event in here.spine.journal.types() if event == "tool.result"]
    assert len(failed) == MOST_FAILURES + 1


@pytest.mark.deep
async def test_what_works_in_the_end_may_fail_before(tmp_path: Path):
    here = ground(tmp_path, ())
    (here.cwd / "b.txt").write_text("b")
    code = (
        "let good = 0; for (let i = 0; i < 2; i++) { for (let j = 0; j < 60; j++) "
        "{ try { await read('gone.txt') } catch {} } "
        "try { await read('b.txt'); good++ } catch {} } setFinal(String(good))"
    )
    async with here.repl() as repl:
        assert (await repl.run_block(code, call_id="one")).answer == "2"
