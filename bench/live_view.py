"""How fast the live view is: pictures a second, how old they are, and how soon a click is seen.

Usage: python -m bench.live_view [seconds]

The agent's Chromium shows a page that is drawn anew all the time; a second one shows our page with the
picture in it, and presses. Both, the server and the two browsers, share this machine.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import anyio

from tests.browser.chromium import Chromium
from tests.browser.site import Site, serving
from tests.web.serving import Served, web
from tests.web.window import Window, window

MOVING = """<!doctype html><title>Moving</title><body style="margin:0"><canvas id=c width=1280 height=720></canvas>
<script>const d = c.getContext('2d'); let n = 0
const step = () => { n++; for (let k = 0; k < 60; k++) { d.fillStyle = `hsl(${(n * 3 + k * 6) % 360} 70% 60%)`
d.fillRect((n * 5 + k * 97) % 1280, (k * 53) % 720, 90, 40) } requestAnimationFrame(step) }; step()</script>"""
PRESSED = """<!doctype html><title>Pressed</title><body style="margin:0;background:#000"><script>
let n = 0; addEventListener('mousedown', () => { document.body.style.background = (n++ % 2) ? '#000' : '#fff' })
</script>"""
PROBE = """(() => { const canvas = document.querySelector('.stage canvas')
globalThis.probe = {frames: 0, seen: [], waiting: 0, last: null}
const light = () => canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data[0] > 127
new MutationObserver(() => { probe.frames++
  if (probe.waiting && light() !== probe.last) { probe.seen.push(performance.now() - probe.waiting); probe.waiting = 0 }
}).observe(canvas, {attributes: true, attributeFilter: ['data-number']})
globalThis.press = () => { const box = canvas.getBoundingClientRect(); probe.last = light(); probe.waiting = performance.now()
  for (const type of ['mousedown', 'mouseup']) canvas.dispatchEvent(new MouseEvent(type, {bubbles: true, cancelable: true,
    button: 0, buttons: type === 'mousedown' ? 1 : 0, detail: 1, clientX: box.left + box.width / 2, clientY: box.top + box.height / 2})) }
})()"""
CLICKS = 40


async def opens(person: Window, url: str, title: str) -> None:
    """Goes to an address in the live view, and waits for its picture."""
    await person.until("document.querySelector('.live-bar input') !== null")
    await person.run("document.querySelector('.live-bar input').focus()")
    await person.type(url)
    await person.press("Enter")
    await person.until(
        f"document.querySelector('.live-strip .tab[aria-selected=true]')?.innerText.trim() === '{title}'"
    )
    await person.until("document.querySelector('.stage canvas')?.dataset.number > 0")
    await anyio.sleep(1)


def spent(home: Path) -> float:
    """Seconds of processor time that the browser of this home, and this process, have used."""
    ticks = 0
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if str(home).encode() in (entry / "cmdline").read_bytes():
                fields = (entry / "stat").read_text().rpartition(") ")[2].split()
                ticks += int(fields[11]) + int(fields[12])
        except OSError:
            continue
    own = os.times()
    return ticks / os.sysconf("SC_CLK_TCK") + own.user + own.system


async def direct(served: Served, session: str, url: str, seconds: float) -> dict[str, Any]:
    """Pictures a second for a program at the websocket, which draws nothing."""
    async with served.socket(f"/sessions/{session}/browser?viewer=bench") as socket:
        tabs = (await socket.hear())["tabs"]
        tab = next(each["id"] for each in tabs if each["url"] == url)
        view = {"tab": tab, "width": 1280, "height": 720, "rate": 60}
        await socket.raw.send(json.dumps({"kind": "watch", "views": [view]}))
        count = size = 0
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            said = await socket.raw.recv()
            if isinstance(said, bytes):
                count, size = count + 1, size + len(said)
                await socket.raw.send('{"kind":"seen"}')
    return {"frames/s": count / seconds, "kB/frame": size / max(count, 1) / 1000}


async def main(seconds: float) -> None:
    """Prints the numbers."""
    watcher = Chromium()
    try:
        with tempfile.TemporaryDirectory() as folder, serving() as site:
            await measured(watcher, Path(folder), site, seconds)
    finally:
        watcher.close()


async def measured(watcher: Chromium, folder: Path, site: Site, seconds: float) -> None:
    """All of it against one server."""
    moving, pressed = site.put("moving", MOVING), site.put("pressed", PRESSED)
    async with web(folder) as served, window(watcher, served, (1900, 1000)) as person:
        await person.enter()
        session = await person.session(browser=True, mind="rlm")
        await person.run("ouro.store.choose('sideWidth', 70); ouro.store.choose('rail', false)")
        await person.run("ouro.page.show('browser')")
        await person.until("document.querySelector('.live-bar input') !== null")
        await opens(person, moving, "Moving")
        await person.run(PROBE)
        before = await person.run("probe.frames")
        await anyio.sleep(seconds)
        drawn = (await person.run("probe.frames") - before) / seconds
        size = await person.run(
            "[document.querySelector('.stage canvas').width, document.querySelector('.stage canvas').height]"
        )
        print(f"drawn in the page ({size[0]}x{size[1]}): {drawn:.1f} frames/s")
        await person.run("ouro.page.toggleSide()")
        found = await direct(served, session, moving, seconds)
        print(
            f"to a program (1280 wide): {found['frames/s']:.1f} frames/s, {found['kB/frame']:.0f} kB each"
        )
        await person.run("ouro.page.toggleSide()")
        await opens(person, pressed, "Pressed")
        await person.run(PROBE)
        for _ in range(CLICKS):
            count = await person.run("probe.seen.length")
            await person.run("press()")
            await person.until(f"probe.seen.length > {count}")
            await anyio.sleep(0.15)
        seen = sorted(await person.run("probe.seen"))
        print(
            f"click to picture: median {statistics.median(seen):.0f} ms, p95 {seen[int(len(seen) * 0.95) - 1]:.0f} ms"
        )
        for name, code in (("looked at", "1"), ("not looked at", "ouro.page.toggleSide()")):
            await person.run(code)
            await anyio.sleep(1)
            start = spent(folder / "home")
            await anyio.sleep(seconds)
            share = (spent(folder / "home") - start) / seconds
            print(
                f"a page that stands still, {name}: {100 * share:.1f} % of one core for server and browser"
            )


if __name__ == "__main__":
    anyio.run(main, float(sys.argv[1]) if len(sys.argv) > 1 else 5.0)
