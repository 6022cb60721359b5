"""Pages that move under the mouse: what is pressed is what was meant, or nothing."""

import contextlib
import itertools
import os
import random
from pathlib import Path

import anyio
import pytest

from ouroboros.browser.channel.socket import socket
from ouroboros.browser.connection import connected
from ouroboros.browser.errors import BrowserFailed, CannotAct
from ouroboros.browser.page.act import (
    aim,
    check,
    click,
    dblclick,
    drag,
    fill_one,
    hover,
    key_press,
    select,
    type_text,
)
from ouroboros.browser.page.facts import focused_for
from ouroboros.browser.page.keys import key_of
from ouroboros.browser.page.wait import wait_for_selector
from ouroboros.browser.tabs import Tab, opened
from ouroboros.tools.approval import Answer
from tests.browser.desk import desk
from tests.browser.shifting import HEARS, STYLE, Tally, drawn_lots, heard_in, tried
from tests.browser.stage import Stage, read
from tests.cases import every

OK = "<button id=ok>Continue</button>"
PAY = f"""<!doctype html>{STYLE}{HEARS}<style>body{{padding:0}}</style>
<button id=no type=button>Pay 99 euros</button>"""
"""What no trial may press; it fills its frame."""

ON_MOVE = "addEventListener('mousemove', () => { gap.style.height = '80px' });"
"""What was above lies under the mouse as soon as that moves; frames take its place likewise."""


def around(other: str, meant: str = "<button id=ok>Continue</button>", more: str = "") -> str:
    """A page in which ``other`` lies above ``meant`` and comes to lie in its place."""
    return f"""<!doctype html>{STYLE}{HEARS}<div id=gap class=gap></div>{other}<div class=gap></div>{meant}
    <script>{more or ON_MOVE}</script>"""


def framed(stage: Stage, host: int, page: str = PAY, name: str = "pay") -> str:
    stage.site.put(name, page)
    return f"<iframe id={name} src='{stage.site.url(name, host=host)}'></iframe>"


async def reached(tab: Tab, id: str = "no") -> list[str]:
    """The events that an element heard."""
    return [entry[0] for entry in await heard_in(tab) if entry[1] == id]


@pytest.mark.proves("C05", "C14")
async def test_a_payment_of_another_site_is_not_pressed_by_a_click_on_something_else(
    stage: Stage, work: Path
) -> None:
    stage.site.put("paid", "paid")
    tells = "<script>addEventListener('mousemove', () => parent.postMessage('near', '*'))</script>"
    ok = framed(
        stage, 2, f"<!doctype html>{STYLE}{HEARS}<style>body{{padding:0}}</style>{OK}{tells}", "in"
    )
    # The page shifts once the mouse has come near, which is what shifts under a press.
    shifts = "let ms = 0; onmessage = () => setTimeout(() => { gap.style.height = '80px' }, ms);"
    url = stage.site.put("shop", around(framed(stage, 1), ok, shifts))
    async with desk(stage, work, mode="ask", answers=[Answer(allowed=False)]) as repl:
        await repl.run(
            f"var t = await openTab({url!r}); await waitForSelector(t, '#in >>> #ok');"
            "await waitForSelector(t, '#pay >>> #no')"
        )
        assert "refused" in await repl.fails("await click(t, '#pay >>> #no')")
        assert "pay" in repl.questions[0].action
        tab = stage.tabs.tab()
        for count, pause in enumerate((0, 5) * 8, 1):
            await read(tab, f"gap.style.height = '20px', ms = {pause}, 0")
            did = await repl.run("setFinal((await click(t, '#in >>> #ok')).did)")
            assert did == 'clicked <button#ok> "Continue"'
            assert await reached(tab) == []
            assert (await reached(tab, "ok")).count("click") == count
        assert len(repl.questions) == 1
    assert "/paid" not in stage.site.paths()


OPEN_ROOT = """<div id=host style='height:40px'></div><script>{ const root = host.attachShadow({ mode: "MODE" });
root.innerHTML = "<button id=no style='width:200px;height:40px'>Pay</button>" }</script>"""
BOTH = """<div id=host></div><script>{ const root = host.attachShadow({ mode: "closed" });
root.innerHTML = `<style>button{display:block;width:200px;height:40px;margin-top:20px;border:0}</style>
<div id=in></div><button id=no>Pay</button><button id=ok>Continue</button>`;
for (const id of ["no", "ok"]) for (const name of ["pointerdown", "mousedown", "click"])
  root.getElementById(id).addEventListener(name, () => heard.push([name, id]));
addEventListener("mousemove", () => { root.getElementById("in").style.height = "60px" }) }</script>"""


async def pressed_by_hand(tab: Tab, selector: str) -> None:
    """A press as the live view makes one for the person: where they point, whatever is there."""
    code = f"(() => {{ const r = document.querySelector({selector!r}).getBoundingClientRect(); return [r.x + 9, r.y + 9] }})()"
    x, y = await read(tab, code)
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        params = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        await tab.call("Input.dispatchMouseEvent", params)


OTHERS = {
    "a button": "<button id=no>Pay</button>",
    "a button of its own listener": "<button id=no onpointerdown='heard.push([`own`, `no`])'>Pay</button>",
    "a link": "<a id=no href=/paid>Pay</a>",
    "an open root": OPEN_ROOT.replace("MODE", "open"),
    "a closed root": OPEN_ROOT
    .replace("MODE", "closed")
    .replace("<div id=host", "<div id=no")
    .replace("host.", "no."),
    "a drawing": "<svg id=no width=200 height=40><rect width=200 height=40></rect></svg>",
    "a label": "<label id=no><input type=checkbox id=box>Pay</label>",
    "a select": "<select id=no style='display:block;width:200px;height:40px'><option>a<option>b</select>",
    "a field": "<input id=no style='display:block;width:200px;height:40px'>",
    "a summary": "<details><summary id=no style='height:40px;width:200px'>Pay</summary>x</details>",
    "what can be dragged": "<div id=no draggable=true style='width:200px;height:40px'>Pay</div>",
    "a disabled button": "<button id=no disabled>Pay</button>",
}
"""What comes to lie where the meant button was."""


@pytest.mark.deep
@pytest.mark.proves("C05")
async def test_whatever_comes_under_the_mouse_hears_of_no_press(stage: Stage, tab: Tab) -> None:
    for other, html in OTHERS.items():
        await stage.show(around(html), tab=tab)
        acted = await click(tab, "#ok")
        told = await heard_in(tab)
        assert acted.did.startswith("clicked <button#ok>"), other
        assert [entry for entry in told if entry[1] in {"no", "box", "host"}] == [], other
        assert [entry[0] for entry in told if entry[1] == "ok"].count("click") == 1, other
        assert await read(tab, "document.activeElement.id") == "ok", other


@pytest.mark.proves("C05")
@pytest.mark.deep
@every("host, meant", [(0, -1), (1, -1), (-1, 0), (-1, 1), (0, 1), (1, 0), (1, 2), (2, 2)])
async def test_frames_that_come_under_the_mouse_hear_of_no_press(
    stage: Stage, tab: Tab, host: int, meant: int
) -> None:
    inner = f"<!doctype html>{STYLE}{HEARS}<style>body{{padding:0}}</style>{OK}"
    other = framed(stage, host) if host >= 0 else OTHERS["a button"]
    ok = framed(stage, meant, inner, "in") if meant >= 0 else OK
    # The page around a frame hears nothing of a mouse in it, so it shifts as soon as it is asked.
    shifts = "const go = () => { gap.style.height = '80px' };"
    await stage.show(around(other, ok, shifts), tab=tab)
    target = "#in >>> #ok" if meant >= 0 else "#ok"
    await wait_for_selector(tab, target)
    tally = Tally()
    for wait in (0, 12, 24, 36):
        await read(tab, f"gap.style.height = '20px', setTimeout(go, {wait}), 0")
        try:
            # Let go over something else it is told as pressed, and no click comes of it.
            tally.right += (await click(tab, target)).did.startswith("clicked")
        except CannotAct:
            tally.refused += 1
    assert await reached(tab) == []
    assert (await reached(tab, "ok")).count("click") == tally.right
    assert tally.right


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_what_moves_on_each_look_is_given_up_and_nothing_was_done(stage: Stage) -> None:
    moves = "addEventListener('mousemove', () => { gap.style.height = gap.style.height === '80px' ? '20px' : '80px' });"
    tab = await stage.show(around(OTHERS["a button"], more=moves))
    with pytest.raises(CannotAct, match="nothing was done to <button#ok>"):
        await click(tab, "#ok")
    assert await reached(tab) == await reached(tab, "ok") == []


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_two_buttons_in_one_closed_root_are_told_apart(stage: Stage) -> None:
    tab = await stage.show(f"<!doctype html>{HEARS}{BOTH}")
    acted = await click(tab, "#ok")
    assert acted.did.startswith("clicked <button#ok>")
    assert await reached(tab) == []
    assert "click" in await reached(tab, "ok")


@pytest.mark.proves("C14")
@pytest.mark.deep
async def test_a_button_that_comes_to_mean_something_else_is_not_pressed(stage: Stage) -> None:
    turns = "addEventListener('mousemove', () => { ok.textContent = 'Pay 99 euros' });"
    tab = await stage.show(around("", more=turns))
    with pytest.raises(BrowserFailed, match="something else"):
        await click(tab, await aim(tab, "#ok"))
    assert await reached(tab, "ok") == []


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_a_second_press_that_would_reach_another_is_kept_from_it_and_told(
    stage: Stage,
) -> None:
    shifts = "ok.onclick = () => { gap.style.height = '80px' };"
    tab = await stage.show(around(OTHERS["a button"], more=shifts))
    with pytest.raises(BrowserFailed, match="pressed 1 of 2 times: <button#no>"):
        await dblclick(tab, "#ok")
    assert await reached(tab) == []


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_a_press_let_go_over_another_button_is_not_heard_by_that(stage: Stage) -> None:
    shifts = "ok.onmousedown = () => { gap.style.height = '80px' };"
    tab = await stage.show(around(OTHERS["a button"], more=shifts))
    acted = await click(tab, "#ok")
    assert acted.did.startswith("pressed <button#ok>")
    assert acted.note.startswith("it was let go over <button#no>")
    assert await reached(tab) == []


@pytest.mark.proves("C05", "browser-a-page-that-was-left")
@pytest.mark.deep
async def test_a_page_that_comes_meanwhile_hears_of_no_press(stage: Stage, tab: Tab) -> None:
    stage.site.put(
        "next", f"<!doctype html>{STYLE}{HEARS}<div class=gap></div>{OTHERS['a button']}"
    )
    leaves = "const go = (ms) => setTimeout(() => { location.href = '/next' }, ms);"
    for wait in range(0, 60, 6):
        await stage.show(around("", more=leaves), tab=tab)
        await read(tab, f"go({wait})")
        with contextlib.suppress(BrowserFailed):
            await click(tab, "#ok")
        await wait_for_selector(tab, "#no")
        assert await reached(tab) == []
    # A document that began under a press is soon open to the person's own again.
    with anyio.fail_after(60):
        while not await reached(tab):
            await pressed_by_hand(tab, "#no")
            await anyio.sleep(0.02)


@pytest.mark.proves("C05")
@pytest.mark.deep
@every("host", [0, 1])
async def test_the_persons_own_presses_are_theirs_after_one_of_ours(
    stage: Stage, tab: Tab, host: int
) -> None:
    await stage.show(around(framed(stage, host)), tab=tab)
    await wait_for_selector(tab, "#pay >>> #no")
    await click(tab, "#ok")
    await pressed_by_hand(tab, "#ok")
    assert (await reached(tab, "ok")).count("click") == 2
    await pressed_by_hand(tab, "#pay")
    assert "click" in await reached(tab)


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_boxes_and_hovering_follow_what_moves(stage: Stage, tab: Tab) -> None:
    box = "<label id=ok><input type=checkbox id=mine>Yes</label>"
    await stage.show(around(OTHERS["a label"], box), tab=tab)
    await check(tab, "#mine")
    assert await read(tab, "[box.checked, mine.checked]") == [False, True]
    await stage.show(around(OTHERS["a button"]), tab=tab)
    await hover(tab, "#ok")
    assert await read(tab, "[ok.matches(':hover'), no.matches(':hover')]") == [True, False]


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_keys_reach_no_field_that_takes_the_focus_meanwhile(stage: Stage, tab: Tab) -> None:
    fields = "<input id=no><select id=pick><option>a<option>b</select>"
    steals = "ok.onfocus = () => no.focus();"
    await stage.show(around(fields, "<input id=ok>", steals), tab=tab)
    with pytest.raises(CannotAct, match="focus"):
        await type_text(tab, "#ok", "secret")
    with pytest.raises(CannotAct, match="focus"):
        await fill_one(tab, "#ok", "secret")
    steals = "ok.onfocus = () => setTimeout(() => no.focus());"
    await stage.show(around(fields, "<input id=ok>", steals), tab=tab)
    for act in (type_text, fill_one):
        with contextlib.suppress(CannotAct):
            await act(tab, "#ok", "secret")
        assert await read(tab, "no.value") == ""
        await read(tab, "document.activeElement.blur(), ok.value = '', 0")
    steals = "pick.onfocus = () => setTimeout(() => no.focus());"
    await stage.show(around(fields, "<input id=ok>", steals), tab=tab)
    await select(tab, "#pick", "b")
    assert await read(tab, "[pick.value, no.value]") == ["b", ""]


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_a_code_typed_into_one_box_each_goes_on_from_box_to_box(stage: Stage) -> None:
    boxes = "".join(f"<input id=c{number} maxlength=1>" for number in range(4))
    goes = "for (const box of document.querySelectorAll('input')) box.oninput = () => box.nextElementSibling?.focus();"
    tab = await stage.show(f"<!doctype html>{boxes}<script>{goes}</script>")
    acted = await type_text(tab, "#c0", "1234")
    assert await read(
        tab, "[...document.querySelectorAll('input')].map((box) => box.value)"
    ) == list("1234")
    assert acted.note == "the page went on to <input#c3>"


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_a_field_that_hands_the_focus_to_a_button_presses_nothing(stage: Stage) -> None:
    hands = "<script>ok.oninput = () => no.focus()</script>"
    page = f"<!doctype html>{HEARS}<input id=ok><button id=no>Pay</button>{hands}"
    tab = await stage.show(page)
    with pytest.raises(BrowserFailed, match="only a part was typed"):
        await type_text(tab, "#ok", "a b\n")
    assert await reached(tab) == []


@pytest.mark.deep
@pytest.mark.proves("C14")
async def test_enter_reaches_what_was_asked_about_or_nothing(stage: Stage, tab: Tab) -> None:
    stage.site.put("paid", "paid")
    await stage.show(
        f"<!doctype html>{HEARS}<button id=ok>Go on</button>{framed(stage, 1)}", tab=tab
    )
    for takes in ("document.activeElement.blur(), 0", "frames[0].focus(), 0"):
        await read(tab, "ok.focus(), 0")
        meant = await focused_for(tab, key_of("Enter"))
        await read(tab, takes)
        with pytest.raises(CannotAct, match="has the focus by now"):
            await key_press(tab, "Enter", meant=meant)
    await read(tab, "ok.focus(), 0")
    await key_press(tab, "Enter", meant=await focused_for(tab, key_of("Enter")))
    assert [entry[0] for entry in await heard_in(tab) if entry[1] == "ok"] == ["click"]
    assert "/paid" not in stage.site.paths()


DROPS = f"""<!doctype html>{STYLE}<div id=gap class=gap></div><div id=no style='height:40px'></div>
<div class=gap></div><div id=ok style='height:40px'></div><p id=card draggable=DRAGS style='height:40px'>card</p><script>
window.got = []; for (const place of [no, ok]) {{ place.ondragover = place.ondragenter = (e) => e.preventDefault();
place.ondrop = place.onmouseup = () => got.push(place.id) }}
card.SHIFTS = () => {{ gap.style.height = '80px' }};</script>"""


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_what_is_dragged_is_dropped_on_its_target_or_not_at_all(
    stage: Stage, tab: Tab
) -> None:
    page = DROPS.replace("DRAGS", "false").replace("SHIFTS", "onmousedown")
    await stage.show(page, tab=tab)
    await drag(tab, "#card", "#ok")
    assert await read(tab, "got") == ["ok"]
    page = DROPS.replace("DRAGS", "true").replace("SHIFTS", "ondragstart")
    await stage.show(page, tab=tab)
    with pytest.raises(BrowserFailed, match="not dropped: <div#no> is where <div#ok>"):
        await drag(tab, "#card", "#ok")
    assert await read(tab, "got") == []
    await read(tab, "card.ondragstart = null, 0")
    await drag(tab, "#card", "#ok")
    assert set(await read(tab, "got")) == {"ok"}


@pytest.mark.proves("C05")
@pytest.mark.deep
async def test_a_page_that_was_there_before_us_is_guarded_too(stage: Stage) -> None:
    hides = "for (const name of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])"
    hides += "addEventListener(name, (e) => { if (e.target.id === 'own') e.stopImmediatePropagation() }, true);"
    more = f"{ON_MOVE} {hides} addEventListener('load', () => fetch('/there'));"
    page = around(framed(stage, 1), OK + "<button id=own>Own</button>", more)
    url = stage.site.put("old", page)
    async with socket(stage.chromium.url) as channel, connected(channel) as raw:
        await raw.call("Target.createTarget", {"url": url})
        with anyio.fail_after(60):
            for pause in itertools.repeat(0.01):
                if "/there" in stage.site.paths():
                    break
                await anyio.sleep(pause)
        async with socket(stage.chromium.url) as other, opened(other) as tabs:
            tab = tabs.tab(next(facts.id for facts in tabs.all() if facts.url == url))
            await wait_for_selector(tab, "#pay >>> #no")
            assert (await click(tab, "#ok")).did.startswith("clicked")
            assert await reached(tab) == []
            with pytest.raises(BrowserFailed, match="the page hides whether this was done"):
                await click(tab, "#own")
            assert (await reached(tab, "own")).count("click") == 1
            await tabs.close(tab.id)


@pytest.mark.proves("C05")
@pytest.mark.parametrize(
    "count", [pytest.param(25, marks=pytest.mark.deep), pytest.param(1_000, marks=pytest.mark.soak)]
)
async def test_no_press_lands_elsewhere_on_pages_that_shift_at_random(
    stage: Stage, tab: Tab, count: int
) -> None:
    seed = int(os.environ.get("OURO_TEST_SEED", "0")) or random.randrange(1, 10**6)
    print(f"OURO_TEST_SEED={seed}")
    tally = Tally()
    for shift in drawn_lots(seed, count):
        await tried(stage, shift, tab, tally)
    assert (tally.wrong, tally.lies) == ([], []), f"OURO_TEST_SEED={seed}"
    # A page that never comes to rest may have a click given up.
    assert tally.right > count // 3, (seed, tally.why)
