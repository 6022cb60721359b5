"""Pages of other places, in the browser in which the person is logged in: none of them gets anything."""

import itertools
import json

import anyio
import pytest

from tests.browser.site import serving
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


@pytest.mark.proves("T18")
async def test_a_page_of_another_port_or_name_reaches_nothing_though_the_person_is_logged_in(
    page: Shown,
) -> None:
    with serving() as site:
        site.put("evil", "<!doctype html><title>Evil</title><body></body>")
        async with page() as one:
            plate = one.served.plate
            own = await one.run("(async () => (await fetch('/api/v1/state')).status)()")
            assert own == 200
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
