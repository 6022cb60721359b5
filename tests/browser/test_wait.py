"""Waiting for elements and words, over navigations and in frames."""

import anyio
import pytest

from ouroboros.browser.errors import CallTimedOut, CannotAct
from ouroboros.browser.page.wait import wait_for_selector, wait_for_text
from tests.browser.stage import Stage, read

LATER = """<!doctype html><p id=a style="display:none">one</p><script>
setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<p id=b>two <i>words</i></p>"), 60);
setTimeout(() => { a.style.display = "block" }, 90);</script>"""


@pytest.mark.proves("browser-waits")
async def test_what_comes_is_shown_and_goes_is_waited_for(stage: Stage) -> None:
    tab = await stage.show(LATER)
    await wait_for_selector(tab, "#a", state="attached")
    await wait_for_selector(tab, "#b")
    await wait_for_text(tab, "two words")
    await wait_for_selector(tab, "#a")
    assert await read(tab, "a.style.display") == "block"
    await read(tab, "setTimeout(() => { b.remove() }, 60), 0")
    await wait_for_selector(tab, "#b", state="hidden")
    assert await read(tab, "document.getElementById('b')") is None


@pytest.mark.deep
@pytest.mark.proves("browser-waits")
async def test_what_never_comes_ends_in_time_and_says_what(stage: Stage) -> None:
    tab = await stage.show(LATER)
    with pytest.raises(CallTimedOut, match=r"'#never' did not become visible within 0\.2 s"):
        await wait_for_selector(tab, "#never", 0.2)
    with pytest.raises(CallTimedOut, match="the text 'never'"):
        await wait_for_text(tab, "never", 0)
    with pytest.raises(CannotAct, match="not a CSS selector"):
        await wait_for_selector(tab, "p[", 60)


@pytest.mark.proves("browser-faults")
@pytest.mark.deep
async def test_a_page_that_keeps_itself_busy_is_said_to(stage: Stage) -> None:
    tab = await stage.show("<!doctype html><p>on and on")
    endless = ("Runtime.evaluate", {"expression": "for (;;);"})
    with pytest.raises(CallTimedOut, match=f"^{tab.id}: the page is busy: Runtime.[^;]*$"):
        await tab.call_many([endless], timeout_seconds=0.2)
    key = {"type": "keyDown", "key": "a"}
    with pytest.raises(CallTimedOut) as late:
        await tab.call("Input.dispatchKeyEvent", key, timeout_seconds=0.2)
    assert late.value.message == (
        f"{tab.id}: the page is busy: Input.dispatchKeyEvent was not answered in 0.2 s;"
        " whether it took effect is unknown"
    )
    assert "close the tab" in late.value.hint


@pytest.mark.proves("browser-waits")
@pytest.mark.deep
async def test_a_navigation_does_not_end_the_wait(stage: Stage) -> None:
    stage.site.put("next", "<!doctype html><p id=done>arrived</p>")
    tab = await stage.show("<script>setTimeout(() => { location = '/next' }, 100)</script>")
    await wait_for_selector(tab, "#done", 60)
    await wait_for_text(tab, "Arrived", 60, selector="#done")


@pytest.mark.proves("browser-waits")
@pytest.mark.parametrize("host", [0, 1])
@pytest.mark.deep
async def test_a_frame_that_comes_later_is_waited_for(stage: Stage, host: int) -> None:
    stage.site.put(
        "inner",
        "<p id=in style='display:none'>x</p><script>setTimeout(() => { document.getElementById('in').style.display = '' }, 80)</script>",
    )
    url = stage.site.url("inner", host)
    page = f"""<script>setTimeout(() => {{ const f = document.createElement("iframe"); f.name = "late";
    f.src = {url!r}; document.body.append(f) }}, 80)</script><body>"""
    tab = await stage.show(page)
    await wait_for_selector(tab, "iframe >>> #in", 60)
    await wait_for_selector(tab, "#in", 60, frame="late")
    await wait_for_text(tab, "x", 60, selector="#in", frame="late")


@pytest.mark.deep
async def test_changes_in_shadow_roots_are_seen(stage: Stage) -> None:
    page = """<x-y id=h></x-y><script>const root = h.attachShadow({mode: "open"});
    setTimeout(() => { root.innerHTML = "<b id=deep>x</b>" }, 80)</script>"""
    tab = await stage.show(page)
    await wait_for_selector(tab, "#deep", 60)


@pytest.mark.deep
async def test_a_wait_that_is_cancelled_leaves_the_tab_well(stage: Stage) -> None:
    tab = await stage.show(LATER)
    with anyio.move_on_after(0.1):
        await wait_for_selector(tab, "#never")
    await wait_for_selector(tab, "#a")
