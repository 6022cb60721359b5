"""Everything that runs scripts is met before its first script, wherever it is started from."""

from pathlib import Path

import anyio
import pytest

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.session import Plan
from ouroboros.browser.tabs import Tabs
from ouroboros.browser.targets import Target
from ouroboros.browser.waits import wait_for_load
from tests.browser.site import Reply, Site
from tests.browser.test_session import session
from tests.browser.test_tabs import met

SCRIPT = "text/javascript"


@pytest.mark.deep
@pytest.mark.proves("browser-driver")
async def test_every_kind_of_target_is_met_before_its_first_script(tabs: Tabs, site: Site) -> None:
    """Each asks for ``/ran?...`` in its first line; the hook sees that nothing has been asked yet."""
    early: dict[str, bool] = {}
    met_types: list[str] = []
    known: set[str] = set()

    async def hook(target: Target) -> None:
        met_types.append(target.type)
        is_new = target.id not in known
        known.add(target.id)
        before = len(site.paths())
        await anyio.sleep(0.05)  # a first script that did not wait would ask in this time
        asked = [item.query.get("by") for item in site.requests[before:] if item.path == "/ran"]
        # A service worker is met again, and may run by then, with each page of its site.
        early[target.type] = early.get(target.type, False) or (is_new and target.type in asked)

    tabs.on_target(hook)
    site.put("ran", "1")
    far = site.url("framed", host=1)
    site.put("framed", "<script>fetch('/ran?by=iframe')</script>")
    site.put("popup", "<script>fetch('/ran?by=page')</script>")
    for kind in ("worker", "shared_worker", "service_worker"):
        site.put(f"{kind}.js", Reply(f"fetch('/ran?by={kind}')", kind=SCRIPT))
    id = await tabs.open(
        site.put(
            "top",
            f"<iframe src={far}></iframe><script>new Worker('/worker.js'); "
            "new SharedWorker('/shared_worker.js'); "
            "navigator.serviceWorker.register('/service_worker.js')</script>",
        )
    )
    await tabs.tab(id).evaluate("window.open('/popup')", world="main")
    kinds = {"iframe", "page", "worker", "shared_worker", "service_worker"}
    await met(lambda: {item.query["by"] for item in site.requests if item.path == "/ran"} >= kinds)
    assert set(met_types) >= kinds
    assert early == dict.fromkeys(met_types, False)


@pytest.mark.proves("browser-driver")
@pytest.mark.deep
async def test_frames_within_frames_of_other_sites_belong_to_their_tab(
    tabs: Tabs, site: Site
) -> None:
    inner = site.url("inner", host=2)
    outer = site.url("outer", host=1)
    site.put("inner", "<title>inner</title>")
    site.put("outer", f"<title>outer</title><iframe src={inner}></iframe>")
    url = site.put("top", f"<title>top</title><iframe src={outer}></iframe>")
    tab = tabs.tab(await tabs.open(url))
    await wait_for_load(tab)
    await met(lambda: {frame.url for frame in tab.frames} == {url, outer, inner})
    assert len(tab.sessions) == 3
    by_url = {frame.url: frame for frame in tab.frames}
    assert by_url[inner].parent == by_url[outer].id
    assert by_url[outer].parent == by_url[url].id
    assert all(tabs.of_session(session) is tab for session in tab.sessions)
    assert await tab.evaluate("document.title", frame=inner) == b'"inner"'
    await tab.evaluate("document.querySelector('iframe').src = '/outer'")  # moves to our process
    await met(lambda: site.url("outer") in {frame.url for frame in tab.frames})
    await met(lambda: tab.frames.find(site.url("outer")).session == tab.session)
    title = "new Promise(told => document.readyState === 'loading' ? document.addEventListener('DOMContentLoaded', () => told(document.title)) : told(document.title))"
    assert await tab.evaluate(title, frame=site.url("outer")) == b'"outer"'


@pytest.mark.proves("browser-driver")
async def test_a_target_whose_guard_fails_never_runs(tabs: Tabs, site: Site) -> None:
    id = await tabs.open(site.put("top", "<title>top</title>"))
    await wait_for_load(tabs.tab(id))
    site.put("popup", "<script>fetch('/ran')</script>")

    refused: list[Target] = []

    async def refuse(target: Target) -> None:
        refused.append(target)
        raise BrowserFailed("no guard could be set")

    stop = tabs.on_target(refuse)
    await tabs.tab(id).evaluate("void window.open('/popup')", world="main")
    await met(lambda: bool(refused) and len(tabs.all()) == 1)
    stop()
    assert "/ran" not in site.paths()
    assert await tabs.tab(id).evaluate("document.title") == b'"top"'
    await tabs.tab(id).evaluate("void window.open('/popup')", world="main")
    await met(lambda: "/ran" in site.paths())


@pytest.mark.proves("browser-driver")
@pytest.mark.deep
async def test_a_renderer_that_hangs_holds_up_no_other_tab(tabs: Tabs, site: Site) -> None:
    hung = await tabs.open(site.put("hung", "<script>setTimeout(() => { for (;;); }, 50)</script>"))
    context = await tabs.new_context()
    fine = await tabs.open(site.put("fine", "<title>fine</title>"), context=context)
    await wait_for_load(tabs.tab(fine))
    await anyio.sleep(0.1)
    with anyio.fail_after(60):
        assert await tabs.tab(fine).evaluate("document.title") == b'"fine"'
        await tabs.close(hung)
        await tabs.close(fine)


@pytest.mark.proves("browser-faults", "divergences-tabs-opened-by-a-script")
@pytest.mark.parametrize(
    "rounds", [pytest.param(1, marks=pytest.mark.deep), pytest.param(20, marks=pytest.mark.soak)]
)
async def test_many_tabs_opened_by_a_script_harm_nobody(
    tmp_path: Path, site: Site, rounds: int
) -> None:
    """No more of them: a window costs the browser itself 50 ms and more before it can be closed."""
    site.put("child", "<p>x")
    plan = Plan(profile="", max_tabs=4, flags=("--disable-popup-blocking",))
    async with session(tmp_path, plan) as browser:
        tabs = await browser.tabs()
        other = await tabs.open(site.put("other", "<title>other</title>"))
        id = await tabs.open(site.put("parent", "<title>parent</title>"))
        await wait_for_load(tabs.tab(id))
        for _ in range(rounds):
            code = "for (let i = 0; i < 50; i++) window.open('/child')"
            await tabs.tab(id).evaluate(code, timeout_seconds=120)
            assert await tabs.tab(other).evaluate("document.title") == b'"other"'
        await met(lambda: tabs.refused >= 50 * rounds - 10, seconds=300)
        assert len(tabs.all()) <= 4


@pytest.mark.proves("browser-ten-thousand-windows", "divergences-tabs-opened-by-a-script")
@pytest.mark.parametrize(
    "rounds", [pytest.param(1, marks=pytest.mark.deep), pytest.param(10, marks=pytest.mark.soak)]
)
async def test_thousands_of_windows_asked_for_become_one_for_each_gesture(
    tabs: Tabs, site: Site, rounds: int
) -> None:
    """Of a thousand that code asks for in one go one is made, as Chromium has it by itself."""
    site.put("child", "<p>x")
    tab = tabs.tab(await tabs.open(site.put("parent", "<title>parent</title>")))
    await wait_for_load(tab)
    for _ in range(rounds):
        code = "let got = 0; for (let i = 0; i < 1000; i++) got += !!window.open('/child'); got"
        assert int(await tab.evaluate(f"{{{code}}}", world="main", timeout_seconds=120)) <= 2
    assert 2 < len(tabs.all()) <= rounds + 4
    assert await tab.evaluate("document.title") == b'"parent"'
