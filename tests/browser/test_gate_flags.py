"""A browser that we start ourselves has no way out beside the gate, media and name look-ups included."""

import os
import socket as sockets
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import anyio
import msgspec
import pytest

from ouroboros.browser.channel.pipe import Pipe
from ouroboros.browser.connection import connected
from ouroboros.browser.guard.gate import gate
from ouroboros.browser.launch import Launch, launched
from ouroboros.browser.tabs import Tabs
from tests.browser.settling import until
from tests.browser.site import Site


@contextmanager
def _ears() -> Generator[sockets.socket]:
    """Hears what is sent to it by UDP."""
    ears = sockets.socket(sockets.AF_INET, sockets.SOCK_DGRAM)
    ears.bind(("127.0.0.1", 0))
    ears.settimeout(0)
    with ears:
        yield ears


def _heard(ears: sockets.socket) -> bool:
    try:
        return bool(ears.recv(2048, sockets.MSG_PEEK))
    except BlockingIOError:
        return False


CALLS = """(async () => {
  const p = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:PORT'},
    {urls: 'turn:127.0.0.1:PORT', username: 'u', credential: 'c'}]})
  p.createDataChannel('x'); await p.setLocalDescription(await p.createOffer())
  try { new WebTransport('https://127.0.0.1:PORT/x') } catch (e) {}
  for (const rel of ['dns-prefetch', 'preconnect']) {
    const l = document.createElement('link'); l.rel = rel; l.href = 'http://told.secret.test'
    document.head.append(l)
  }
  return 1
})()"""


async def _call_out(site: Site, folder: Path, flags: Sequence[str], ears: sockets.socket) -> str:
    """What the browser writes of its network; without flags it must have been heard first."""
    log = folder / "net.json"
    plan = Launch(profile=folder / "profile", flags=(f"--log-net-log={log}", *flags))
    async with launched(plan, dict(os.environ)) as child, anyio.create_task_group() as tasks:
        tasks.start_soon(child.watch)
        async with connected(Pipe(child)) as connection, anyio.create_task_group() as inner:
            tabs = Tabs(connection, inner)
            await tabs.begin()
            tab = tabs.tab(await tabs.open(site.put("x", "<title>x</title>")))
            await tab.until(lambda: tab.status == "complete", 60, "not loaded")
            code = CALLS.replace("PORT", str(ears.getsockname()[1]))
            assert msgspec.json.decode(await tab.evaluate(code, world="main")) == 1
            await anyio.sleep(1.0)
            await until(lambda: flags or _heard(ears))
            inner.cancel_scope.cancel()
            connection.post("Browser.close")
            with anyio.fail_after(60):
                await connection.lost.wait()  # the log is whole once it has ended
        tasks.cancel_scope.cancel()
    return await anyio.Path(log).read_text(errors="replace")


@pytest.mark.proves("C16")
@pytest.mark.parametrize("held", [True, False])
@pytest.mark.deep
async def test_calls_and_names_go_through_the_gate_or_nowhere(
    site: Site, tmp_path: Path, held: bool
) -> None:
    here = site.origin()

    async def admit(origin: str) -> bool:
        return origin == here

    with _ears() as ears:
        async with gate() as made:
            made.admit = admit
            log = await _call_out(site, tmp_path, made.flags if held else (), ears)
        assert _heard(ears) is not held
        assert ("HOST_RESOLVER" in log and '"told.secret.test' in log) is not held
