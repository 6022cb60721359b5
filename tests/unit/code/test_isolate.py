import json
from typing import Any

import pytest

from ouroboros.code.errors import IsolateFailed
from ouroboros.code.js.values import Answer
from tests.unit.code.place import TableHost, isolate, names, told

pytestmark = pytest.mark.real

ARGUMENTS = [
    ("echo(new Map())", "echo: argument 1 is a Map, not JSON: give Object.fromEntries(it)"),
    ("echo(1, {a: [new Set()]})", "echo: argument 2.a[0] is a Set, not JSON: give [...it]"),
    ("echo(10n)", "echo: argument 1 is a bigint, not JSON: give String(it)"),
    ("echo(() => 1)", "echo: argument 1 is a function, not JSON: give its result"),
    ("echo(NaN)", "echo: argument 1 is NaN, which JSON does not have"),
    ("echo([Infinity])", "echo: argument 1[0] is Infinity, which JSON does not have"),
    ("echo(new Uint8Array(2))", "echo: argument 1 is a typed array, not JSON: give Array.from(it)"),
    ("const c = {}; c.c = c; await echo(c)", "echo: argument 1.c is cyclic: it holds itself"),
    ("echo({p: Promise.resolve(1)})", "echo: argument 1.p is a promise, not JSON: give await it"),
    ("echo({toJSON() { throw new Error('my words') }})", "echo: argument 1.toJSON is a function"),
]


@pytest.mark.deep
@pytest.mark.proves("browser-faults")
async def test_arguments_that_are_no_json_are_named():
    host = TableHost()
    async with isolate(host) as one:
        for code, words in ARGUMENTS:
            outcome = await one.run(code)
            assert words in told(outcome), code
            assert outcome.thrown is not None
            assert outcome.thrown.line == 1
        assert host.asked == []


@pytest.mark.deep
async def test_arguments_and_answers_arrive_as_they_are():
    host = TableHost()
    async with isolate(host) as one:
        value: Any = {"a": [1, -2.5, True, None, "ä\u2028\U0001f600", {"__proto__": 1}], "": {}}
        await one.define("given", json.dumps(value).encode())
        await one.run("const back = await echo(given)")
        assert json.loads(await one.value("back")) == value
        await one.run("await echo('tab', undefined, new Date(0), {u: undefined})")
        assert host.asked[-1] == ("echo", ["tab", None, "1970-01-01T00:00:00.000Z", {}])
        await one.run("await echo(echo('first'), Promise.resolve(2))")
        assert host.asked[-1] == ("echo", ["first", 2])


async def test_a_failed_call_can_be_caught_and_shows_the_models_line():
    async with isolate() as one:
        caught = await one.run(
            "let said\ntry {\n  await fail('words')\n} catch (e) {\n  said = e\n}\n"
            "[said instanceof Error, said.message, /block1.js:3/.test(said.stack)]"
        )
        assert told(caught) == '[true,"words",true]'


async def test_getters_read_what_they_were_last_given():
    host = TableHost()

    async def opened() -> Answer:
        return Answer(value=b'"tab_2"', globals={"tabs": b'["tab_1","tab_2"]'})

    host.functions["openTab"] = opened
    async with isolate(host, globals=("tabs", "activeTab")) as one:
        assert told(await one.run("tabs")) == "null"
        await one.put("tabs", b'["tab_1"]')
        assert told(await one.run("tabs.length")) == "1"
        assert told(await one.run("await openTab(); [tabs.length, tabs === tabs]")) == "[2,true]"


@pytest.mark.proves("B19")
async def test_env_lives_across_blocks_and_is_listed():
    async with isolate() as one:
        await one.run("env.total = 1; env['odd name'] = [1]")
        outcome = await one.run("env.total += 1; env.total")
        assert told(outcome) == "2"
        assert names(outcome) == ("env.total", "env.odd name")


@pytest.mark.deep
async def test_set_final_keeps_the_last_value_of_a_block():
    async with isolate() as one:
        outcome = await one.run("setFinal('first'); setFinal({n: 2}); 5")
        assert outcome.final is not None
        assert (bytes(outcome.final), outcome.final_text) == (b'{"n":2}', False)
        void = await one.run("setFinal(undefined)")
        assert void.final is not None
        assert bytes(void.final) == b"null"
        cyclic = await one.run("const c = {}; c.c = c; setFinal(c)")
        assert cyclic.final is None
        assert "cyclic" in told(cyclic)
        failed = await one.run("setFinal(7); throw new Error('after')")
        assert failed.final is not None
        assert told(failed) == "Error at 1: after"


@pytest.mark.deep
async def test_timers_work_and_end_with_their_block():
    host = TableHost()
    async with isolate(host) as one:
        code = "const at = []; setTimeout(() => at.push(2), 30); await new Promise(r => setTimeout(r, 60)); at"
        assert told(await one.run(code)) == "[2]"
        await one.run("setTimeout(() => echo('late'), 20); 1")
        await one.run("await wait(0.1)")
        assert host.asked == [("wait", [0.1])]
        assert (
            told(
                await one.run(
                    "const t = setTimeout(() => env.x = 1, 10); clearTimeout(t); await wait(0.05); 'x' in env"
                )
            )
            == "false"
        )


KEPT = """
const plain = {n: 1, list: [1, 'a', null, [true]], deep: {a: {b: 'c'}}};
const odd = [undefined, NaN, -0, Infinity, 10n, new Date(5), /x/gi, new Map([['k', new Set([1])]]), '\\u0192'];
const marked = ['\\u0192', 'Map', 1];
const bare = Object.assign(Object.create(null), {x: 1});
function half(n) { return n / two() }
const two = () => 2;
async function later() { return await echo(half(8)) }
class Shape { area() { return half(10) } }
env.total = 3;
const sym = Symbol('x'), inst = new Shape(), fns = {f: () => 1};
const closed = (() => { const secret = 1; return () => secret })();
"""


@pytest.mark.deep
@pytest.mark.proves("browser-stop")
async def test_a_checkpoint_brings_everything_back_that_stands_alone_and_names_the_rest():
    async with isolate() as one:
        await one.run(KEPT)
        saved = await one.checkpoint()
    async with isolate() as other:
        lost = await other.restore(saved)
        assert sorted(lost) == ["closed", "fns", "inst", "sym"]
        assert told(await other.run("[plain.deep.a.b, plain.list, bare.x, env.total]")) == (
            '["c",[1,"a",null,[true]],1,3]'
        )
        assert (
            told(
                await other.run(
                    "[odd[0] === undefined, odd[1] !== odd[1], Object.is(odd[2], -0), odd[3], odd[4] === 10n,"
                    " odd[5].getTime(), odd[6].flags, odd[7].get('k').has(1), odd[8], Array.isArray(marked),"
                    " Object.getPrototypeOf(bare)]"
                )
            )
            == '[true,true,true,Infinity,true,5,"gi",true,"\u0192",true,null]'
        )
        assert told(await other.run("[await later(), new Shape().area()]")) == "[4,5]"
        assert await other.checkpoint() != b""
        assert json.loads(await other.checkpoint())["functions"] == json.loads(saved)["functions"]


@pytest.mark.deep
@pytest.mark.proves("browser-stop")
async def test_a_checkpoint_is_bounded_and_names_what_was_too_large():
    async with isolate() as one:
        await one.run("const small = 1, big = 'x'.repeat(4e7), wide = Array(4e6).fill(0), end = 2")
        saved = json.loads(await one.checkpoint())
        assert saved["lost"] == ["big", "wide"]
        assert saved["values"] == {"small": 1, "end": 2}


async def test_no_checkpoint_is_refused_in_words():
    async with isolate() as one:
        for broken in (b"", b"{", b"[]", b'{"values": 5}'):
            with pytest.raises(IsolateFailed, match="no checkpoint"):
                await one.restore(broken)
        lying = (
            b'{"values":{"x":["\xc6\x92","Map",5]},"functions":[["f","}{"]],"seeds":[],"lost":[]}'
        )
        assert "f" in await one.restore(lying)
        assert told(await one.run("1")) == "1"


@pytest.mark.deep
@pytest.mark.proves("browser-faults")
async def test_values_for_the_parent_are_json_or_a_clear_no():
    async with isolate() as one:
        await one.run("const a = {n: [1]}, f = () => 1; env.b = 'text'")
        assert await one.value("a") == b'{"n":[1]}'
        assert await one.value("env.b") == b'"text"'
        for name in ("f", "missing", "env.missing"):
            with pytest.raises(IsolateFailed):
                await one.value(name)


@pytest.mark.proves("B06", "B08")
async def test_what_a_handle_holds_takes_no_place_in_a_preview():
    held = "{__handle: {node: 7, frame: 'F'.repeat(32), loader: 'L'.repeat(32)}}"
    async with isolate() as one:
        outcome = await one.run(f"[{{role: 'link', handle: {held}, name: 'Next'}}]")
        assert outcome.shape is not None
        assert outcome.shape.preview == '[{"role":"link","handle":{"__handle":{…}},"name":"Next"}]'
        kept = await one.run(f"const h = {held}; h.__handle.frame.length")
        assert kept.shape is not None
        assert kept.shape.preview == "32"


@pytest.mark.deep
async def test_shapes_tell_kind_size_schema_and_a_bounded_preview():
    async with isolate() as one:
        outcome = await one.run(
            "const rows = Array.from({length: 5000}, (_, i) => ({id: i, tags: ['t' + i]})); rows"
        )
        shape = outcome.shape
        assert shape is not None
        assert (shape.kind, shape.size, shape.schema) == (
            "array",
            5000,
            "{id: number, tags: [string]}",
        )
        assert shape.characters == len(
            json.dumps([{"id": i, "tags": [f"t{i}"]} for i in range(5000)], separators=(",", ":"))
        )
        assert len(shape.preview) == 400
        (variable,) = outcome.variables
        assert len(variable.shape.preview) == 200
        huge = await one.run("Array.from({length: 1e6}, (_, i) => i)")
        assert huge.shape is not None
        assert (huge.shape.size, huge.shape.characters) == (1_000_000, None)


OUT_OF_THE_BLOCK = [
    "}); globalThis.x = 1; (async () => {",
    "})(); globalThis.x = 1; (async () => {",
    "}); globalThis.x = 1; (() => {",
    "}); globalThis.x = 1; ({",
    "}, globalThis.x = 1, () => {",
    "}, globalThis.x = 1); (async () => {",
    "}); globalThis.x = 1 //",
    "return 5 }); x = 2; (async () => {",
    "//\n})();x=1;(async()=>{",
    "/* } */ }); x = 1; (async () => { /* { */",
    "`}`; }); x = 1; (async () => { `{`;",
    "await 1; }); x = 1; (async () => { await 2;",
    "});\nglobalThis.x = 1;\n(function* () {",
    "}) || (globalThis.x = 1) || (async () => {",
    "}; x = 1; {",
    "} x = 1; {",
]


@pytest.mark.deep
@pytest.mark.proves("browser-rewrite")
async def test_no_text_ends_the_block_that_it_is_in():
    async with isolate() as one:
        await one.run("const kept = 1")
        for code in OUT_OF_THE_BLOCK:
            outcome = await one.run(code)
            assert outcome.thrown is not None, code
            assert outcome.thrown.name == "SyntaxError", (code, told(outcome))
            assert told(await one.run("typeof x + kept")) == '"undefined1"', code
