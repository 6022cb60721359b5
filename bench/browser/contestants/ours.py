"""The browser room, as the tools drive it."""

import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec

from bench.browser.contestants.flags import FLAGS
from ouroboros.browser.channel.pipe import Pipe
from ouroboros.browser.launch import Launch, launched
from ouroboros.browser.page.keyboard import type_text
from ouroboros.browser.page.observe import observe
from ouroboros.browser.tab import Tab
from ouroboros.browser.tabs import opened
from ouroboros.browser.waits import wait_for_load

WORDS = "hello world"


class Ours:
    """A page is its tab."""

    async def start(self, program: str) -> None:
        """Starts Chromium on a fresh profile."""
        self._held = AsyncExitStack()
        folder = self._held.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        launch = Launch(profile=Path(folder), program=program, flags=FLAGS)
        child = await self._held.enter_async_context(launched(launch, {"PATH": "/usr/bin:/bin"}))
        self._tabs = await self._held.enter_async_context(opened(Pipe(child)))

    async def open(self, url: str) -> Tab:
        """Opens a tab and waits for its load."""
        tab = self._tabs.tab(await self._tabs.open(url))
        await wait_for_load(tab)
        return tab

    async def evaluate(self, tab: Tab, code: str) -> object:
        """The value of an expression, through what ``execInTab`` uses."""
        return msgspec.json.decode(await tab.evaluate(code))

    async def click_and_type(self, tab: Tab) -> None:
        """Clicks the field and types eleven keys."""
        await type_text(tab, "#words", WORDS)

    async def observe(self, tab: Tab) -> int:
        """Looks; characters of what a prompt would hold."""
        return len((await observe(tab)).text())

    async def close(self, tab: Tab) -> None:
        """Closes a tab."""
        await self._tabs.close(tab.id)

    async def stop(self) -> None:
        """Ends Chromium."""
        await self._held.aclose()
