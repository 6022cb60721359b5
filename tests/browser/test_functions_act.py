"""Functions that act in a page, called by code in a real REPL; what they set off is asked about."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ouroboros.tools.approval import Answer
from tests.browser.desk import Desk, desk
from tests.browser.stage import Stage
from tests.cases import every

YES, NO = Answer(allowed=True), Answer(allowed=False)

PAGE = """<title>Acts</title><style>#box { width: 40px; height: 40px; background: red }</style>
<button id=b onclick='told.push(["click", event.isTrusted, event.button, event.shiftKey, event.detail])'>b</button>
<button id=cm oncontextmenu='told.push(["menu", event.isTrusted])'>menu</button>
<div id=spot onmousedown='told.push(["spot", event.offsetX, event.offsetY])' style='width:90px;height:40px'>spot</div>
<input id=i oninput='told.push(["input", event.isTrusted])'><input id=c type=checkbox>
<select id=s multiple><option value=1>One<option value=2>Two<option value=3>Three</select>
<div id=h onmouseenter='told.push(["enter", event.isTrusted])'>hover</div>
<div id=box></div><div id=far style='height:3000px'></div><button id=end disabled>end</button>
<script>var told = []; let from;
box.onmousedown = (e) => { from = [e.clientX, e.clientY]; e.preventDefault() };
onmouseup = (e) => { if (from) told.push(["drag", e.clientX - from[0], e.clientY - from[1]]); from = null };
i.onkeydown = (e) => told.push(["key", e.key, e.ctrlKey]);
</script>"""


async def opened(repl: Desk, page: str = PAGE, path: str = "acts") -> None:
    """Opens a page and calls its tab ``t``."""
    url = repl.stage.site.put(path, page)
    await repl.run(f"var t = await openTab({url!r}); await waitForLoad(t)")


TOLD = "await execInTab(t, 'told', { world: 'main' })"


@pytest.mark.deep
@pytest.mark.proves("C05")
async def test_presses_are_real_and_say_what_came_of_them(repl: Desk) -> None:
    await opened(repl)
    told, acted = await repl.run(
        "const acted = await click(t, '#b', { modifiers: ['Shift'] });"
        "await dblclick(t, '#b'); await click(t, '#cm', { button: 'right' });"
        f"await click(t, '#spot', {{ position: [70, 10] }}); setFinal([{TOLD}, acted])"
    )
    assert told[:3] == [
        ["click", True, 0, True, 1],
        ["click", True, 0, False, 1],
        ["click", True, 0, False, 2],
    ]
    assert ["menu", True] in told
    assert told[-1] == ["spot", 70, 10]
    assert acted["did"].startswith("clicked")


MENU = """<input id=i><ul id=m hidden style='margin:0'><li>one<li>two<li>three</ul><p style='margin-top:200px'><b id=b>-</b><script>
// As jQuery UI does: what opens under the mouse is entered only when the mouse has moved.
let active, fresh = true;
i.oninput = () => { m.hidden = false };
for (const li of document.querySelectorAll("li")) li.onmouseenter = () => {
  if (!fresh) { active = li; return }
  fresh = false;
  document.addEventListener("mousemove", () => { active = li }, { once: true });
};
for (const li of document.querySelectorAll("li")) li.onmousemove = () => { active = li };
document.addEventListener("mousemove", () => 0);
m.onclick = (event) => { b.textContent = (active ?? event.target).textContent };
</script>"""


@pytest.mark.deep
async def test_a_menu_that_opened_under_the_mouse_is_left_and_entered_anew(repl: Desk) -> None:
    await opened(repl, MENU, "menu")
    chosen = await repl.run(
        "await execInTab(t, 'document.querySelector(\"#m\").hidden = false');"
        "const menu = await querySelectorAll(t, 'li'); await execInTab(t, 'document.querySelector(\"#m\").hidden = true');"
        "await click(t, '#i', { position: [20, 12] });"
        'await execInTab(t, \'document.querySelector("#m").style.cssText = "position:absolute;top:0;left:0"\');'
        "await type(t, '#i', 'x'); await sleep(100); await hover(t, '#b'); await click(t, 'li:nth-child(3)');"
        "setFinal([menu.length, await getText(t, '#b')])"
    )
    assert chosen == [3, "three"]


async def test_fields_take_text_keys_choices_and_ticks(repl: Desk) -> None:
    await opened(repl)
    told, value, chosen, ticked, filled = await repl.run(
        "await type(t, '#i', 'abc'); await keyPress(t, 'Control+a'); await keyPress(t, 'x');"
        "const value = await execInTab(t, 'document.querySelector(\"#i\").value');"
        "await select(t, '#s', ['1', 'Three']); await check(t, '#c');"
        "const chosen = await execInTab(t, '[...document.querySelector(\"#s\").selectedOptions].map((o) => o.value)');"
        "const ticked = await execInTab(t, 'document.querySelector(\"#c\").checked');"
        "await check(t, '#c', false); await fill(t, { '#i': 'done', '#s': ['2'] });"
        f'setFinal([{TOLD}, value, chosen, ticked, await execInTab(t, \'[document.querySelector("#i").value,'
        ' document.querySelector("#s").value, document.querySelector("#c").checked]\')])'
    )
    assert ["key", "a", True] in told
    assert ["input", True] in told
    assert ["input", False] not in told
    assert (value, chosen, ticked) == ("x", ["1", "3"], True)
    assert filled == ["done", "2", False]


@pytest.mark.deep
async def test_the_mouse_hovers_drags_and_scrolls(repl: Desk) -> None:
    await opened(repl)
    told, down, into = await repl.run(
        "await hover(t, '#h'); await drag(t, '#box', { dx: 60, dy: 25 });"
        "const down = await scroll(t, 'down', 700); const into = await scroll(t, 'into', 0, { target: '#b' });"
        f"setFinal([{TOLD}, down, into])"
    )
    assert ["enter", True] in told
    assert ["drag", 60, 25] in told
    assert (down["y"], down["moved"]) == (700, True)
    assert into["y"] < 100


IMPOSSIBLE = [
    ("click(t, '#end')", "disabled"),
    ("click(t, '#nothing')", "no element matches"),
    ("type(t, '#box', 'x')", "#box"),
    ("getText(t, { at: 3 })", "at"),
    ("select(t, '#s', 'Nine')", "Nine"),
    ("keyPress(t, 'NoSuchKey')", "NoSuchKey"),
    ("drag(t, '#box', { up: 3 })", "up"),
    ("click(t, '#b', { times: 2 })", "no option 'times'"),
]


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_what_cannot_be_done_fails_in_words(repl: Desk) -> None:
    await opened(repl)
    for call, words in IMPOSSIBLE:
        failed = await repl.fails(f"await {call}")
        assert words in failed, call
        assert await repl.run(f"setFinal({TOLD})") == [], call


FORM = """<form method=post action="%s"><input id=q name=q autocomplete="%s">
<button id=go>Send it</button></form><a id=out href="%s">out</a>
<a id=get href="/report.csv" download>report</a>"""


def form(site_url: str, *, kind: str = "", out: str = "/other") -> str:
    """A page with a form that goes to ``site_url``."""
    return FORM % (site_url, kind, out)


class Careful:
    """A REPL whose person says no, or yes, to one question at a time."""

    def __init__(self, repl: Desk) -> None:
        self.repl = repl

    def _sent(self) -> int:
        return self.repl.stage.site.paths().count("/sent")

    async def refuses(self, act: str, risk: str) -> None:
        """The act is asked about as ``risk``, and with a no nothing is sent."""
        asked, sent = len(self.repl.questions), self._sent()
        self.repl.spine.asker.answers[:] = [NO]
        assert "refused" in await self.repl.fails(f"await {act}")
        assert risk in self.repl.questions[asked].action
        assert self._sent() == sent

    async def agrees(self, code: str) -> None:
        """With a yes it is sent, once."""
        asked, sent = len(self.repl.questions), self._sent()
        self.repl.spine.asker.answers[:] = [YES]
        await self.repl.run(code)
        assert len(self.repl.questions) == asked + 1
        # The second press of a double click may come before the page goes.
        assert self._sent() - sent in ((1, 2) if "dblclick" in code else (1,))


@pytest.fixture
async def careful(stage: Stage, work: Path) -> AsyncIterator[Careful]:
    async with desk(stage, work, mode="ask") as repl:
        yield Careful(repl)


@pytest.mark.deep
@pytest.mark.proves("C14")
@every(
    "target, kind, act, risk",
    [
        (0, "", "click(t, '#go')", "Send a form"),
        (0, "", "keyPress(t, 'Enter')", "Send a form"),
        (0, "", "type(t, '#q', 'word\\n')", "Send a form"),
        (1, "", "click(t, '#go')", "Send a form of"),
        (0, "cc-number", "click(t, '#go')", "pay"),
        (0, "", "click(t, '#get')", "Download"),
    ],
)
async def test_the_person_is_asked_before_something_is_set_off(
    stage: Stage, careful: Careful, target: int, kind: str, act: str, risk: str
) -> None:
    repl, site = careful.repl, stage.site
    site.put("sent", "sent")
    await opened(repl, form(site.url("sent", host=target), kind=kind))
    await repl.run("await focus(t, '#q')")
    await careful.refuses(act, risk)
    if "#get" not in act and target == 0:
        await careful.agrees(f"await focus(t, '#q'); await {act}; await waitForText(t, 'sent')")


WIDE = """<style>button, a, input { width: 300px; height: 200px; display: block }</style>
<form method=post action=/sent style="margin:0"><button id=b accesskey=s>Send</button></form>"""
AROUND = f"<div id=w style='width:300px;height:200px'>{WIDE}</div>"
CLOSED = f"""<x-card id=w style='display:inline-block'></x-card><script>
const root = w.attachShadow({{ mode: "closed" }}); root.innerHTML = `{WIDE}`;
go = () => root.querySelector("button").focus()</script>"""
NESTED = f"""<x-card id=w style='display:inline-block'></x-card><script>
const root = w.attachShadow({{ mode: "closed" }}); root.innerHTML = "<p></p>";
root.querySelector("p").attachShadow({{ mode: "closed" }}).innerHTML = `{WIDE}`</script>"""
OPEN = CLOSED.replace('"closed"', '"open"')
LINK = "<div id=w><a style='display:block;height:99px' href='/sent' download>x</a></div>"
GO = "await execInTab(t, 'go()', { world: 'main' });"


WITHIN = [
    (AROUND, "click(t, '#w')", "Send a form"),
    (AROUND, "dblclick(t, '#w')", "Send a form"),
    (WIDE, "click(t, 'body', { position: [50, 50] })", "Send a form"),
    (OPEN, "click(t, '#w')", "Send a form"),
    (CLOSED, "click(t, '#w')", "Send a form"),
    (NESTED, "click(t, '#w')", "Send a form"),
    (LINK, "click(t, '#w')", "Download"),
    (AROUND.replace("Send", "Buy").replace("<form", "<p"), "click(t, '#w')", "pay"),
    (AROUND, "drag(t, '#w', { dx: 2, dy: 2 })", "Send a form"),
    (WIDE, "drag(t, '#b', '#b')", "Send a form"),
    (WIDE, "focus(t, '#b'); await keyPress(t, 'Spacebar')", "Send a form"),
    (WIDE, "keyPress(t, 'Alt+s')", "Send a form"),
    (CLOSED, "keyPress(t, 'S', ['Alt'])", "Send a form"),
    (CLOSED, f"0; {GO} await keyPress(t, 'Enter')", "Send a form"),
]


@pytest.mark.proves("C14", "divergences-a-form-that-a-pages")
@pytest.mark.deep
@every("page, act, risk", WITHIN)
async def test_what_lies_within_or_has_the_focus_is_asked_about(
    stage: Stage, careful: Careful, page: str, act: str, risk: str
) -> None:
    stage.site.put("sent", "sent")
    await opened(careful.repl, page)
    await careful.refuses(act, risk)
    if "Send" in risk:
        await careful.agrees(f"await {act}; await waitForText(t, 'sent')")


@pytest.mark.proves("C14")
@pytest.mark.parametrize("host", [0, 1])
@pytest.mark.deep
async def test_a_press_into_a_frame_has_to_name_what_is_in_it(
    stage: Stage, work: Path, host: int
) -> None:
    site = stage.site
    site.put("sent", "sent")
    site.put("form", WIDE)
    frame = f"<iframe style='width:300px;height:200px' src='{site.url('form', host)}'></iframe>"
    async with desk(stage, work, mode="ask", answers=[NO]) as repl:
        await opened(repl, f"<div id=w style='height:200px'>{frame}</div>")
        for place in ("iframe", "#w"):
            failed = await repl.fails(f"await click(t, '{place}', {{ position: [50, 50] }})")
            assert "name that by >>>" in failed
        assert repl.questions == []
        assert "refused" in await repl.fails(
            "await hover(t, 'iframe'); await click(t, 'iframe >>> button')"
        )
        assert "Send a form" in repl.questions[0].action
    assert "/sent" not in site.paths()


SEARCH = "<form action=%s><input id=q name=q type=search><button id=go>Go</button></form>"


@pytest.mark.proves("C14", "E13")
@pytest.mark.deep
async def test_a_search_of_the_same_place_is_not_asked_about(stage: Stage, work: Path) -> None:
    site = stage.site
    site.put("found", "found")
    async with desk(stage, work, mode="ask", answers=[NO]) as repl:
        for act in ("click(t, '#go')", "type(t, '#q', 'word\\n')"):
            await opened(repl, SEARCH % site.url("found"))
            await repl.run(f"await {act}; await waitForText(t, 'found')")
        assert repl.questions == []
        await opened(repl, SEARCH % site.url("found", host=1))
        assert "refused" in await repl.fails("await click(t, '#go')")
        assert "Send a form" in repl.questions[0].action
        page, leads = repl.questions[0].about
        assert page.startswith("page: ")
        assert leads == f"sends the form to: {site.url('found', host=1)} by GET"
    assert site.paths(1) == []


@pytest.mark.proves("C14")
@pytest.mark.deep
async def test_a_risk_that_the_person_does_not_care_for_is_not_asked(
    stage: Stage, work: Path
) -> None:
    stage.site.put("sent", "sent")
    async with desk(stage, work, mode="ask", risks=frozenset()) as repl:
        await opened(repl, form(stage.site.url("sent")))
        await repl.run("await click(t, '#go'); await waitForText(t, 'sent')")
        assert repl.questions == []


@pytest.mark.deep
@pytest.mark.proves("C14")
async def test_plain_acts_are_not_asked_about_and_plan_mode_only_looks(
    stage: Stage, work: Path
) -> None:
    async with desk(stage, work, mode="ask") as repl:
        await opened(repl)
        await repl.run("await click(t, '#b'); await type(t, '#i', 'x')")
        assert repl.questions == []
    tab = await stage.show("<p>text</p>")
    async with desk(stage, work, mode="plan") as repl:
        assert await repl.run(f"setFinal(await getText({tab.id!r}))") == "text"
        assert await repl.fails(f"await click({tab.id!r}, 'p')")


@pytest.mark.deep
async def test_a_link_to_a_new_place_is_asked_about_after_reading(stage: Stage, work: Path) -> None:
    site = stage.site
    site.put("away", "away")
    async with desk(stage, work, mode="full-auto", answers=[NO, YES]) as repl:
        await opened(repl, form("/sent", out=site.url("away", host=1)))
        await repl.run("await getText(t)")
        assert "refused" in await repl.fails("await click(t, '#out')")
        assert site.origin(1) in repl.questions[0].action
        assert site.paths(1) == []
        await repl.run("await click(t, '#out'); await waitForText(t, 'away')")
        assert site.paths(1) == ["/away"]
