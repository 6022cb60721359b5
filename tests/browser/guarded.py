"""A browser context behind a gate, held to a policy of the test's."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import msgspec

from ouroboros.browser.channel.socket import socket
from ouroboros.browser.connection import Connection, connected
from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.guard.gate import Gate, gate
from ouroboros.browser.guard.policy import Policy
from ouroboros.browser.guard.requests import Guard
from ouroboros.browser.log.network import NetworkLog
from ouroboros.browser.tabs import Tab, Tabs
from ouroboros.core.events.envelope import Event
from tests.browser.chromium import Chromium


class Guarded:
    """What a test has of it."""

    def __init__(
        self, connection: Connection, tabs: Tabs, guard: Guard, events: list[Event]
    ) -> None:
        self.connection, self.tabs, self.guard, self.events = connection, tabs, guard, events

    async def open(self, url: str) -> Tab:
        tab = self.tabs.tab(await self.tabs.open(url))
        await tab.until(lambda: tab.status == "complete", 60, "not loaded")
        return tab

    async def run(self, tab: Tab, code: str) -> Any:
        """Runs code of the agent's in the page's own world, as ``execInTab`` does."""
        await self.guard.touch(tab.id)
        return msgspec.json.decode(await tab.evaluate(code, world="main"))


@asynccontextmanager
async def guarded(
    chromium: Chromium, policy: Policy, *, way_out: bool = True
) -> AsyncGenerator[Guarded]:
    """``way_out`` is False for a browser that is not ours to start: there is no gate then."""
    async with gate() as made, socket(chromium.url) as channel, connected(channel) as connection:
        params: dict[str, Any] = {"disposeOnDetach": True}
        if way_out:
            params |= {"proxyServer": made.server, "proxyBypassList": "<-loopback>"}
        raw = await connection.call("Target.createBrowserContext", params)
        context = msgspec.json.decode(raw)["browserContextId"]
        async with anyio.create_task_group() as tasks:
            events: list[Event] = []
            tabs = Tabs(connection, tasks, context=context)
            guard = Guard(policy, events.append, gate=_or_none(made, way_out))
            await guard.begin(connection, tabs)
            await NetworkLog().begin(connection, tabs)
            await tabs.begin()
            try:
                yield Guarded(connection, tabs, guard, events)
            finally:
                # Pages that are left ask again, and the next test would hear of it.
                with anyio.CancelScope(shield=True), suppress(BrowserFailed):
                    await tabs.end_context(context)
                tasks.cancel_scope.cancel()


def _or_none(made: Gate, way_out: bool) -> Gate | None:
    return made if way_out else None
