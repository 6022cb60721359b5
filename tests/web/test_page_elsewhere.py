"""Pages of other places, in the browser in which the person is logged in: none of them gets anything."""

import itertools
import json
from pathlib import Path

import anyio
import pytest

from ouroboros.core.events.browser import RequestBlocked
from tests.browser.chromium import Chromium
from tests.browser.site import Reply, serving
from tests.story.rlm_stage import block, rlm_stage
from tests.web.conftest import Shown

TRIES = """
(async (at) => {
  const api = `${at}/api/v1`, said = {};
  const note = async (name, what) => {
    try { const found = await what(); said[name] = found; } catch (error) { said[name] = `no: ${error.name}`; }
  };
  const ask = (how) => async () => { const answer = await fetch(`${api}/state`, how); return `${answer.type} ${answer.status} ${await answer.text()}`; };
  await note("cors", ask({ credentials: "include" }));
  await note("opaque", ask({ credentials: "include", mode: "no-cors" }));
  const open = (type, mode) => async () => {
    const how = { method: "POST", credentials: "include", mode, headers: { "content-type": type }, body: "{}" };
    return `${(await fetch(`${api}/sessions`, how)).type}`;
  };
  await note("plain", open("text/plain", "no-cors"));
  await note("json", open("application/json", "cors"));
  await note("beacon", () => String(navigator.sendBeacon(`${api}/sessions`, new Blob(["{}"], { type: "text/plain" }))));
  await note("login", async () => (await fetch(`${api}/login`, { method: "POST", mode: "no-cors", body: "{}" })).type);
  await note("socket", () => new Promise((done) => {
    const socket = new WebSocket(`${api.replace("http", "ws")}/stream`);
    socket.onopen = () => done("open"); socket.onmessage = () => done("told"); socket.onerror = () => done("no: error");
  }));
  await note("script", () => new Promise((done) => {
    const script = document.createElement("script");
    script.src = `${api}/state`; script.onload = () => done("loaded"); script.onerror = () => done("no: error");
    document.head.append(script);
  }));
  await note("frame", () => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.src = at; frame.onload = () => { try { done(frame.contentDocument ? "read" : "no: shut"); } catch { done("no: shut"); } };
    document.body.append(frame);
  }));
  await note("form", async () => {
    const frame = document.createElement("iframe"), form = document.createElement("form");
    frame.name = "hidden"; form.target = "hidden"; form.method = "post"; form.enctype = "text/plain"; form.action = `${api}/sessions`;
    document.body.append(frame, form); form.submit();
    await new Promise((done) => { frame.onload = done; }); return "sent";
  });
  return JSON.stringify(said);
})
"""


@pytest.mark.deep
@pytest.mark.proves("T18")
async def test_a_page_of_another_port_or_name_reaches_nothing_though_the_person_is_logged_in(
    page: Shown,
) -> None:
    with serving() as site:
        site.put("evil", "<!doctype html><title>Evil</title><body></body>")
        async with page() as one:
            plate = one.served.plate
            own = await one.run("(async () => (await fetch('/api/v1/state')).status)()")
            assert own == 401  # the cookie alone is not enough
            assert await one.run("ouro.link.get('/state').then((found) => 'version' in found)")
            addresses = (site.url("evil"), site.url("evil").replace("127.0.0.1", "localhost"))
            targets = (plate.address, plate.address.replace("127.0.0.1", "localhost"))
            for address, target in itertools.product(addresses, targets):
                await one.tab.navigate(address)
                with anyio.fail_after(60):
                    said = json.loads(await one.run(f"{TRIES}({json.dumps(target[:-1])})"))
                for name in ("cors", "json", "socket", "script", "frame"):
                    assert said[name].startswith("no: "), (name, said)
                assert "version" not in said["opaque"]
            assert one.troubles
            assert all("frame-ancestors" in each for each in one.troubles)
            one.troubles.clear()
            log = await one.served.client.get("/api/v1/sessions?all=1")
            assert log.json()["sessions"] == []
            state = await one.served.client.get("/api/v1/state")
            assert state.json()["sessions"] == []
            await one.tab.navigate(plate.address)
            await one.until("globalThis.ouro?.link.state === 'online'")


_OPENED = "const opened = tabs.find((t) => t.url.startsWith('{at}'))?.id ?? 'what is not there'"
OPENINGS = {
    "a tab of its own": "await openTab('{at}')",
    "by the other name": "await openTab('{named}')",
    "a place in it": "await openTab('{at}#/settings')",
    "its API": "await openTab('{at}api/v1/state')",
    "another scheme": "await openTab('{at}'.replace('http', 'HTTP'))",
    "an address in digits": "await openTab('{at}'.replace('127.0.0.1', '2130706433'))",
    "from a tab": "const t = await openTab('{site}'); await navigate(t, '{at}')",
    "by the page's script": (
        "const t = await openTab('{site}'); await execInTab(t, `location.href = '{at}'`);"
        "await sleep(300); await execInTab(t, 'localStorage.getItem(`key`).length')"
    ),
    "by a link": (
        "const t = await openTab('{site}');"
        'await execInTab(t, `document.body.innerHTML = "<a id=go href={at}>go</a>"`);'
        "await click(t, '#go'); await sleep(300); await execInTab(t, 'localStorage.getItem(`key`).length')"
    ),
    "by a redirect": "await openTab('{site}'.replace(/[^/]*$/, 'moved'))",
    "in a frame": (
        "const t = await openTab('{site}');"
        "await execInTab(t, `document.body.innerHTML = '<iframe src={at}></iframe>'`);"
        "await sleep(300); await execInTab(t, 'document.querySelector(\"iframe\").contentWindow.localStorage.key')"
    ),
    "by its own window": (
        "const t = await openTab('{site}'); await execInTab(t, `window.w = open('{at}'); 0`);"
        "await sleep(300); await execInTab(t, 'w.localStorage.getItem(`key`).length')"
    ),
    "in that window": f"{_OPENED}; await execInTab(opened, '1')",
    "a picture of it": f"{_OPENED}; await screenshot({{{{tab: opened}}}})",
    "its text": f"{_OPENED}; await getText(opened)",
    "with the protocol": "await cdp(await openTab('{site}'), 'Page.navigate', {{url: '{at}'}})",
}
"""Ways by which a model's code tries to get the page that holds the person's key."""


@pytest.mark.proves("T18")
async def test_a_model_reaches_no_page_of_ours_in_the_browser_of_the_person(
    page: Shown, chromium: Chromium, tmp_path: Path
) -> None:
    with serving() as site:
        site.put("shop", "<!doctype html><title>Shop</title><body></body>")
        async with page() as one:
            at = one.served.plate.address
            site.put("moved", Reply("", "text/html", 302, (("location", at),)))
            places = {
                "at": at,
                "named": at.replace("127.0.0.1", "localhost"),
                "site": site.url("shop"),
            }
            tries = "\n".join(
                f"try {{ await (async () => {{ {code.format(**places)} }})(); said[{name!r}] = 'done' }}"
                f" catch (e) {{ said[{name!r}] = e.message }}"
                for name, code in OPENINGS.items()
            )
            code = f"const said = {{}};\n{tries}\nsetFinal(said)"
            # The places are known, so that tabs of others in this browser make no difference.
            known = ["127.0.0.1", "localhost"]
            settings = {
                "mode": "attach",
                "url": chromium.url,
                "profile": "",
                "allow_domains": known,
            }
            async with rlm_stage(tmp_path, [block(code)], with_browser=True, browser=settings) as s:
                said = json.loads((await s.run()).final)
                kept = [each.reason for each in s.events(RequestBlocked)]
            refusals = (
                "ERR_ABORTED",
                "Cannot read properties of null",
                "Blocked a frame",
                "is not ",
            )
            assert {n: w for n, w in said.items() if not any(e in w for e in refusals)} == {}
            assert said.keys() == OPENINGS.keys()
            assert len([each for each in kept if "servers of Ouroboros" in each]) >= 10
            assert (await one.served.client.get("/api/v1/state")).json()["sessions"] == []
            assert await one.run("ouro.link.state") == "online"
