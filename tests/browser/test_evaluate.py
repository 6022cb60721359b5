"""Code in a page: any value as JSON, cut before it leaves the page, and an end to what has none."""

import itertools
import json

import anyio
import msgspec
import pytest

from ouroboros.browser.errors import BrowserFailed, CallTimedOut, PageChanged
from ouroboros.browser.tab import Tab, WorldName
from ouroboros.browser.tabs import Tabs
from ouroboros.browser.waits import wait_for_load
from tests.browser.site import Reply, Site
from tests.browser.stage import Stage
from tests.cases import every

VALUES = [
    ("1 + 1", 2),
    ("1 + 1;  ", 2),
    ("'é' // a comment", "é"),
    ("{a: 1}", {"a": 1}),
    ("const a = 1; a + 1", 2),
    ("let b = 2\nb * 2", 4),
    ("if (true) { 'yes' } else { 'no' }", "yes"),
    ("function f() { return 3 } f()", 3),
    ("return 7", 7),
    ("const x = 5; return {x}", {"x": 5}),
    ("await Promise.resolve(8)", 8),
    ("const y = await 9; y", 9),
    ("const z = await 9; ({z})", {"z": 9}),
    ("await 1; 'x'.repeat(3)", "xxx"),
    ("() => 5", 5),
    ("async () => { await 0; return 6 }", 6),
    ("function () { return [1] }", [1]),
    ("(() => 4)()", 4),
    ("new Promise(r => setTimeout(() => r('late'), 20))", "late"),
    ("", None),
    ("undefined", None),
    ("null", None),
    ("NaN", None),
    ("12345678901234567890n", "12345678901234567890"),
    ("'\\ud800x'", "\ufffdx"),
    ("'\\\\ud800'", "\\ud800"),
    ("new Date(0)", "1970-01-01T00:00:00.000Z"),
    ("new Map([['a', 1]])", [["a", 1]]),
    ("new Set([1, 2])", [1, 2]),
    ("new Uint8Array([1, 2])", [1, 2]),
    ("/x/g", "/x/g"),
    ("document.querySelectorAll('p')", ["[node <p#x>]"]),
    ("({f() {}, n: document.body, e: new TypeError('t')})", {"f": "[function f]", "n": "[node <body>]", "e": "[TypeError: t]"}),
    ("const o = {a: 1}; o.self = o; o", {"a": 1, "self": "[circular]"}),
    ("({get bad() { throw new Error('no') }, ok: 1})", {"bad": "[threw Error: no]", "ok": 1}),
    ("({toJSON() { throw new Error('no') }, ok: 1})", {"toJSON": "[function toJSON]", "ok": 1}),
    ("window", "[window]"),
    ("document.title", "Shop"),
]  # fmt: skip

FAILURES = [
    ("throw new RangeError('far')", r"RangeError: far \(line 1\)"),
    ("\n\nnothere.x", r"ReferenceError: nothere is not defined \(line 3\)"),
    ("const q = 1;\nconst r = 2;\nq()", r"TypeError: q is not a function \(line 3\)"),
    ("throw 'plain'", "plain"),
    ("throw null", "null"),
    ("throw {get message() { throw 1 }, toString() { throw 2 }}", "cannot be told"),
    ("Promise.reject(new Error('later'))", "Error: later"),
    ("this is no code", "SyntaxError"),
    ("alert", "the code comes to a function, not to a value"),
    ("await 1; alert", "the code comes to a function, not to a value"),
    ("() => () => 1", "the code comes to a function, not to a value"),
    ("JSON.parse('{')", "SyntaxError"),
]


SHOP = "<title>Shop</title><p id=x>text"


async def page(stage: Stage, body: str = SHOP) -> Tab:
    tab = await stage.show(body)
    await wait_for_load(tab)
    return tab


@pytest.mark.deep
@pytest.mark.proves("C03")
@pytest.mark.parametrize("world", ["isolated", pytest.param("main", marks=pytest.mark.deep)])
@every("code, value", VALUES)
async def test_code_comes_to_its_value(
    stage: Stage, tab: Tab, world: WorldName, code: str, value: object
) -> None:
    if not tab.url.startswith("http"):
        await stage.show(SHOP, tab=tab)
    assert msgspec.json.decode(await tab.evaluate(code, world=world)) == value


@pytest.mark.deep
@pytest.mark.proves("C03")
@pytest.mark.parametrize("world", ["isolated", pytest.param("main", marks=pytest.mark.deep)])
@every("code, words", FAILURES)
async def test_code_that_fails_says_how_and_where(
    tab: Tab, world: WorldName, code: str, words: str
) -> None:
    with pytest.raises(BrowserFailed, match=words):
        await tab.evaluate(code, world=world)


@pytest.mark.proves("C03")
@pytest.mark.deep
async def test_a_large_result_is_cut_in_the_page(stage: Stage) -> None:
    tab = await page(stage)
    heard = 0
    for code, length, start in (
        ("'x'.repeat(1_000_000)", 1_000_000, "xxx"),
        ("Array(500_000).fill(7)", 1_000_001, "[7,7"),
        ("await 0; 'x'.repeat(1_000_000)", 1_000_000, "xxx"),
        ("await 0; Array(500_000).fill(7)", 1_000_001, "[7,7"),
    ):
        answer = await tab.evaluate(code)
        found = msgspec.json.decode(answer)
        assert found.keys() == {"__truncated", "originalLength", "data"}
        assert (found["__truncated"], found["originalLength"]) == (True, length)
        assert len(found["data"]) == 100_000
        assert found["data"].startswith(start)
        heard = max(heard, len(answer))
    assert heard < 100_100
    exact = await tab.evaluate("'x'.repeat(99_998)")
    assert len(exact) == 100_000  # just not cut
    assert len(msgspec.json.decode(await tab.evaluate("'x'.repeat(50)", limit=10))["data"]) == 10


@pytest.mark.proves("C03", "divergences-round-trip-of-execintab")
@pytest.mark.deep
@every(
    "code",
    [
        "for (;;) {}",
        "new Promise(() => {})",
        "(async () => { for (;;) await 0 })()",
        "await 0; for(;;);",
    ],
)
async def test_code_without_an_end_is_stopped_and_the_page_goes_on(
    stage: Stage, tab: Tab, code: str
) -> None:
    await stage.show(SHOP, tab=tab)
    with pytest.raises(CallTimedOut, match=r"the code took over 0\.3 s and was stopped"):
        await tab.evaluate(code, timeout_seconds=0.3)
    assert await tab.evaluate("document.title") == b'"Shop"'


@pytest.mark.deep
async def test_code_that_somebody_ends_is_not_said_to_have_taken_too_long(stage: Stage) -> None:
    tab = await page(stage)

    async def end() -> None:
        for pause in itertools.repeat(0.2):  # what has not begun yet cannot be ended
            await anyio.sleep(pause)
            await tab.call("Runtime.terminateExecution")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(end)
        with pytest.raises(BrowserFailed, match="ended before it was done"):
            await tab.evaluate("for (;;) {}", timeout_seconds=60)
        tasks.cancel_scope.cancel()
    assert await tab.evaluate("document.title") == b'"Shop"'


@pytest.mark.proves("C03")
@pytest.mark.deep
async def test_a_page_that_hangs_itself_later_is_stopped_too(stage: Stage) -> None:
    """The code itself ends; what it left behind holds the page, and the next call finds it so."""
    tab = await page(stage)
    await tab.evaluate("setTimeout(() => { for (;;); }, 0); 1")

    async def ask() -> None:
        while True:
            await tab.evaluate("1", timeout_seconds=0.2)

    with pytest.raises(CallTimedOut), anyio.fail_after(60):
        await ask()
    with anyio.fail_after(60):
        assert await tab.evaluate("document.title") == b'"Shop"'


async def test_a_page_that_is_left_meanwhile_is_told(stage: Stage) -> None:
    tab = await page(stage)
    stage.site.put("next", "<title>Next</title>")
    with pytest.raises(PageChanged, match="the page was left while the code ran"):
        await tab.evaluate("location = '/next'; new Promise(() => {})")
    await wait_for_load(tab)
    assert await tab.evaluate("document.title") == b'"Next"'


@pytest.mark.proves("C03")
@pytest.mark.parametrize("world", ["isolated", "main"])
@pytest.mark.deep
async def test_code_that_waits_when_its_page_is_left_is_not_run_again(
    stage: Stage, world: WorldName
) -> None:
    tab = await page(stage)
    stage.site.put("once", "once")
    stage.site.put("next", "<title>Next</title>")
    with pytest.raises(PageChanged, match="the page was left while the code ran"):
        await tab.evaluate(
            "fetch('/once').then(() => { location = '/next'; return new Promise(() => {}) })",
            world=world,
        )
    await wait_for_load(tab)
    assert await tab.evaluate("document.title") == b'"Next"'
    assert stage.site.paths().count("/once") == 1


@pytest.mark.deep
@pytest.mark.proves("C03")
async def test_our_world_is_out_of_the_pages_reach(stage: Stage) -> None:
    """A page that replaces everything it can reach changes nothing for code in our world."""
    tab = await page(
        stage,
        "<title>Shop</title><script>"
        "JSON.stringify = () => '\"forged\"'; Array.prototype.map = null; Promise.prototype.then = null;"
        "Object.keys = () => { throw 1 }; window.eval = () => 'forged'; window.secret = 1;"
        "Element.prototype.getAttribute = null; document.querySelector = () => 'forged';"
        "</script><p id=x>text",
    )
    assert (
        await tab.evaluate("[document.querySelector('p').id, typeof secret]")
        == b'["x","undefined"]'
    )
    await tab.evaluate("window.ours = 1")
    with pytest.raises(BrowserFailed, match=r"changed what|not JSON|forged|Error"):
        await tab.evaluate("window.ours", world="main")


@pytest.mark.deep
async def test_the_main_world_has_the_pages_variables(stage: Stage) -> None:
    tab = await page(stage, "<script>var price = {eur: 5}</script>")
    assert await tab.evaluate("price", world="main") == b'{"eur":5}'
    with pytest.raises(BrowserFailed, match="price is not defined"):
        await tab.evaluate("price")


@pytest.mark.proves("C03")
async def test_a_page_that_forbids_eval_is_no_obstacle(stage: Stage) -> None:
    policy = "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'"
    tab = await stage.show(
        Reply("<title>T</title>", headers=(("content-security-policy", policy),))
    )
    await wait_for_load(tab)
    for world in ("isolated", "main"):
        for code, value in (
            ("document.title", "T"),
            ("const a = 1; a + 1", 2),
            ("await 3", 3),
            ("({b: 1})", {"b": 1}),
        ):
            assert msgspec.json.decode(await tab.evaluate(code, world=world)) == value


@pytest.mark.deep
async def test_large_code_and_odd_text_arrive_whole(stage: Stage) -> None:
    tab = await page(stage)
    text = "a\u2028b\u0000c\"'`\\${x}</script>\U0001f600" * 2_000
    assert msgspec.json.decode(await tab.evaluate(json.dumps(text))) == text


@pytest.mark.deep
async def test_code_runs_in_the_frame_that_is_meant(tabs: Tabs, site: Site) -> None:
    """Of the page's own process and of another; by id, by name and by address."""
    far = site.url("far", host=1)
    site.put("near", "<title>near</title><p>near")
    site.put("far", "<title>far</title><p>far")
    url = site.put(
        "top", f"<title>top</title><iframe name=n src=/near></iframe><iframe src={far}></iframe>"
    )
    tab = tabs.tab(await tabs.open(url))
    await wait_for_load(tab)
    with anyio.fail_after(60):
        while {frame.url for frame in tab.frames} != {url, site.url("near"), far}:
            await tab.moved.wait()
    assert await tab.evaluate("document.title") == b'"top"'
    assert await tab.evaluate("document.title", frame="n") == b'"near"'
    assert await tab.evaluate("document.title", frame=far) == b'"far"'
    assert await tab.evaluate("document.title", frame=far, world="main") == b'"far"'
    assert tab.frames.find(far).session != tab.session
    assert tab.frames.find("n").session == tab.session
    with pytest.raises(PageChanged, match="there is no frame 'none'"):
        await tab.evaluate("1", frame="none")
    await tab.evaluate("document.querySelectorAll('iframe')[1].remove()")
    with anyio.fail_after(60):
        while len(list(tab.frames)) != 2:
            await tab.moved.wait()
