"""kill -9 while code of the model acts in a page: the call is told as unknown, and not made again."""

import contextlib
import os
import signal
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import override

import pytest
from anyio import to_thread

from ouroboros.core.events import Envelope
from ouroboros.core.events.browser import ArtifactKept, DownloadFinished
from ouroboros.core.events.call import ToolResulted, ToolStarted
from ouroboros.llm.turns import Turn
from ouroboros.store import resume
from ouroboros.store.lease import Lease
from ouroboros.testing.server import ScriptedServer, serving
from tests.story.rlm_stage import block, contexts
from tests.story.stage import stage

PROGRAM = """
import os, sys
from pathlib import Path
import anyio
from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.settings import Browser, Settings

async def main(url, home, cwd):
    settings = Settings(base_url=url, mode="full-auto", model="openai-chat/scripted",
                        browser=Browser(profile="", confirm=()))
    surroundings = {"PATH": os.environ["PATH"], "HOME": cwd, "TMPDIR": cwd}
    engine = Ouroboros(settings, home=Path(home), environment=surroundings)
    async with engine.open(cwd=Path(cwd), mind="rlm", browser=True, way="repl") as session:
        await session.run("Buy one.")

anyio.run(main, *sys.argv[1:])
"""

SHOP = """<title>Shop</title>
<button id=buy onclick="send('buy')">Buy</button>
<input id=file type=file onchange="send(this.files[0].name)">
<a id=get href=/invoice>Invoice</a>
<script>function send(what) {
  const asked = new XMLHttpRequest(); asked.open('POST', '/order', false); asked.send(what)
}</script>"""

HEAD = "HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"


class Shop(socketserver.ThreadingTCPServer):
    """Shows a page; what an act sends or fetches is answered once the test is over, if at all."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/shop"
        self.came, self.over = threading.Event(), threading.Event()
        self.asked: list[str] = []


class Handler(socketserver.BaseRequestHandler):
    @override
    def handle(self) -> None:
        shop = self.server
        assert isinstance(shop, Shop)
        words = self.request.recv(65536).decode().split(" ")[:2]
        match words:
            case ["GET", "/shop"]:
                self.request.sendall((HEAD % ("text/html", len(SHOP)) + SHOP).encode())
            case ["POST", _] | ["GET", "/invoice"]:
                shop.asked.append(" ".join(words))
                if words[0] == "GET":
                    half = HEAD % ("application/x-invoice", 200_000) + "x" * 100_000
                    self.request.sendall(half.encode())
                shop.came.set()
                shop.over.wait(60)
            case _:
                pass


@pytest.fixture
def shop() -> Generator[Shop]:
    with Shop() as opened:
        threading.Thread(target=opened.serve_forever, args=(0.05,), daemon=True).start()
        yield opened
        opened.over.set()
        opened.shutdown()


def start(server: ScriptedServer, home: Path, cwd: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-I", "-c", PROGRAM, server.url, str(home), str(cwd)]
    return subprocess.Popen(words, cwd=cwd)


def of_browser(home: Path) -> list[int]:
    """The living processes of the run's Chromium."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes()
            if f"--user-data-dir={home}".encode() in words:
                found.append(int(entry.name))
    return found


def strike(process: subprocess.Popen[bytes], home: Path) -> None:
    """Kills the run and its Chromium, which gets no moment to clear anything away."""
    for number in (signal.SIGSTOP, None, signal.SIGKILL):
        if number is None:
            process.kill()
            process.wait()
            continue
        for pid in of_browser(home):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
    until = time.monotonic() + 120
    while of_browser(home):
        assert time.monotonic() < until, "Chromium does not end"
        time.sleep(0.02)


def parts(home: Path) -> list[Path]:
    """Whatever lies in the folders of artifacts."""
    return [path for path in (home / "artifacts").rglob("*") if path.is_file()]


def part_appears(home: Path) -> None:
    until = time.monotonic() + 120
    while not parts(home):
        assert time.monotonic() < until, "no part of the download appears"
        time.sleep(0.02)


async def killed(tmp_path: Path, turns: list[Turn], shop: Shop, *, downloads: bool) -> None:
    """Runs until the act has reached the server, and a part of a download the disk, and kills."""
    cwd = tmp_path / "work"
    cwd.mkdir()
    (cwd / "photo.txt").write_text("a photo")
    async with serving(turns) as server:
        process = await to_thread.run_sync(start, server, tmp_path / "home", cwd)
        try:
            assert await to_thread.run_sync(shop.came.wait, 60)
            if downloads:
                await to_thread.run_sync(part_appears, tmp_path / "home")
        finally:
            await to_thread.run_sync(strike, process, tmp_path / "home")


def kept(home: Path, session: str) -> list[Envelope]:
    with Lease.take(home, session) as lease:
        return resume.load(home, lease).envelopes


@pytest.mark.proves("browser-kills")
@pytest.mark.deep
@pytest.mark.parametrize(
    ("act", "name"),
    [
        ("await click(tab, '#buy')", "click"),
        pytest.param("await upload(tab, '#file', 'photo.txt')", "upload", marks=pytest.mark.soak),
        ("await click(tab, '#get');\nawait waitForDownload(tab)", ""),
    ],
    ids=["click", "upload", "download"],
)
async def test_a_kill_during_an_act_is_told_as_unknown_and_not_repeated(
    tmp_path: Path, shop: Shop, act: str, name: str
) -> None:
    opening = f"const tab = await openTab('{shop.url}');\nawait waitForLoad(tab);\n"
    await killed(
        tmp_path, [block(opening + act, "await openTab('about:blank')")], shop, downloads=not name
    )
    shop.over.set()
    assert bool(parts(tmp_path / "home")) == (not name)
    before = list(shop.asked)
    assert len(before) == 1
    async with stage(
        tmp_path,
        [block("setFinal('seen')")],
        check=False,
        cwd=tmp_path / "work",
        latest=True,
        browser={"profile": ""},
    ) as s:
        outcome = await s.run("")
        assert outcome.final == "seen"
        (told,) = contexts(s)
        session = s.session.id
    assert "Whether it took effect is unknown" in told
    assert "it did not run" in told
    assert shop.asked == before
    events = [e.data for e in await to_thread.run_sync(kept, tmp_path / "home", session)]
    begun = [e for e in events if isinstance(e, ToolStarted) and e.name == name]
    ended = [e for e in events if isinstance(e, ToolResulted) and e.name == name]
    assert len(begun) == bool(name)
    assert [e.status for e in ended] == ["unknown-after-crash"] * len(begun)
    assert not [e for e in events if isinstance(e, ArtifactKept | DownloadFinished)]
    assert not parts(tmp_path / "home")
