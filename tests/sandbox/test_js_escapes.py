"""Code in the isolate that tries to reach more than it was given, or to fool what surrounds it."""

import pytest

from ouroboros.code.js.values import Outcome
from tests.unit.code.place import TableHost, isolate, names, told

REACHES = {
    "the function constructor": "echo.constructor('return [typeof process, typeof require, typeof Deno].join()')()",
    "constructor of constructor": "this.constructor.constructor('return typeof process')()",
    "an async constructor": "(async () => {}).constructor('return typeof require')()",
    "a generator constructor": "(function* () {}).constructor('yield typeof process')().next().value",
    "import in a new function": "await new Function('return import(\"fs\")')().catch(e => 'undefined')",
    "web assembly": "typeof WebAssembly",
    "shared memory": "typeof SharedArrayBuffer + typeof Atomics",
    "finalizers": "typeof FinalizationRegistry",
    "natives": "(() => { try { return eval('%DebugPrint(1)') } catch { return 'undefined' } })()",
    "a shell of d8": "typeof load + typeof read + typeof quit + typeof os",
    "node": "typeof process + typeof require + typeof module + typeof Buffer",
    "network": "typeof fetch + typeof XMLHttpRequest + typeof WebSocket",
    "stack frames": "(() => { Error.prepareStackTrace = (e, frames) => frames; const s = new Error().stack; return typeof (s[0].getThis) })()",
    "callers": "(() => { try { return typeof echo.caller } catch { return 'undefined' } })()",
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.proves("B25", "D11", "sandbox-cage", "divergences-wasm-shared-memory-atomics-in")
async def test_nothing_beyond_the_isolate_is_within_reach():
    async with isolate() as one:
        for what, code in REACHES.items():
            said = told(await one.run(code))
            assert set(said.strip('"').replace("undefined", "").replace(",", "")) == set(), (
                what,
                said,
            )


@pytest.mark.proves("B25", "D11")
async def test_only_the_named_functions_cross():
    async with isolate(globals=("tabs",)) as one:
        await one.run("1")
        listing = await one.run(
            "Object.getOwnPropertyNames(globalThis).filter(n => !/^[A-Z]/.test(n)).sort().join(' ')"
        )
        assert told(listing) == (
            '"atob btoa clearTimeout console decodeURI decodeURIComponent echo encodeURI encodeURIComponent'
            " env escape eval fail globalThis isFinite isNaN log parseFloat parseInt queueMicrotask"
            ' setFinal setTimeout structuredClone tabs undefined unescape wait"'
        )


POISON = """
const boom = () => { throw 'poisoned' };
const define = Object.defineProperty, namesOf = Object.getOwnPropertyNames;
const trap = { __proto__: null, get: boom, set: boom, configurable: true };
const kinds = [Array, Promise, String, Function, Map, Set, RegExp, Error, Number, Object];
const members = ['value', 'get', 'set', 'id', 'then', 'toJSON', 'name', 'n', 'kind', 'writable', '0'];
const tools = ['defineProperty', 'create', 'freeze', 'keys', 'getOwnPropertyDescriptor'];
const mirrors = namesOf(Reflect);
for (let i = 0; i < kinds.length; i++) {
  const names = namesOf(kinds[i].prototype);
  for (let j = 0; j < names.length; j++) {
    if (names[j] !== 'constructor') try { kinds[i].prototype[names[j]] = boom } catch {}
  }
}
Array.prototype[Symbol.iterator] = boom;
Promise.prototype.constructor = boom;
for (let i = 0; i < mirrors.length; i++) Reflect[mirrors[i]] = boom;
for (let i = 0; i < tools.length; i++) Object[tools[i]] = boom;
JSON.stringify = () => '{"forged": true}';
JSON.parse = Promise.resolve = Promise.all = boom;
Promise = Error = eval = String = boom;
for (let i = 0; i < members.length; i++) define(Object.prototype, members[i], trap);
for (let i = 0; i < 3; i++) define(Array.prototype, i, trap);
env.done = 1;
"""


@pytest.mark.proves("B25", "browser-faults")
async def test_a_poisoned_language_fools_neither_calls_nor_summaries_nor_the_end():
    host = TableHost()
    async with isolate(host, globals=("tabs",)) as one:
        await one.put("tabs", b'["tab_1"]')
        await one.run("const list = [1, {a: 'b'}]")
        assert told(await one.run(POISON)) == "1"
        seen = await one.run("list")
        assert told(seen) == '[1,{"a":"b"}]'
        assert {"list", "env.done"} <= set(names(seen))
        assert told(await one.run("await echo('through')")) == '"through"'
        assert host.asked == [("echo", ["through"])]
        assert told(await one.run("tabs")) == '["tab_1"]'
        failed = await one.run("await fail('words')")
        assert told(failed).endswith("words")
        final = await one.run("setFinal('true words'); log('said')")
        assert final.final is not None
        assert bytes(final.final) == b'"true words"'
        assert final.logs == ("said",)


@pytest.mark.deep
@pytest.mark.proves("B25")
async def test_what_belongs_to_the_host_cannot_be_replaced_or_changed():
    host = TableHost()
    async with isolate(host, globals=("tabs",)) as one:
        await one.run("globalThis.echo = () => 'forged'")
        await one.run("Object.defineProperty(globalThis, 'echo', { value: () => 'forged' })")
        await one.run("echo.call = 1; Object.setPrototypeOf(echo, null)")
        await one.run("delete globalThis.echo")
        await one.run("tabs = 5")
        await one.run("setFinal = echo")
        assert told(await one.run("await echo(1)")) == "1"
        assert told(
            await one.run("[typeof tabs, Object.isFrozen(echo), Object.isFrozen(console)]")
        ) == ('["object",true,true]')


LIARS = [
    "new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 }, getPrototypeOf() { throw 3 }, getOwnPropertyDescriptor() { throw 4 } })",
    "new Proxy([], { get() { return Infinity } })",
    "new Proxy(function () {}, {})",
    "const p = Proxy.revocable({}, {}); p.revoke(); p.proxy",
    "({ get a() { throw new Error('no') }, toJSON() { throw new Error('no') } })",
    "Object.create(null, { x: { get() { env.called = true; return 1 }, enumerable: true } })",
    "class Odd { get [Symbol.toStringTag]() { throw 1 } }; new Odd()",
    "const c = {}; c.self = c; c",
    "const deep = []; let at = deep; for (let i = 0; i < 1e5; i++) { at.push([]); at = at[0] } deep",
    "Object.assign(new Error('e'), { message: { toString() { throw 1 } } })",
    "throw Object.create(null)",
    "throw new Proxy({}, { get() { throw 5 } })",
    "throw { get message() { throw 1 }, get stack() { for (;;); } }",
    "Symbol('s')",
    "new Map([[{}, []]])",
    "new Uint8Array(1e6)",
    "Array.from({ length: 1e6 }, (_, i) => i)",
    "Object.fromEntries(Array.from({ length: 1e5 }, (_, i) => ['k' + i, i]))",
    "'x'.repeat(5e6)",
    'JSON.parse(\'{"__proto__": {"a": 1}}\')',
]


def bounded(outcome: Outcome) -> bool:
    shapes = [variable.shape for variable in outcome.variables]
    shapes += [outcome.shape] if outcome.shape is not None else []
    return all(
        len(s.preview) <= 400 and len(s.schema) <= 300 and len(s.note) <= 200 for s in shapes
    )


@pytest.mark.proves("B25", "browser-faults")
@pytest.mark.deep
async def test_values_that_lie_are_summarised_without_calling_them():
    async with isolate() as one:
        for code in LIARS:
            outcome = await one.run(code, seconds=30)
            assert bounded(outcome), code
            assert outcome.lost == (), code
        assert told(await one.run("'called' in env")) == "false"
        assert told(await one.run("1")) == "1"
