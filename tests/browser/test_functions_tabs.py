"""Functions that open, close and move tabs, called by code in a real REPL."""

from pathlib import Path

import pytest

from tests.browser.desk import Desk, desk
from tests.browser.stage import Stage, read


@pytest.mark.proves("C01", "C02", "divergences-functions-of-tabs")
async def test_tabs_are_opened_moved_and_closed(repl: Desk) -> None:
    site = repl.stage.site
    one, two = site.put("one", "<title>One</title>"), site.put("two", "<title>Two</title>")
    told = await repl.run(
        f"const t = await openTab({one!r}); await waitForLoad(t); const first = tabs[0];"
        f"await navigate(t, {two!r}); await waitForLoad(t); const second = tabs[0].url;"
        "const back = await goBack(t); await waitForLoad(t); const third = tabs[0].url;"
        "const fore = await goForward(t); const more = await goForward(t);"
        "await reload(t); await waitForLoad(t);"
        "const u = await openTab(); const active = activeTab; await switchTab(t);"
        "const now = activeTab; await closeTab(u);"
        "setFinal([first.id, first.url, second, back, third, fore, more, u, active, now, tabs.length])"
    )
    assert told == ["tab_0", one, two, True, one, True, False, "tab_1", "tab_1", "tab_0", 1]
    assert site.paths().count("/two") >= 2


@pytest.mark.proves("C01", "C19")
@pytest.mark.deep
async def test_a_page_without_a_title_has_none(repl: Desk) -> None:
    url = repl.stage.site.put("plain page", "<p>no title")
    told = await repl.run(
        f"const t = await openTab(), u = await openTab({url!r}); await waitForLoad(u);"
        f"await waitForLoad(t); setFinal(tabs.map(tab => tab.title))"
    )
    assert told == ["", ""]


@pytest.mark.deep
async def test_names_of_tabs_are_not_used_again(repl: Desk) -> None:
    names = await repl.run(
        "const a = await openTab(); await closeTab(a); setFinal([a, await openTab()])"
    )
    assert names == ["tab_0", "tab_1"]


@pytest.mark.deep
@pytest.mark.proves("C02")
async def test_an_address_that_cannot_be_opened_says_why(repl: Desk) -> None:
    for url, words in (
        ("javascript:alert(1)", "javascript: addresses may not be opened"),
        ("file:///etc/passwd", "file: addresses may not be opened"),
        ("chrome://settings", "chrome: addresses may not be opened"),
        ("shop.example", "not a whole address"),
        ("http://127.0.0.1:1/", "ERR_"),
    ):
        failed = await repl.fails(f"await openTab({url!r})")
        assert words in failed, url
        assert await repl.run("setFinal(tabs)") == [], url


@pytest.mark.deep
async def test_a_page_that_opens_a_tab_is_its_opener(repl: Desk) -> None:
    page = "<button onclick='window.open(\"/form.html\")'>open</button>"
    url = repl.stage.site.put("opener", page)
    acted, opened = await repl.run(
        f"const t = await openTab({url!r}); await waitForLoad(t);"
        "const acted = await click(t, 'button'); setFinal([acted, tabs[1]])"
    )
    assert opened["opener"] == "tab_0"
    assert acted["opened"] == [repl.stage.site.url("form.html")]


@pytest.mark.proves("browser-children")
@pytest.mark.deep
async def test_a_child_acts_in_its_own_tabs_and_looks_at_others(stage: Stage, work: Path) -> None:
    page = "<p>text</p><button onclick='document.title = \"pressed\"'>b</button>"
    theirs = await stage.show(page)
    async with desk(stage, work, is_child=True) as child:
        code = f"setFinal(await getText({theirs.id!r}, 'p'))"
        assert await child.run(code) == "text"
        for call in ("click($, 'button')", "navigate($, 'about:blank')", "closeTab($)",
                     "execInTab($, '1')"):  # fmt: skip
            assert "was not opened here" in await child.fails(
                f"await {call.replace('$', repr(theirs.id))}"
            )
        own = await child.run(
            f"const t = await openTab({stage.site.url('page')!r}); await waitForLoad(t);"
            "await click(t, 'button'); setFinal([t, await execInTab(t, 'document.title')])"
        )
    assert own[1] == "pressed"
    assert await read(theirs, "document.title") == ""


@pytest.mark.proves("C01")
@pytest.mark.deep
async def test_a_call_that_fails_tells_how_the_tabs_stand_after_it(repl: Desk) -> None:
    await repl.run("const t = await openTab(); await waitForLoad(t); await sleep(50)")
    seen = await repl.run(
        "try { await cdp(t, 'Page.crash') } catch { } setFinal(tabs.map(({ status }) => status))"
    )
    assert seen == ["crashed"]
    assert await repl.run("setFinal(tabs[0].status)") == "crashed"
