"""The web page as a person waits for it: first paint, how much is sent, and from an event to the screen.

A server of its own, a real Chromium, a scripted model. Run as ``python -m bench.faces_page``.
"""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any, cast

import anyio
import httpx2
import msgspec

from tests.browser.chromium import Chromium
from tests.web.serving import Served
from tests.web.window import Window, window

_PAINT = (
    "new Promise((done) => { const look = () => { const found = performance.getEntriesByType('paint');"
    "found.length > 1 ? done(found.map((each) => each.startTime)) : setTimeout(look, 10); }; look(); })"
)
_SENT = (
    "(() => { const all = performance.getEntriesByType('resource').filter((each) => !each.name.includes('/api/'));"
    "return [all.map((each) => each.name), all.reduce((sum, each) => sum + each.encodedBodySize, 0), all.reduce((sum, each) => sum + each.decodedBodySize, 0)]; })()"
)
# Each delta carries its number, so that the largest that can be read says what is on the screen.
_WATCH = """globalThis.late = [];
(() => {
  const one = ouro.store.current, made = new Map(), take = one.take.bind(one);
  let written = "", shown = 0;
  one.take = (frame) => {
    for (const each of frame.events ?? []) {
      if (each.type !== "model.delta" || !each.data.text) continue;
      written += each.data.text;
      const found = /(\\d+) $/.exec(written.slice(-12));
      if (found) made.set(Number(found[1]), each.ts);
    }
    take(frame);
  };
  const look = () => {
    const replies = document.querySelectorAll(".reply .prose");
    const found = /(\\d+)\\s*$/.exec(replies[replies.length - 1]?.textContent.slice(-12) ?? "");
    const now = Date.now() / 1000;
    for (const last = found ? Number(found[1]) : 0; shown < last; shown += 1) {
      if (made.has(shown + 1)) globalThis.late.push(now - made.get(shown + 1));
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""


@asynccontextmanager
async def _server(folder: Path) -> AsyncGenerator[tuple[Any, httpx2.AsyncClient]]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "OUROBOROS_HOME": str(folder / "home"),
    }
    words = ["web", "--port", "0", "--headless-token", "--mode", "full-auto", "--model", "echo"]
    process = await anyio.open_process(
        [sys.executable, "-m", "ouroboros", *words],
        cwd=folder,
        env=environment,
        stderr=None,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        port, token = (await process.stdout.receive()).decode().split()
        address = f"http://127.0.0.1:{port}/"
        headers = {"authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
            yield SimpleNamespace(address=address, token=token), client
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGTERM)
        await process.wait()
        await process.aclose()


def _script(folder: Path, name: str, deltas: int, pace: float) -> str:
    text = "".join(f"{number} " for number in range(1, deltas + 1))
    line = {"text": text, "chunk": 1, "pace_seconds": pace}
    (folder / name).write_bytes(msgspec.json.encode(line) + b"\n")
    return f"script:{folder / name}"


async def _begun(client: httpx2.AsyncClient, model: str) -> str:
    opened = await client.post("/api/v1/sessions", json={"model": model, "mode": "full-auto"})
    return str(opened.json()["session"])


async def _say(client: httpx2.AsyncClient, session: str) -> None:
    said = {"type": "submit", "text": "Count"}
    (await client.post(f"/api/v1/sessions/{session}/commands", json=said)).raise_for_status()


async def _paints(chromium: Chromium, served: Served, rounds: int) -> None:
    first: list[float] = []
    whole: list[float] = []
    usable: list[float] = []
    again: list[float] = []
    for _ in range(rounds):
        async with window(chromium, served) as shown:
            await shown.enter()
            paint = await shown.run(_PAINT)
            first.append(paint[0])
            whole.append(paint[1])
            usable.append(await shown.run("performance.getEntriesByName('usable')[0].startTime"))
            await shown.tab.reload()
            again.append((await shown.run(_PAINT))[1])
    for name, values in (
        ("first paint", first),
        ("with content", whole),
        ("usable", usable),
        ("again", again),
    ):
        print(f"{name}: {median(values):.0f} ms ({min(values):.0f} to {max(values):.0f})")


async def _sizes(shown: Window, client: httpx2.AsyncClient) -> None:
    print(f"sent for the chat: {await _sent(shown, client)}")
    await shown.run(
        "(async () => { const {VIEWS} = await import('/js/views/index.js');"
        "await Promise.all(VIEWS.map((view) => view.load())); })()"
    )
    print(f"sent for all views: {await _sent(shown, client)}")


async def _sent(shown: Window, client: httpx2.AsyncClient) -> str:
    """Bodies as the page counts them; of heads it knows no more than that each counts as 300 bytes."""
    names, sent, held = await shown.run(_SENT)
    heads = 0
    for name in names:
        answer = await client.head(name, headers={"accept-encoding": "gzip"})
        lines = [b"HTTP/1.1 200 OK", *(b": ".join(each) for each in answer.headers.raw), b""]
        heads += sum(len(line) + 2 for line in lines)
    return (
        f"{sent / 1000:.1f} kB of bodies in {len(names)} files ({held / 1000:.1f} kB unpacked), "
        f"and {heads / 1000:.1f} kB of headers"
    )


async def _streams(
    shown: Window, client: httpx2.AsyncClient, folder: Path, sessions: int, deltas: int
) -> None:
    pace = 1 / 200
    slow = _script(folder, "slow.jsonl", deltas // max(1, sessions - 1), pace * (sessions - 1))
    for _ in range(sessions - 1):
        await _say(client, await _begun(client, slow))
    session = await _begun(client, _script(folder, "fast.jsonl", deltas, pace))
    await shown.go(f"{session}/chat")
    await shown.until("document.querySelector('.prompt textarea') !== null")
    await shown.run(_WATCH)
    await _say(client, session)
    await shown.until("document.querySelector('.ending') !== null", 120)
    late = sorted(float(each) * 1000 for each in await shown.run("globalThis.late"))
    print(
        f"event to screen, 200 deltas/s shown and 200 in {sessions - 1} other runs: median {median(late):.0f} ms, "
        f"p95 {late[int(len(late) * 0.95)]:.0f} ms, most {late[-1]:.0f} ms ({len(late)} deltas)"
    )


async def main() -> None:
    """Measures, and prints a line for each number."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--deltas", type=int, default=2000)
    wish = parser.parse_args()
    chromium = Chromium()
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            async with _server(folder) as (plate, client):
                served = cast("Served", SimpleNamespace(plate=plate))
                await _paints(chromium, served, wish.rounds)
                async with window(chromium, served) as shown:
                    await shown.enter()
                    await shown.go(f"{await _begun(client, 'echo')}/chat")
                    await shown.until("document.querySelector('.prompt textarea') !== null")
                    await _sizes(shown, client)
                    await _streams(shown, client, folder, wish.sessions, wish.deltas)
    finally:
        chromium.close()


if __name__ == "__main__":
    anyio.run(main)
