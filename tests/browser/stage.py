"""A browser context of one test in the shared Chromium: its connection, its tabs, its pages."""

import contextlib
import itertools
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.tabs import Tab, Tabs
from tests.browser.chromium import Chromium
from tests.browser.site import Page, Site

MESSAGE_BYTES = 256 * 1024 * 1024


class Socket:
    """A channel over the shared Chromium's websocket."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def send(self, message: bytes) -> None:
        try:
            await self._socket.send(message.decode())
        except ConnectionClosed as gone:
            raise ConnectionError(str(gone)) from gone

    async def receive(self) -> bytes:
        try:
            said = await self._socket.recv()
        except ConnectionClosed as gone:
            raise ConnectionError(str(gone)) from gone
        return said if isinstance(said, bytes) else said.encode()


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
            await tab.call("Page.navigate", {"url": page if is_address else self.site.url(page)})
            await loaded(tab)
        return tab

    async def show(self, page: Page, *, path: str = "page") -> Tab:
        """Opens a tab on a page that the test wrote itself."""
        return await self.open(self.site.put(path, page))


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


async def loaded(tab: Tab, *, seconds: float = 20.0) -> None:
    """Waits until a real document is complete."""
    is_done = "location.href !== 'about:blank' && document.readyState === 'complete'"
    with anyio.fail_after(seconds):
        for pause in itertools.repeat(0.01):
            if await read(tab, is_done):
                return
            await anyio.sleep(pause)


@asynccontextmanager
async def staged(chromium: Chromium, site: Site) -> AsyncGenerator[Stage]:
    """Connects, and closes every tab of the test at the end of the block."""
    async with (
        connect(chromium.url, max_size=MESSAGE_BYTES, compression=None) as socket,
        anyio.create_task_group() as tasks,
    ):
        connection = Connection(Socket(socket))
        tasks.start_soon(connection.run)
        tabs = Tabs(connection, tasks)
        await tabs.begin()
        before = {tabs.tab(facts.id).target for facts in tabs.all()}
        try:
            yield Stage(chromium, site, connection, tabs)
        finally:
            with anyio.move_on_after(5, shield=True):
                for target in {tabs.tab(facts.id).target for facts in tabs.all()} - before:
                    with contextlib.suppress(BrowserFailed):  # the test has closed it
                        await connection.call("Target.closeTarget", {"targetId": target})
            tasks.cancel_scope.cancel()
