"""Logins carried out of a browser into the vault, and from there into a profile."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio.to_thread
from msgspec import Struct

from ouroboros.app.browsing import vault as browser_vault
from ouroboros.app.browsing.browser import plan
from ouroboros.app.settings import Browser
from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.session import BrowserSession
from ouroboros.browser.sites import Sites
from ouroboros.browser.storage.state import StorageState, export_state, import_state
from ouroboros.browser.tabs import Tabs
from ouroboros.core.errors import Misuse, unwrapped
from ouroboros.safety.environment import apart
from ouroboros.safety.guard import Guard
from ouroboros.safety.origins import origin_of


class Carried(Struct, frozen=True, kw_only=True):
    """How much was carried; ``fleeting`` are cookies that end with the browser."""

    cookies: int
    places: int
    fleeting: int


class Here(Struct, frozen=True, kw_only=True):
    """Which browser, and where the vault is."""

    settings: Browser
    environment: Mapping[str, str]
    home: Path


def origins(written: Sequence[str]) -> tuple[str, ...]:
    """The origins that are meant; raises ``Misuse`` for what is none."""
    found: list[str] = []
    for word in written:
        origin = origin_of(word if "://" in word else f"https://{word}")
        if not origin.startswith(("https://", "http://")):
            raise Misuse(f"{word[:80]!r} is no origin", hint="write it like https://example.com")
        found.append(origin)
    return tuple(dict.fromkeys(found))


async def check(home: Path, name: str) -> None:
    """Raises ``Misuse`` for a name that the vault would not take."""
    try:
        await browser_vault.vault(home).get(name)
    except BrowserFailed as failed:
        if failed.message.startswith("not a name"):
            raise Misuse(failed.message) from failed


async def save(here: Here, name: str, origins: Sequence[str]) -> Carried:
    """Seals what a browser keeps, of ``origins`` only where there are any.

    Raises:
        BrowserFailed: The browser cannot be had or read, keeps nothing of it, or the vault does not
            take it.
    """
    async with _tabs(here) as tabs:
        state = await export_state(tabs.connection, tabs, origins)
    if state == StorageState():
        raise BrowserFailed(
            "there is nothing to keep: no cookie and no localStorage",
            hint="log in first; a login that ends with the browser is there only while it runs",
        )
    await browser_vault.vault(here.home).put(name, state.encoded())
    return _carried(state)


async def load(here: Here, state: StorageState) -> Carried:
    """Puts a state into a profile; raises ``BrowserFailed`` as ``save``."""
    async with _tabs(here) as tabs:
        await import_state(tabs.connection, tabs, state)
    return _carried(state)


async def add(home: Path, name: str, words: tuple[str, str], origins: Sequence[str]) -> None:
    """Seals ``words``, a user and a password, and has the origins answered with them.

    Raises:
        Misuse: They cannot be such.
        BrowserFailed: They cannot be kept.
    """
    await browser_vault.add(home, name, *words)
    sites = Sites(home / "browser" / "domains.toml")
    await sites.load()
    for origin in origins:
        await sites.configure(origin, credentials=f"vault:{name}")


@asynccontextmanager
async def _tabs(here: Here) -> AsyncGenerator[Tabs]:
    guard = Guard()
    await guard.on_duty()
    own = await anyio.to_thread.run_sync(apart, here.environment, Path.cwd())
    session = BrowserSession(plan(here.settings), environment=own, home=here.home, guard=guard)
    try:
        async with session:
            yield await session.tabs()
    except ExceptionGroup as group:
        raise unwrapped(group) from group


def _carried(state: StorageState) -> Carried:
    fleeting = sum(cookie.expires < 0 for cookie in state.cookies)
    return Carried(cookies=len(state.cookies), places=len(state.origins), fleeting=fleeting)
