import os
import signal

import anyio
import pytest
from anyio import wait_all_tasks_blocked

from ouroboros.code import wire
from ouroboros.code.errors import IsolateFailed
from ouroboros.code.js.values import Outcome
from tests.cases import deep_after, soak_but
from tests.passing import until
from tests.unit.code.place import TableHost, isolate, names, run_while, told

pytestmark = pytest.mark.real

ENDLESS = [
    "while (true) {}",
    "await echo(1); while (true) {}",
    "(async () => { for (;;) await 1 })(); 1",
    "const again = () => Promise.resolve().then(again); again(); 2",
    "await null; for (;;) ;",
    "/(a+)+$/.test('a'.repeat(50) + 'b')",
    "new Proxy({}, { ownKeys() { for (;;); } })",
    "({ get x() { for (;;); } }).x",
    "setTimeout(() => { for (;;); }, 1); await new Promise(done => setTimeout(done, 50))",
    "const o = { then(yes) { for (;;); } }; await o",
]


@pytest.mark.deep
@pytest.mark.proves("B23")
@pytest.mark.parametrize("codes", deep_after(1, [ENDLESS[:3], ENDLESS[3:]]))
async def test_code_without_an_end_is_stopped_and_every_variable_stays(codes: list[str]):
    async with isolate() as one:
        await one.run("const before = {kept: [1, 2]}; function f() { return before.kept }")
        for code in codes:
            outcome = await one.run(code, seconds=0.3)
            kept = told(await one.run("f()"))
            assert (code, outcome.stopped, outcome.lost, kept) == (code, "time", (), "[1,2]")


BOMBS = [
    "globalThis.a = []; for (;;) a.push(new Array(1000).fill(1))",
    "let s = 'x'; for (;;) s = s + s.slice(1) + 'y' + Math.random()",
    "const m = new Map(); for (let i = 0; ; i++) m.set(i, {i})",
    "await echo(1); const list = []; for (;;) list.push('x'.repeat(1000) + list.length)",
    "const all = []; for (;;) all.push(new Array(5e5).fill({}))",
]


@pytest.mark.deep
@pytest.mark.proves("B24")
@pytest.mark.parametrize("code", [BOMBS[0], *soak_but(3, BOMBS[1:])])
async def test_a_heap_that_grows_without_end_is_stopped_and_the_run_goes_on(code: str):
    async with isolate() as one:
        await one.run("const before = 5")
        await one.checkpoint()
        outcome = await one.run(code, seconds=30)
        assert outcome.stopped == "memory" or outcome.thrown is not None
        assert "before" not in outcome.lost
        assert told(await one.run("before + 1")) == "6"


@pytest.mark.deep
@pytest.mark.proves("B24")
@pytest.mark.parametrize(
    "code",
    deep_after(
        1,
        [
            "new ArrayBuffer(3e9)",
            "const held = []; for (;;) held.push(new Uint8Array(5e7).fill(1))",
        ],
    ),
)
async def test_buffers_outside_of_the_heap_have_a_bound_too(code: str):
    async with isolate() as one:
        await one.run("const before = 5; let held")
        await one.checkpoint()
        outcome = await one.run(code)
        assert outcome.stopped == "memory"
        assert outcome.lost == ()
        assert told(await one.run("held = null; before")) == "5"


@pytest.mark.deep
@pytest.mark.proves("B24")
async def test_what_the_language_itself_refuses_is_an_error_of_the_block():
    async with isolate() as one:
        assert told(await one.run("'x'.repeat(2 ** 30)")).startswith("RangeError at 1")
        assert told(await one.run("(function f() { return f() })()")).startswith("RangeError at 1")
        assert told(await one.run("new Array(-1)")).startswith("RangeError at 1")
        assert told(await one.run("debugger; 4")) == "4"
        sparse = await one.run("const s = []; s[4e9] = 1; s")
        assert sparse.shape is not None
        assert sparse.shape.size == 4_000_000_001


@pytest.mark.proves("B23")
async def test_waiting_for_nothing_ends_at_once_with_a_clear_entry():
    async with isolate() as one:
        outcome = await one.run("const a = 1; await new Promise(() => {})", seconds=600)
        assert "nothing is left that could settle it" in told(outcome)
        assert told(await one.run("a")) == "1"


@pytest.mark.deep
@pytest.mark.proves("B23")
async def test_time_spent_waiting_for_the_host_does_not_count():
    async with isolate() as one:
        outcome = await one.run("await wait(1.5)", seconds=1.2)
        assert told(outcome) == '"waited"'
        assert outcome.seconds < 1.2


@pytest.mark.proves("B23")
async def test_a_cancel_stops_a_block_in_a_loop_and_one_that_waits():
    host = TableHost()
    async with isolate(host) as one:
        await one.run("const before = 1")
        for code in ("while (true) {}", "await wait()", "await wait(); while (true) {}"):
            outcome = await run_while(one, code, one.cancel, seconds=20)
            assert outcome.stopped == "cancel"
            assert outcome.lost == ()
            assert told(await one.run("before")) == "1"
            assert host.open == 0


@pytest.mark.deep
@pytest.mark.proves("B17")
@pytest.mark.parametrize("code", deep_after(1, ["while (true) {}", "await wait()", "1 +"]))
async def test_a_cancel_that_is_heard_before_its_block_has_begun_stops_it_too(code: str):
    async with isolate() as one:
        await one.run("const before = 1")
        pid = one.pid
        outcomes: list[Outcome] = []

        async def run() -> None:
            outcomes.append(await one.run(code, seconds=20))

        os.kill(pid, signal.SIGSTOP)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await wait_all_tasks_blocked()
            tasks.start_soon(one.cancel)
            await wait_all_tasks_blocked()
            os.kill(pid, signal.SIGCONT)
        assert (outcomes[0].stopped, outcomes[0].lost, one.pid) == ("cancel", (), pid)
        assert told(await one.run("before")) == "1"


@pytest.mark.deep
@pytest.mark.proves("B23")
async def test_giving_up_on_a_run_stops_its_block():
    host = TableHost()
    async with isolate(host) as one:
        await one.run("1")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(one.run, "const early = 1; await wait()")
            await until(lambda: host.open)
            tasks.cancel_scope.cancel()
        assert host.open == 0
        assert told(await one.run("early")) == "1"


def await_death(pid: int) -> None:
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


@pytest.mark.proves("B29", "browser-stop", "browser-late-and-early-pages")
async def test_a_worker_that_dies_is_replaced_and_what_was_lost_is_named():
    async with isolate() as one:
        await one.define("seeded", b'"data"')
        await one.run("const a = {n: 1}; function twice(n) { return 2 * n }; const s = Symbol('x')")
        await one.checkpoint()
        await one.run("const late = 1")

        async def shoot():
            os.kill(one.pid, signal.SIGKILL)

        outcome = await run_while(one, "await wait()", shoot)
        assert outcome.stopped == "crash"
        assert outcome.lost == ("s", "late")
        assert told(await one.run("[twice(a.n), seeded]")) == '[2,"data"]'
        os.kill(one.pid, signal.SIGKILL)
        await_death(one.pid)  # the loop has not heard of it yet, so the block meets a closed pipe
        assert (await one.run("1")).stopped == "crash"
        assert told(await one.run("twice(a.n)")) == "2"


@pytest.mark.deep
@pytest.mark.proves("browser-host-calls")
async def test_a_thousand_calls_go_out_and_the_65th_open_one_is_refused():
    host = TableHost()
    async with isolate(host) as one:
        code = "let n = 0; for (let i = 0; i < 300; i++) n += await echo(1); n"
        assert told(await one.run(code)) == "300"
        crowd = await one.run(
            "const all = []; for (let i = 0; i < 65; i++) all.push(wait(0.05).catch(e => e.message));"
            "const said = await Promise.all(all); [said.length, said[63], said[64]]"
        )
        assert told(crowd) == ('[65,"waited","wait: 64 calls are open already; await some first"]')


@pytest.mark.deep
@pytest.mark.proves("browser-host-calls")
async def test_calls_nobody_awaits_are_waited_for_and_their_failure_is_told():
    host = TableHost()
    async with isolate(host) as one:
        outcome = await one.run("fail('late'); wait(0.1); 5")
        assert told(outcome) == "5"
        assert outcome.notes == ("fail was not awaited and failed: late",)
        assert [name for name, _ in host.asked] == ["fail", "wait"]
        assert host.open == 0


@pytest.mark.deep
@pytest.mark.proves("browser-host-calls")
async def test_what_was_left_running_cannot_call_the_host_after_the_end():
    host = TableHost()
    async with isolate(host) as one:
        late = "const late = () => echo('late').catch(e => { env.said = e.message })"
        outcome = await one.run(f"{late}; wait().catch(late); while (true) {{}}", seconds=0.3)
        assert outcome.stopped == "time"
        assert told(await one.run("env.said")) == '"echo: the block has ended"'
        outcome = await one.run("setFinal(1); return 3; echo(1)")
        assert outcome.final is not None
        assert "echo" not in [name for name, _ in host.asked]


@pytest.mark.deep
async def test_a_block_stays_within_its_bounds_of_logs():
    async with isolate() as one:
        outcome = await one.run("for (let i = 0; i < 1e5; i++) log(i); log('x'.repeat(1e6))")
        assert len(outcome.logs) <= 1_001
        long = await one.run("console.log('x'.repeat(1e6), 5); console.error({a: [1]})")
        assert [len(line) for line in long.logs] == [5_001, 9]


@pytest.mark.deep
@pytest.mark.proves("browser-faults")
async def test_values_of_five_million_characters_pass_whole_and_beyond_the_cap_is_refused():
    async with isolate() as one:
        outcome = await one.run("setFinal('x'.repeat(5e6))")
        assert outcome.final is not None
        assert len(bytes(outcome.final)) == 5_000_002
        assert outcome.final_text
        much = await one.run("setFinal(['x'.repeat(3e7), 'y'.repeat(4e7)])")
        assert "is longer than" in told(much) or much.stopped == "memory"
        assert much.final is None


@pytest.mark.deep
@pytest.mark.proves("B30")
async def test_a_text_of_seventy_million_characters_becomes_a_variable():
    async with isolate() as one:
        await one.define("book", b'"' + b"line of text\\n" * 5_000_000 + b'"')
        assert told(await one.run("[book.length, book.split('\\n', 1)[0]]")) == (
            '[65000000,"line of text"]'
        )
        assert told(await one.run("book.indexOf('nowhere')")) == "-1"
        with pytest.raises(IsolateFailed):
            await one.define("broken", b"{")
        assert "book" in names(await one.run("1"))


@pytest.mark.proves("B29")
@pytest.mark.parametrize(
    "code", deep_after(1, ["setFinal(deep)", "await echo(deep)", "env.kept = deep; 1"])
)
async def test_values_nested_without_end_are_an_error_and_not_the_end(code: str):
    async with isolate() as one:
        nest = "let deep = []; for (let i = 0; i < 20_000; i++) deep = [deep];"
        outcome = await one.run(f"var small = 1; {nest} {code}")
        if outcome.thrown is not None:
            assert "nested more than 500 deep" in outcome.thrown.message
        assert outcome.final is None
        assert outcome.stopped == ""
        await one.checkpoint()
        assert told(await one.run("small + 1")) == "2"


@pytest.mark.deep
@pytest.mark.proves("B29")
async def test_a_worker_that_says_what_is_nested_without_end_is_replaced():
    async with isolate() as one:
        await one.run("1")
        deep = b"[" * 100_000 + b"]" * 100_000
        said = wire.packed("c", b'{"id":1,"name":"echo","arguments":' + deep + b"}")
        one.seats[0].swallow(said)
        assert (await one.run("1")).stopped == "crash"
        assert told(await one.run("1 + 1")) == "2"


@pytest.mark.deep
@pytest.mark.proves("B23")
async def test_a_number_too_long_to_be_written_holds_up_neither_the_stop_nor_later_blocks():
    async with isolate() as one:
        outcome = await one.run("let a = 3n; for (;;) a = a * a", seconds=1)
        assert outcome.stopped == "time"
        assert told(await one.run("[a > 2n ** 4096n, 5n]")) == "[true,5n]"
        assert "more than 1,200 digits" in told(await one.run("const b = -(3n ** 20000n); [b]"))
        await one.checkpoint()
        os.kill(one.pid, signal.SIGKILL)
        assert "b" not in (await one.run("1")).lost
        assert told(await one.run("b === -(3n ** 20000n)")) == "true"
