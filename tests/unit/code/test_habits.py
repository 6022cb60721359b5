"""What models write out of habit, from browsers, Node and Puppeteer: it works, or says what does."""

import json

import pytest

from tests.unit.code.place import TableHost, isolate, told

pytestmark = pytest.mark.real

URLS = [
    (
        "new URL('https://Shop.example:443/a/../b/./c?q=1&r=a%20b#top').href",
        "https://shop.example/b/c?q=1&r=a%20b#top",
    ),
    (
        "new URL('../list?page=2', 'http://127.0.0.1:8611/shop/items/1').href",
        "http://127.0.0.1:8611/shop/list?page=2",
    ),
    ("new URL('?page=3', 'http://a.test/x/y?page=2#z').href", "http://a.test/x/y?page=3"),
    ("new URL('#end', 'http://a.test/x?q=1').href", "http://a.test/x?q=1#end"),
    ("new URL('/root', 'http://u:p@a.test:81/x').href", "http://u:p@a.test:81/root"),
    ("new URL('//b.test/x', 'https://a.test/').href", "https://b.test/x"),
    ("new URL('http://a.test').pathname", "/"),
    ("new URL('http://a.test/..').href", "http://a.test/"),
    ("new URL('mailto:ada@example.test').pathname", "ada@example.test"),
    ("new URL('data:text/plain,hi').protocol", "data:"),
    ("new URL('http://a.test:8080/p').host", "a.test:8080"),
    ("new URL('http://[::1]:8080/p').hostname", "[::1]"),
    ("new URL('https://a.test/p').origin", "https://a.test"),
    ("new URL('https://a.test/ä b').href", "https://a.test/%C3%A4%20b"),
    ("new URL('https://a.test/?x=a+b&x=c').searchParams.getAll('x').join()", "a b,c"),
    (
        "const u = new URL('https://a.test/?x=1'); u.searchParams.set('x', 'ä &'); u.href",
        "https://a.test/?x=%C3%A4+%26",
    ),
    (
        "const w = new URL('https://a.test/?x=1'); w.searchParams.delete('x'); `${w}`",
        "https://a.test/",
    ),
    ("JSON.stringify({u: new URL('https://a.test/')})", '{"u":"https://a.test/"}'),
    ("`${new URLSearchParams({q: 'a b', n: 2})}`", "q=a+b&n=2"),
    ("JSON.stringify([...new URLSearchParams('?a=1&b=')])", '[["a","1"],["b",""]]'),
    ("new URLSearchParams('a=100%').get('a')", "100%"),
    ("['', 'nothing', 'http://', 'http://a b/', '/x'].filter(URL.canParse).join()", ""),
    ("btoa('ünï!')", "/G7vIQ=="),
    ("atob('/G7vIQ==')", "ünï!"),
    ("atob(btoa('any length')) + atob('YQ') + btoa('')", "any lengtha"),
]


@pytest.mark.deep
async def test_addresses_and_base64_are_there_as_in_a_browser():
    async with isolate() as one:
        wrong = [
            (code, expected, said)
            for code, expected in URLS
            if (said := told(await one.run(code))) != json.dumps(expected, ensure_ascii=False)
        ]
        assert wrong == []
        assert "Invalid URL: nothing" in told(await one.run("new URL('nothing')"))


async def test_a_clone_shares_nothing_with_what_it_was_made_of():
    async with isolate() as one:
        code = """
            const was = {list: [1, {a: 2}], map: new Map([["k", [3]]]), at: new Date(0), none: undefined};
            was.self = was;
            const copy = structuredClone(was);
            was.list[1].a = 9; was.map.get("k").push(4); was.at.setTime(5);
            [copy.list[1].a, copy.map.get("k").length, +copy.at, "none" in copy, copy.self === copy]
        """
        assert told(await one.run(code)) == "[2,1,0,true,true]"
        assert "could not be cloned" in told(await one.run("structuredClone({f() {}})"))


async def test_what_the_isolate_brings_along_is_no_variable_of_the_model():
    async with isolate() as one:
        outcome = await one.run("const URL = 5; const mine = 1; URL")
        assert told(outcome) == "5"
        assert {variable.name for variable in outcome.variables} == {"URL", "mine"}
        assert (await one.run("1")).notes == ()


@pytest.mark.deep
async def test_set_final_waits_for_a_promise():
    async with isolate() as one:
        outcome = await one.run(
            "async function made() { return {n: await echo(4)} }; setFinal(made())"
        )
        assert outcome.final is not None
        assert bytes(outcome.final) == b'{"n":4}'
        text = await one.run("setFinal(echo('words'))")
        assert text.final_text
        failed = await one.run("setFinal(fail('no such thing'))")
        assert failed.final is None
        assert told(failed).endswith("no such thing")
        later = await one.run("setFinal(echo('first')); setFinal('second')")
        assert later.final is not None
        assert bytes(later.final) == b'"second"'


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "setFinal({top: new Map([[1, 2]])})",
            "the value.top is a Map, not JSON: give Object.fromEntries(it)",
        ),
        ("setFinal(new Set([1]))", "the value is a Set, not JSON: give [...it]"),
        ("setFinal({rows: [echo(1)]})", "the value.rows[0] is a promise, not JSON: give await it"),
    ],
)
async def test_set_final_says_what_of_a_value_would_be_lost(code: str, said: str):
    async with isolate() as one:
        outcome = await one.run(code)
        assert outcome.final is None
        assert said in told(outcome)


async def test_code_for_a_page_may_be_written_as_a_function():
    async def run_in_page(tab: str, code: str) -> str:
        return f"{tab}: {code}"

    async with isolate(TableHost(execInTab=run_in_page)) as one:
        said = await one.run("await execInTab('tab_0', () => document.title)")
        assert told(said) == '"tab_0: (() => document.title)()"'
        other = await one.run("await echo(() => 1)")
        assert "argument 1 is a function, not JSON" in told(other)


@pytest.mark.deep
async def test_maps_and_sets_show_what_they_begin_with():
    async with isolate() as one:
        assert (
            told(await one.run("new Map([['a', {n: 1}], [2, [3]]])")) == 'Map {"a":{"n":1},2:[3]}'
        )
        assert told(await one.run("new Set(['x', 'y'])")) == 'Set {"x","y"}'
        many = await one.run("new Map([...Array(100000).keys()].map(n => [n, n]))")
        assert many.shape is not None
        assert (many.shape.size, len(many.shape.preview)) == (100_000, 400)


@pytest.mark.deep
async def test_a_schema_says_how_long_the_lists_of_an_object_are():
    async with isolate() as one:
        outcome = await one.run(
            "({reviews: [{id: 1, tags: ['a', 'b']}, {id: 2, tags: []}], by: {name: ['x']}})"
        )
        assert outcome.shape is not None
        assert outcome.shape.schema == (
            "{reviews: [{id: number, tags: […]}] x 2, by: {name: [string]}}"
        )


async def test_python_is_told_from_a_mistake_in_javascript():
    async with isolate() as one:
        for code in ("for r in rows:\n    print(r)", "def f(x):\n    return x", "if a:\n  b()"):
            assert "looks like Python" in told(await one.run(code)), code
        assert "Python" not in told(await one.run("const o = {else: 1, try: 2"))
        assert "Python" not in told(await one.run("switch (x) {\n  case 1:\n    break\n"))
