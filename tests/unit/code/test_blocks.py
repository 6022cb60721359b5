from collections.abc import Sequence

import pytest

from tests.unit.code import blocks
from tests.unit.code.place import isolate, names, told

pytestmark = pytest.mark.real

CLEAN = "for (const k of Object.keys(globalThis)) delete globalThis[k]; delete env.n"


async def disagreements(cases: Sequence[tuple[list[str], str]], *, beginning: bool = False):
    """Every case whose last block does not come to what the table says."""
    wrong: list[tuple[list[str], str, str]] = []
    async with isolate() as one:
        for code, expected in cases:
            said = ""
            for block in code:
                said = told(await one.run(block))
            if said != expected and not (beginning and said.startswith(expected)):
                wrong.append((code, expected, said))
            assert told(await one.run(CLEAN)) == "true"
    return wrong


@pytest.mark.proves("B01", "browser-rewrite", "divergences-names-of-a-block")
async def test_what_a_block_declares_is_there_for_the_next_one():
    assert await disagreements(blocks.STAYS) == []


@pytest.mark.deep
@pytest.mark.proves("browser-rewrite")
async def test_the_last_expression_is_the_value_of_a_block():
    assert await disagreements(blocks.VALUES) == []


@pytest.mark.deep
async def test_text_that_only_looks_like_a_declaration_is_left_alone():
    assert await disagreements(blocks.UNTOUCHED) == []


@pytest.mark.deep
@pytest.mark.proves("browser-rewrite")
async def test_errors_say_the_line_that_was_written():
    assert await disagreements(blocks.FAULTS, beginning=True) == []


def test_there_are_many_cases():
    cases = [*blocks.STAYS, *blocks.VALUES, *blocks.UNTOUCHED, *blocks.FAULTS]
    assert len({"\0".join(code) for code, _ in cases}) >= 160


async def test_a_name_of_the_repl_may_be_used_for_one_block_and_comes_back():
    async with isolate() as one:
        own = await one.run("const echo = 3; echo")
        assert told(own) == "3"
        assert own.notes == ("echo belongs to this REPL: your own echo lasts for this block only",)
        assert names(own) == ()
        assert told(await one.run("await echo(4)")) == "4"


NO_PROGRAMS = (
    *("(" * 2_000, "[" * 20_000, "a" * 200_000),
    *("`${" * 3_000, "\x00\ufeff\u2028;", "{" * 5_000),
)


@pytest.mark.deep
async def test_text_that_is_no_program_is_refused_and_the_next_block_runs():
    async with isolate() as one:
        found = [
            (code[:9], (await one.run(code)).thrown is not None, told(await one.run("1")))
            for code in NO_PROGRAMS
        ]
    assert found == [(code[:9], True, "1") for code in NO_PROGRAMS]
