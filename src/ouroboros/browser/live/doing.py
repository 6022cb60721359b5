"""Carries out what a person wishes of tabs."""

from typing import assert_never

from ouroboros.browser.errors import BrowserFailed, CannotAct
from ouroboros.browser.live import messages as ask
from ouroboros.browser.live.address import whole
from ouroboros.browser.live.ground import Ground
from ouroboros.browser.tab import Tab
from ouroboros.browser.tabs import Tabs

STOP_SECONDS = 5.0

type Moving = ask.TabNavigate | ask.TabBack | ask.TabForward | ask.TabReload
"""Wishes that take a tab somewhere: who has one drives."""

type Slow = (
    Moving
    | ask.TabOpen
    | ask.TabClose
    | ask.TabSwitch
    | ask.TabStop
    | ask.Recover
    | ask.AnswerDialog
    | ask.AnswerChooser
)
"""Wishes that may take their time."""


def tab_of(ground: Ground, name: str) -> Tab:
    """An open tab, by its name or as the active one.

    Raises:
        BrowserFailed: There is none.
    """
    return _known(ground).tab(name)


async def done(ground: Ground, wish: Slow, viewer: str) -> str:
    """Does it; gives the tab that was opened.

    Raises:
        BrowserFailed: It cannot be done; the words say why.
    """
    match wish:
        case ask.TabOpen(url=url):
            return await _opened(ground, url, viewer)
        case ask.Recover():
            await ground.recover()
        case ask.TabClose():
            await _known(ground).close(tab_of(ground, wish.tab).id)
        case ask.TabSwitch():
            await _known(ground).activate(wish.tab)
        case ask.TabStop():
            tab = tab_of(ground, wish.tab)
            await tab.call("Page.stopLoading", timeout_seconds=STOP_SECONDS)
        case ask.AnswerDialog():
            tab = tab_of(ground, wish.tab)
            await ground.dialogs.answer(tab.id, wish.accept, wish.text, by="person")
        case ask.AnswerChooser():
            await _chosen(ground, tab_of(ground, wish.tab), wish.paths)
        case _:
            tab = tab_of(ground, wish.tab)
            ground.drivers.take(tab.id, viewer)
            await _moved(ground, tab, wish)
    return ""


async def _moved(ground: Ground, tab: Tab, wish: Moving) -> None:
    match wish:
        case ask.TabNavigate(url=url):
            address = whole(url)
            ground.named(address)
            await tab.navigate(address)
        case ask.TabBack() | ask.TabForward():
            steps = -1 if isinstance(wish, ask.TabBack) else 1
            if not await tab.travel(steps):
                raise CannotAct(f"there is no page to go {'back' if steps < 0 else 'forward'} to")
        case ask.TabReload():
            await tab.reload()
        case _:
            assert_never(wish)


async def _opened(ground: Ground, url: str, viewer: str) -> str:
    address = whole(url) if url.strip() else ""
    if address:
        ground.named(address)
    tabs = await ground.tabs()
    id = await tabs.open()
    ground.drivers.take(id, viewer)
    if address:
        await tabs.tab(id).navigate(address)
    return id


async def _chosen(ground: Ground, tab: Tab, paths: tuple[str, ...]) -> None:
    chooser = ground.choosers.of(tab.id)
    if chooser is None:
        raise CannotAct(f"{tab.id} asks for no files")
    if not paths:
        ground.choosers.forget(tab.id)
        tab.tell()
        return
    await ground.choosers.answer(tab, chooser, await ground.uploads.allowed(paths))
    tab.tell()


def _known(ground: Ground) -> Tabs:
    tabs = ground.present.tabs
    if tabs is None:
        raise BrowserFailed("no browser runs", hint="open a tab to start one")
    return tabs
