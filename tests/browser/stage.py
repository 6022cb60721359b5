"""A browser context of one test in the shared Chromium: its connection, its tabs, its pages."""

import itertools
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import msgspec

from ouroboros.browser.channel.socket import socket
from ouroboros.browser.connection import Connection
from ouroboros.browser.tabs import Tab, Tabs, opened
from tests.browser.chromium import Chromium
from tests.browser.site import Page, Site


class Stage:
    """What a test has of the browser."""

    def __init__(self, chromium: Chromium, site: Site, connection: Connection, tabs: Tabs) -> None:
        self.chromium, self.site = chromium, site
        self.connection, self.tabs = connection, tabs

    async def open(self, page: str = "about:blank") -> Tab:
        """Opens an address, or the name of a file of ``pages/``, and waits until it is loaded."""
        is_address = page.partition(":")[0] in {"http", "https", "about", "data", "file"}
        tab = self.tabs.tab(await self.tabs.open())
        if page != "about:blank":
            await tab.navigate(page if is_address else self.site.url(page))
            await loaded(tab)
        return tab

    async def show(self, page: Page, *, path: str = "page", tab: Tab | None = None) -> Tab:
        """Shows a page that the test wrote itself: in a new tab, or in place of what ``tab`` has."""
        address = self.site.put(path, page)
        if tab is None:
            return await self.open(address)
        await tab.navigate(address)
        await loaded(tab)
        return tab


async def read(tab: Tab, code: str) -> Any:
    """What ``code`` comes to in the page's own world."""
    answer = msgspec.json.decode(
        await tab.call(
            "Runtime.evaluate",
            {"expression": code, "awaitPromise": True, "returnByValue": True, "replMode": True},
        )
    )
    assert "exceptionDetails" not in answer, answer
    return answer["result"].get("value")


async def loaded(tab: Tab, *, seconds: float = 60.0) -> None:
    """Waits until a real document is complete."""
    is_done = "location.href !== 'about:blank' && document.readyState === 'complete'"
    with anyio.fail_after(seconds):
        for pause in itertools.repeat(0.01):
            if await read(tab, is_done):
                return
            await anyio.sleep(pause)


@asynccontextmanager
async def staged(chromium: Chromium, site: Site) -> AsyncGenerator[Stage]:
    """Connects; the context and its tabs are gone at the end of the block."""
    async with socket(chromium.url) as channel, opened(channel, own_context=True) as tabs:
        yield Stage(chromium, site, tabs.connection, tabs)
