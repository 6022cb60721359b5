"""Logins carried from one browser to another: cookies and localStorage in Playwright's JSON shape."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from typing import Protocol
from urllib.parse import urlsplit

import anyio
import msgspec
from msgspec import Struct

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import BrowserFailed, CannotAct
from ouroboros.browser.storage.cookies import Cookie, all_cookies, put_cookies
from ouroboros.browser.storage.web import get_storage, set_storage
from ouroboros.browser.tabs import Tab, Tabs
from ouroboros.browser.wire import Incoming
from ouroboros.safety.origins import origin_of


class Item(Struct, frozen=True):
    """One key of a storage."""

    name: str
    value: str


class OriginStorage(Struct, frozen=True, kw_only=True, rename="camel"):
    """What one origin keeps."""

    origin: str
    local_storage: tuple[Item, ...] = ()


class StorageState(Struct, frozen=True, kw_only=True):
    """Everything that makes a site know somebody again; never to be shown or logged."""

    cookies: tuple[Cookie, ...] = ()
    origins: tuple[OriginStorage, ...] = ()

    def encoded(self) -> bytes:
        """As JSON."""
        return msgspec.json.encode(self)


def decoded(content: bytes) -> StorageState:
    """Reads a storage state; unknown members are left out.

    Raises:
        BrowserFailed: It is none.
    """
    try:
        return msgspec.json.decode(content, type=StorageState)
    except msgspec.MsgspecError as odd:
        # Its words might quote a value.
        raise BrowserFailed("this is no storage state") from odd


async def export_state(
    connection: Connection, tabs: Tabs, origins: Sequence[str] = ()
) -> StorageState:
    """What the tabs' browser context keeps; no site is asked for anything.

    Args:
        connection: To the browser.
        tabs: Of the context.
        origins: Only what these keep, whether a page of them is open or not; without any, all
            cookies and the localStorage of the origins that are open.

    Raises:
        BrowserFailed: One of ``origins`` is none, or the browser does not tell.
    """
    found: dict[str, OriginStorage] = {}
    for facts in tabs.all() if not origins else ():
        tab = tabs.tab(facts.id)
        for place in dict.fromkeys(origin_of(frame.url) for frame in tab.frames):
            if place and place not in found:
                with suppress(CannotAct):  # such as a page of the browser's own
                    found[place] = await _kept(tab, place)
    if origins:
        async with _stand_in(connection, tabs, None) as tab:
            for place in origins:
                await _stand(tab, place)
                found[place] = await _kept(tab, place)
    cookies = await all_cookies(connection, tabs.context)
    return StorageState(
        cookies=tuple(c for c in cookies if not origins or any(_goes_to(c, o) for o in origins)),
        origins=tuple(one for one in found.values() if one.local_storage),
    )


async def _kept(tab: Tab, origin: str) -> OriginStorage:
    items = await get_storage(tab, origin=origin)
    kept = tuple(Item(name, value) for name, value in items.items())
    return OriginStorage(origin=origin, local_storage=kept)


def _goes_to(cookie: Cookie, origin: str) -> bool:
    host, domain = urlsplit(origin).hostname or "", cookie.domain.strip("[]")
    return host == domain.lstrip(".") or (domain.startswith(".") and host.endswith(domain))


class Aside(Protocol):
    """A guard that leaves one session's requests to somebody else for a while."""

    def aside(self, session: str) -> AbstractContextManager[None]: ...


async def import_state(
    connection: Connection, tabs: Tabs, state: StorageState, *, guard: Aside | None = None
) -> None:
    """Puts a state into the tabs' browser context; no site is asked for anything.

    Raises:
        BrowserFailed: The browser does not take it.
    """
    if state.cookies:
        await put_cookies(connection, state.cookies, tabs.context)
    origins = [found for found in state.origins if found.local_storage]
    if not origins:
        return
    async with _stand_in(connection, tabs, guard) as tab:
        for found in origins:
            await _stand(tab, found.origin)
            for item in found.local_storage:
                await set_storage(tab, item.name, item.value, origin=found.origin)


class _Paused(Struct, frozen=True, rename="camel"):
    request_id: str


@asynccontextmanager
async def _stand_in(connection: Connection, tabs: Tabs, guard: Aside | None) -> AsyncGenerator[Tab]:
    """A tab in which every page is an empty one of ours, for only a page has an origin's storage."""
    was = tabs.active
    tab = tabs.tab(await tabs.open())

    def answer(happening: Incoming) -> None:
        params = {
            "requestId": happening.read(_Paused).request_id,
            "responseCode": 200,
            "responseHeaders": [{"name": "content-type", "value": "text/html"}],
            "body": "",
        }
        connection.post("Fetch.fulfillRequest", params, session=tab.session)

    stop = connection.listen("Fetch.requestPaused", answer, session=tab.session)
    try:
        with guard.aside(tab.session) if guard is not None else nullcontext():
            await tab.call("Network.setBypassServiceWorker", {"bypass": True})
            await tab.call("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
            yield tab
    finally:
        stop()
        with anyio.CancelScope(shield=True):
            await tabs.close(tab.id)
            if was:
                await tabs.activate(was)


async def _stand(tab: Tab, origin: str) -> None:
    if origin_of(origin) != origin:
        raise BrowserFailed(f"the state names {origin[:80]!r}, which is no origin")
    await tab.navigate(f"{origin}/")
