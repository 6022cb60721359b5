"""Programs of plain JavaScript come to the same, run as one script and cut into blocks."""

import json

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.code.js.rewrite import Rewritten, SyntaxFault, rewritten
from tests.cases import every
from tests.unit.code.place import isolate

pytestmark = pytest.mark.real

NAMES = ("a", "b", "c", "d")
numbers = st.integers(-9, 99).map(str)
named = st.sampled_from(NAMES)
atoms = st.one_of(numbers, named, st.just("'t'"), st.just("[1, [2]]"), st.just("({k: 3})"))
sums = st.tuples(atoms, atoms).map(lambda two: f"({two[0]} + {two[1]})")
values = st.one_of(
    atoms,
    sums,
    named.map(lambda n: f"((x) => {{ const a = x; var b = 1; return a + b }})({n})"),
    named.map(lambda n: f"`let ${{{n}}} = 1; var q`"),
    atoms.map(lambda one: f"(function () {{ let x = {one}; var y = x; return y }})()"),
)
statements = st.one_of(
    st.tuples(named, values).map(lambda two: f"var {two[0]} = {two[1]}"),
    st.tuples(named, values).map(lambda two: f"{two[0]} = {two[1]};"),
    st.tuples(named, named, values).map(
        lambda t: f"var {{k: {t[0]} = 7, ...{t[1]}}} = {{z: {t[2]}}}"
    ),
    st.tuples(named, named, values).map(lambda t: f"var [{t[0]}, {t[1]} = 2] = [{t[2]}]"),
    st.tuples(named, values).map(
        lambda two: f"for (var {two[0]} of [{two[1]}, 1]) {{ let a = 5 }}"
    ),
    st.tuples(named, values).map(lambda two: f"for (var {two[0]} = 0; {two[0]} < 3; {two[0]}++);"),
    st.tuples(named, values).map(
        lambda two: f"if ({two[0]}) {{ var {two[0]} = {two[1]} }} else b = 1"
    ),
    st.tuples(named, values).map(lambda two: f"try {{ {two[0]} = {two[1]} }} finally {{ c }}"),
    st.tuples(named, values).map(
        lambda two: f"switch (1) {{ case 1: var {two[0]} = {two[1]}; break }}"
    ),
    st.tuples(named, named, st.integers(0, 10**9)).map(
        lambda t: f"function f{t[2]}() {{ return {t[0]} }} var {t[1]} = f{t[2]}()"
    ),
    st.just("{ let a = 1; const b = a }"),
)
programs = st.lists(statements, min_size=1, max_size=8)
BEFORE = "var a = 1, b = 'two', c = [3], d = {k: 4};"
SEEN = "JSON.stringify([a, b, c, d])"


@pytest.mark.deep
@pytest.mark.proves("browser-rewrite")
@settings(max_examples=8)
@given(st.lists(programs, min_size=4, max_size=12))
def test_a_program_cut_into_blocks_comes_to_what_one_script_comes_to(many: list[list[str]]):
    async def both() -> None:
        async with isolate() as one:
            for program in many:
                whole = "\n".join([BEFORE, *program])
                await one.run(
                    f"env.whole = (0, eval)({json.dumps(f'(function () {{ {whole} ; return {SEEN} }})()')})"
                )
                for block in (BEFORE, *program):
                    await one.run(block)
                await one.run(f"env.blocks = {SEEN}")
                assert await one.value("env.blocks") == await one.value("env.whole"), program

    anyio.run(both)


@pytest.mark.deep
@pytest.mark.proves("browser-rewrite")
@given(st.text(max_size=200))
def test_any_text_is_rewritten_or_refused(text: str):
    assert isinstance(rewritten(text, {"echo"}), Rewritten | SyntaxFault)


@pytest.mark.proves("browser-rewrite")
@given(programs)
def test_lines_stay_where_they_were(program: list[str]):
    text = "\n".join(program)
    found = rewritten(text)
    assert isinstance(found, Rewritten)
    assert found.code.count("\n") == found.plain.count("\n") == text.count("\n") + 1


@pytest.mark.deep
@every("nesting", ["(", "[", "{", "x => ", "!", "if (1) ", "`${"])
def test_deep_nesting_does_not_exhaust_the_reader(nesting: str):
    assert isinstance(rewritten(nesting * 20_000), Rewritten | SyntaxFault)
