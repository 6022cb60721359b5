"""Logins carried from one browser to another: cookies and localStorage in Playwright's JSON shape."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

import anyio
import msgspec
from msgspec import Struct

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import BrowserFailed
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


async def export_state(connection: Connection, tabs: Tabs) -> StorageState:
    """The cookies of the tabs' browser context, and the localStorage of the origins that are open."""
    origins: dict[str, OriginStorage] = {}
    for facts in tabs.all():
        tab = tabs.tab(facts.id)
        for place in dict.fromkeys(origin_of(frame.url) for frame in tab.frames):
            if place and place not in origins:
                items = await get_storage(tab, origin=place)
                kept = tuple(Item(name, value) for name, value in items.items())
                origins[place] = OriginStorage(origin=place, local_storage=kept)
    return StorageState(
        cookies=await all_cookies(connection, tabs.context),
        origins=tuple(found for found in origins.values() if found.local_storage),
    )


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
    was = tabs.active
    tab = tabs.tab(await tabs.open())
    try:
        with guard.aside(tab.session) if guard is not None else nullcontext():
            await _fill(connection, tab, origins)
    finally:
        with anyio.CancelScope(shield=True):
            await tabs.close(tab.id)
            if was:
                await tabs.activate(was)


class _Paused(Struct, frozen=True, rename="camel"):
    request_id: str


async def _fill(connection: Connection, tab: Tab, origins: Sequence[OriginStorage]) -> None:
    """Stands in for each origin with an empty page, for only a page of it can write its storage."""

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
        await tab.call("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        for found in origins:
            if origin_of(found.origin) != found.origin:
                raise BrowserFailed(f"the state names {found.origin[:80]!r}, which is no origin")
            await tab.navigate(f"{found.origin}/")
            for item in found.local_storage:
                await set_storage(tab, item.name, item.value, origin=found.origin)
    finally:
        stop()
