"""A browser with a window, on a virtual screen: ours, and somebody's own that is attached to."""

import json
import os
import shutil
import subprocess
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ouroboros.browser.launch import FLAGS, find
from ouroboros.browser.page.keyboard import type_text
from ouroboros.browser.page.mouse import click
from ouroboros.browser.plan import Plan
from ouroboros.browser.session import BrowserSession
from ouroboros.browser.tabs import Tabs
from ouroboros.browser.waits import wait_for_load
from tests.browser.site import Site
from tests.browser.stage import read

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(not shutil.which("Xvfb"), reason="there is no Xvfb: apt-get install xvfb"),
]
OUR_OWN = ("--allow-pre-commit-input", "--disable-features=")
"""No browser of a person's has them."""

EMPTY = '<title>x</title><div id=b style="width:200px;height:100px"></div>'
HEARS = "<script>window.log = []; b.onclick = (e) => log.push(e.isTrusted)</script>"


@pytest.fixture
def screen() -> Generator[str]:
    """The number of a screen of its own."""
    reading, writing = os.pipe()
    with subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x900x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    ) as server:
        os.close(writing)
        try:
            with os.fdopen(reading, "rb") as told:
                yield f":{told.readline().decode().strip()}"
        finally:
            server.terminate()


@pytest.fixture
def theirs(tmp_path: Path, screen: str) -> Generator[str]:
    """The address of a browser that a person has started; it runs on when we are done."""
    environment = surroundings(tmp_path, screen)
    words = [
        find(environment["PATH"]),
        "--remote-debugging-port=0",
        f"--user-data-dir={tmp_path / 'theirs'}",
        *(flag for flag in FLAGS if not flag.startswith(OUR_OWN)),
        *(("--no-sandbox",) if os.geteuid() == 0 else ()),
        "about:blank",
    ]
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE) as browser:
        try:
            assert browser.stderr is not None
            line = next(line for line in browser.stderr if b"listening on ws://" in line)
            yield line.decode().split("listening on ", 1)[1].strip()
            assert browser.poll() is None
        finally:
            browser.terminate()
            browser.communicate(timeout=60)


def surroundings(home: Path, screen: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "DISPLAY": screen}


@asynccontextmanager
async def windowed(home: Path, screen: str, plan: Plan) -> AsyncGenerator[Tabs]:
    """The tabs of a browser whose window is on the screen."""
    environment = surroundings(home, screen)
    async with BrowserSession(plan, environment=environment, home=home) as session:
        yield await session.tabs()


async def arrive(tabs: Tabs, site: Site) -> None:
    """The first press and the first key on a new page."""
    site.put("pressed", EMPTY + HEARS)
    site.put("typed", "<title>x</title><input id=f>")
    for turn in range(4):
        tab = tabs.tab(await tabs.open(site.url("pressed")))
        await wait_for_load(tab)
        await click(tab, "#b")
        assert await read(tab, "log") == [True], turn
        await tab.navigate(site.url("typed"))
        await wait_for_load(tab)
        await type_text(tab, "#f", "word")
        assert await read(tab, "f.value") == "word", turn


@pytest.mark.proves("C06", "C11")
async def test_the_first_press_and_key_on_a_new_page_arrive(
    tmp_path: Path, screen: str, site: Site
) -> None:
    async with windowed(tmp_path, screen, Plan(headless=False)) as tabs:
        await arrive(tabs, site)


@pytest.mark.proves("C06", "C11")
async def test_they_arrive_in_a_browser_of_the_persons_too(
    tmp_path: Path, screen: str, theirs: str, site: Site
) -> None:
    async with windowed(tmp_path, screen, Plan(mode="attach", url=theirs)) as tabs:
        await arrive(tabs, site)


@pytest.mark.proves("C07")
async def test_a_page_that_prints_does_not_stand_still(
    tmp_path: Path, screen: str, site: Site
) -> None:
    site.put("page", "<title>x</title>")
    path = tmp_path / "browser" / "profiles" / "default" / "Default" / "Preferences"
    path.parent.mkdir(parents=True, mode=0o700)
    path.write_text('{"printing": {"left": 1}, "other": 2}')
    async with windowed(tmp_path, screen, Plan(headless=False)) as tabs:
        tab = tabs.tab(await tabs.open(site.url("page")))
        await wait_for_load(tab)
        assert await read(tab, "print(); document.title") == "x"
    kept = json.loads(path.read_text())
    assert (kept["printing"]["left"], kept["other"]) == (1, 2)
    assert path.stat().st_mode & 0o077 == 0
