"""Tabs by names that are never used twice: opening, going places, what changed, and what scripts open."""

import itertools
import time
from collections.abc import Callable

import anyio
import anyio.abc
import msgspec
import pytest

from ouroboros.browser.channel.socket import socket
from ouroboros.browser.errors import BrowserFailed, CallTimedOut, DialogOpen, TabGone
from ouroboros.browser.face import look_up
from ouroboros.browser.page.observe import observe
from ouroboros.browser.tabs import TabFacts, Tabs, opened
from ouroboros.browser.waits import wait_for_load, wait_for_network_idle
from tests.browser.chromium import Chromium
from tests.browser.site import Reply, Site

PAGE = "<!doctype html><title>{}</title><link rel=icon href=/i.png><p>{}"


async def shown(tabs: Tabs, id: str, url: str) -> None:
    await tabs.tab(id).navigate(url)
    await wait_for_load(tabs.tab(id))


async def met(holds: Callable[[], bool], seconds: float = 60) -> None:
    with anyio.fail_after(seconds):
        for pause in itertools.repeat(0.01):
            if holds():
                return
            await anyio.sleep(pause)


@pytest.mark.deep
@pytest.mark.proves("C01")
async def test_a_tab_tells_its_address_title_status_and_icon(tabs: Tabs, site: Site) -> None:
    url = site.put("one", PAGE.format("One", "x"))
    id = await tabs.open(url)
    await wait_for_load(tabs.tab(id))
    with anyio.fail_after(60):
        while not tabs.tab(id).favicon:
            await tabs.tab(id).moved.wait()
    assert tabs.all() == (
        TabFacts(id="tab_0", url=url, title="One", status="complete", favicon=site.url("i.png")),
    )
    assert tabs.active == "tab_0"


TITLES = {
    "\\u202etxt.exe\\u2066 \\u2069": "txt.exe",
    "a\\x1b[2Jb\\x1b]0;owned\\x07c\\x9b31md": "a [2Jb ]0;owned cd",
    "bank\\u200b\\u2060\\ufeff.com": "bank.com",
    "one\\u2028two\\rthree\\x08": "onetwo three",
    "\\u{e0049}\\u{e0067}\\u{e006e}x": "x",
    "שלום": "שלום",
    "می\\u200cخواهم": "می\u200cخواهم",
}


@pytest.mark.deep
@pytest.mark.proves("C01")
async def test_a_title_has_no_signs_that_hide_reorder_or_steer(tabs: Tabs, site: Site) -> None:
    url = site.put("signs", PAGE.format("first", "x"))
    tab = tabs.tab(await tabs.open(url))
    await wait_for_load(tab)
    heard: list[str] = []
    stop = tabs.listen(lambda facts: heard.append(facts.title))
    for written, expected in TITLES.items():
        await tab.evaluate(f'document.title = "{written}"')
        await look_up(tab)
        await met(lambda expected=expected: tab.facts.title == expected)
        assert f"title: {expected}\n" in (await observe(tab)).text()
    assert {*heard} <= {"first", *TITLES.values()}
    stop()


@pytest.mark.deep
@pytest.mark.proves("C01")
async def test_names_are_never_used_again(tabs: Tabs) -> None:
    first, second = await tabs.open(), await tabs.open()
    assert (first, second, tabs.active) == ("tab_0", "tab_1", "tab_1")
    tab = tabs.tab(second)
    await tabs.close(second)
    assert tabs.active == "tab_0"
    assert tab.facts.status == "closed"
    with pytest.raises(TabGone, match="there is no tab 'tab_1'; open are: tab_0"):
        tabs.tab(second)
    with pytest.raises(TabGone, match="tab_1 was closed"):
        await tab.evaluate("1")
    assert await tabs.open() == "tab_2"


@pytest.mark.proves("C02")
@pytest.mark.deep
async def test_twenty_tabs_open_at_once_and_each_has_its_page(tabs: Tabs, site: Site) -> None:
    site.put("n", lambda asked: PAGE.format(asked.query["n"], "x"))
    got: dict[str, bytes] = {}

    async def open(number: int) -> None:
        id = await tabs.open(site.url(f"n?n={number}"))
        await wait_for_load(tabs.tab(id))
        got[f"{number}"] = await tabs.tab(id).evaluate("document.title")

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(open, number)
    assert got == {f"{number}": b'"%d"' % number for number in range(20)}
    assert len({facts.id for facts in tabs.all()}) == 20


@pytest.mark.proves("C02")
@pytest.mark.deep
async def test_fast_pages_are_never_missed(tabs: Tabs, site: Site) -> None:
    """Page.enable was answered before the first navigation, so no load happening is lost."""
    site.put("fast", "<title>f</title>")
    for _ in range(3):
        id = await tabs.open(site.url("fast"))
        await wait_for_load(tabs.tab(id), timeout_seconds=60)
        for n in range(3):
            await tabs.tab(id).navigate(site.url(f"fast?{n}"))
            await wait_for_load(tabs.tab(id), timeout_seconds=60)
            assert tabs.tab(id).url == site.url(f"fast?{n}")
        await tabs.close(id)


@pytest.mark.deep
@pytest.mark.proves("C02")
async def test_a_page_that_cannot_be_reached_is_an_error_and_no_tab_is_left(tabs: Tabs) -> None:
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
    with pytest.raises(BrowserFailed, match="net::ERR_CONNECTION_REFUSED"):
        await tabs.open(f"http://127.0.0.1:{port}/")
    assert tabs.all() == ()


@pytest.mark.deep
@pytest.mark.proves("C02")
async def test_history_and_reload(tabs: Tabs, site: Site) -> None:
    one, two = (site.put(name, PAGE.format(name, name)) for name in ("one", "two"))
    id = await tabs.open(one)
    tab = tabs.tab(id)
    await wait_for_load(tab)
    assert not await tab.travel(1)
    await shown(tabs, id, two)
    assert await tab.travel(-1)
    assert tab.url == one
    assert await tab.travel(1)
    await wait_for_load(tab)
    assert tab.url == two
    before = site.paths().count("/two")
    await tab.reload()
    await wait_for_load(tab)
    assert site.paths().count("/two") == before + 1


@pytest.mark.proves("C02", "C18")
@pytest.mark.deep
async def test_a_step_in_the_history_has_been_made_when_it_returns(tabs: Tabs, site: Site) -> None:
    """A page that was kept is named by the browser before it is there, and has its old loader."""
    one, two = (site.put(name, PAGE.format(name, name)) for name in ("one", "two"))
    tab = tabs.tab(await tabs.open(one))
    await wait_for_load(tab)
    await shown(tabs, tab.id, two)
    for _ in range(4):
        for steps, url in ((-1, one), (1, two)):
            assert await tab.travel(steps)
            assert tab.frames.find("").url == url
            await wait_for_load(tab)
            assert await tab.evaluate("location.href") == msgspec.json.encode(url)


@pytest.mark.proves("C02", "C18")
@pytest.mark.deep
async def test_a_place_in_the_history_may_have_the_address_of_the_one_before(
    tabs: Tabs, site: Site
) -> None:
    tab = tabs.tab(await tabs.open(site.put("app", PAGE.format("App", "x"))))
    await wait_for_load(tab)
    await tab.evaluate("history.pushState(1, ''); history.pushState(2, '')")
    assert await tab.travel(-1, timeout_seconds=60)
    assert await tab.evaluate("history.state") == b"1"


@pytest.mark.deep
async def test_an_address_within_the_page_is_followed(tabs: Tabs, site: Site) -> None:
    id = await tabs.open(site.put("app", PAGE.format("App", "x")))
    tab = tabs.tab(id)
    await wait_for_load(tab)
    before = tabs.all()
    await tab.evaluate("history.pushState(0, '', '/app/deep?x#y'); document.title = 'Deep'")
    await tab.navigate(site.url("app/deep?x#z"))
    await wait_for_load(tab)
    await tabs.refresh()
    fields = {change.field: change.new for change in tabs.changes(before)}
    assert fields == {"url": site.url("app/deep?x#z"), "title": "Deep"}


@pytest.mark.deep
@pytest.mark.proves("B09", "C19")
async def test_the_differ_tells_what_happened_since(tabs: Tabs, site: Site) -> None:
    url = site.put("one", PAGE.format("One", "x"))
    kept, closed = await tabs.open(), await tabs.open()
    before = tabs.all()
    assert tabs.changes(before) == ()
    await tabs.close(closed)
    await shown(tabs, kept, url)
    new = await tabs.open()
    found = {(change.tab, change.field): change.new for change in tabs.changes(before)}
    assert found[kept, "url"] == url
    assert (closed, "closed") in found
    assert (new, "opened") in found


@pytest.mark.proves("C01")
@pytest.mark.deep
async def test_listeners_hear_of_every_change_and_of_the_end(tabs: Tabs, site: Site) -> None:
    heard: list[tuple[str, str]] = []
    stop = tabs.listen(lambda facts: heard.append((facts.url, facts.status)))
    url = site.put("one", PAGE.format("One", "x"))
    id = await tabs.open(url)
    await wait_for_load(tabs.tab(id))
    await tabs.close(id)
    stop()
    await tabs.open()
    assert (url, "loading") in heard
    assert (url, "complete") in heard
    assert heard[-1] == (url, "closed")


@pytest.mark.proves("C02")
@pytest.mark.deep
async def test_a_page_that_never_loads_is_told_and_can_be_read(tabs: Tabs, site: Site) -> None:
    """The picture is never sent, so the load never ends; the page is there all the same."""
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as silent:
        port = silent.extra(anyio.abc.SocketAttribute.local_port)
        url = site.put("slow", f"<title>s</title><p>here<img src=http://127.0.0.1:{port}/>")
        id = await tabs.open(url)
        with pytest.raises(CallTimedOut, match="did not finish loading"):
            await wait_for_load(tabs.tab(id), timeout_seconds=0.3)
        assert tabs.tab(id).status == "loading"
        assert await tabs.tab(id).evaluate("document.body.innerText") == b'"here"'
        with pytest.raises(CallTimedOut, match=r"did not begin to answer within 0\.3 s"):
            await tabs.tab(id).navigate(f"http://127.0.0.1:{port}/", timeout_seconds=0.3)
        assert tabs.tab(id).url == url
        await shown(tabs, id, site.put("next", "<title>n</title>"))


@pytest.mark.proves("browser-late-and-early-pages")
@pytest.mark.deep
async def test_a_tab_that_had_loaded_before_we_came_is_known_to_have_loaded(
    chromium: Chromium, tabs: Tabs, site: Site
) -> None:
    url = site.put("early", PAGE.format("Early", "x"))
    await wait_for_load(tabs.tab(await tabs.open(url)))
    await wait_for_load(tabs.tab(await tabs.open()))
    async with socket(chromium.url) as channel, opened(channel) as later:
        blank, early = (
            next(facts for facts in reversed(later.all()) if facts.url == where)
            for where in ("about:blank", url)
        )
        for facts in (blank, early):
            await wait_for_load(later.tab(facts.id), timeout_seconds=60)
        assert {facts.url for facts in later.all()} >= {"about:blank", url}
        await met(lambda: later.tab(early.id).title == "Early")


@pytest.mark.proves("C02")
@pytest.mark.deep
async def test_the_network_is_waited_for_until_it_is_quiet(tabs: Tabs, site: Site) -> None:
    site.put("item", "1")
    site.put(
        "busy",
        "<script>(async()=>{for(let i=0;i<6;i++){await fetch('/item?'+i);"
        "await new Promise(r=>setTimeout(r,20))} document.title='done'})()</script>",
    )
    id = await tabs.open(site.url("busy"))
    await wait_for_network_idle(tabs.tab(id), idle_seconds=0.8)
    assert await tabs.tab(id).evaluate("document.title") == b'"done"'


@pytest.mark.proves("browser-late-and-early-pages")
@pytest.mark.deep
async def test_a_page_that_is_busy_is_not_taken_for_quiet(tabs: Tabs, site: Site) -> None:
    site.put("item", "1")
    busy = "const end = performance.now() + 600; while (performance.now() < end); fetch('/item')"
    id = await tabs.open(
        site.put("busy", f"<script>onload = () => setTimeout(() => {{ {busy} }})</script>")
    )
    await wait_for_network_idle(tabs.tab(id), idle_seconds=0.2)
    assert "/item" in site.paths()


@pytest.mark.proves("C02")
@pytest.mark.deep
async def test_a_network_that_is_never_quiet_is_told(tabs: Tabs, site: Site) -> None:
    site.put("item", lambda _: time.sleep(0.3) or "1")  # there is always one on its way
    site.put("busy", "<script>setInterval(()=>fetch('/item'), 20)</script>")
    id = await tabs.open(site.url("busy"))
    with pytest.raises(CallTimedOut, match="the network was not quiet"):
        await wait_for_network_idle(tabs.tab(id), idle_seconds=0.9, timeout_seconds=1.0)


@pytest.mark.proves("C18")
async def test_a_tab_that_a_page_opens_has_its_opener(tabs: Tabs, site: Site) -> None:
    site.put("child", PAGE.format("Child", "x"))
    id = await tabs.open(site.put("parent", PAGE.format("Parent", "x")))
    await wait_for_load(tabs.tab(id))
    await tabs.tab(id).evaluate("window.open('/child')", world="main")
    await met(lambda: len(tabs.all()) == 2)
    child = tabs.all()[1]
    await wait_for_load(tabs.tab(child.id))
    assert (child.opener, tabs.tab(child.id).url) == (id, site.url("child"))
    assert tabs.active == id  # a pop-up takes no attention


@pytest.mark.proves("browser-faults")
@pytest.mark.deep
async def test_a_script_that_opens_tabs_without_end_is_held(chromium: Chromium, site: Site) -> None:
    site.put("child", PAGE.format("Child", "x"))
    async with (
        socket(chromium.url) as channel,
        opened(channel, own_context=True, max_tabs=4) as tabs,
    ):
        other = await tabs.open(site.put("other", PAGE.format("Other", "x")))
        id = await tabs.open(site.put("parent", PAGE.format("Parent", "x")))
        await wait_for_load(tabs.tab(id))
        for _ in range(20):  # a page may open one for each gesture
            await tabs.tab(id).evaluate("void window.open('/child')")
        await met(lambda: tabs.refused == 18)
        assert len(tabs.all()) == 4
        assert await tabs.tab(other).evaluate("document.title") == b'"Other"'
        with pytest.raises(BrowserFailed, match="4 tabs are open, which is the most"):
            await tabs.open()


@pytest.mark.deep
async def test_a_context_of_its_own_has_its_own_cookies(tabs: Tabs, site: Site) -> None:
    site.put("set", Reply("<p>x", headers=(("set-cookie", "who=me; Path=/"),)))
    site.put("get", lambda asked: asked.headers.get("cookie", "none"))
    await wait_for_load(tabs.tab(await tabs.open(site.url("set"))))
    mine = await tabs.open(site.url("get"))
    await wait_for_load(tabs.tab(mine))
    assert await tabs.tab(mine).evaluate("document.body.innerText") == b'"who=me"'
    context = await tabs.new_context()
    theirs = await tabs.open(site.url("get"), context=context)
    await wait_for_load(tabs.tab(theirs))
    assert await tabs.tab(theirs).evaluate("document.body.innerText") == b'"none"'
    await tabs.end_context(context)
    await met(lambda: len(tabs.all()) == 2)


@pytest.mark.deep
@pytest.mark.proves("C18")
async def test_while_a_dialog_is_open_calls_fail_at_once(tabs: Tabs, site: Site) -> None:
    id = await tabs.open(site.put("one", PAGE.format("One", "x")))
    tab = tabs.tab(id)
    await wait_for_load(tab)
    errors: list[str] = []

    async def ask() -> None:
        try:
            await tab.evaluate("confirm('Delete all?')", world="main")
        except DialogOpen as open_:
            errors.append(open_.message)

    stop = tabs.connection.listen(
        "Page.javascriptDialogOpening", lambda event: setattr(tab, "dialog", "confirm")
    )
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)  # under way when the dialog comes: it fails too
        assert errors == [f"{id}: a confirm dialog is open, so nothing in the page runs"]
        assert (tab.status, tab.facts.dialog) == ("dialog", "confirm")
        with pytest.raises(DialogOpen):
            await tab.evaluate("1")
        await tab.call("Page.handleJavaScriptDialog", {"accept": False})
        tab.dialog = ""
        assert await tab.evaluate("1") == b"1"
        stop()
        tab.dialog = "alert"
        await tabs.close(id)
    assert tabs.all() == ()


@pytest.mark.deep
async def test_a_tab_that_cannot_be_made_leaves_no_name_to_the_next(tabs: Tabs) -> None:
    with pytest.raises(BrowserFailed):
        await tabs.open(context="no-such-context", id="tab_77")
    assert await tabs.open() != "tab_77"
