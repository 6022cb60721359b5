"""Page functions that open, close and move tabs."""

from msgspec import Struct

from ouroboros.repl.functions.function import Spec
from ouroboros.repl.functions.pages import InTab, Pages, done
from ouroboros.tools.tool import Result, ToolContext


class Open(Struct, frozen=True, kw_only=True):
    """``openTab``."""

    url: str = ""


class Navigate(InTab, frozen=True, kw_only=True):
    """``navigate``; milliseconds."""

    url: str
    timeout: float = 30_000


class Nothing(Struct, frozen=True, kw_only=True):
    """No argument."""


class Move(InTab, frozen=True, kw_only=True):
    """``goBack``, ``goForward`` and ``reload``; milliseconds."""

    timeout: float = 30_000


async def open_tab(pages: Pages, wish: Open, context: ToolContext) -> Result:
    """Opens a tab in the background."""
    if wish.url:
        await pages.opening(wish.url, context.admit)
    tabs = await pages.tabs()
    id = await tabs.open("" if _is_own(wish.url) else wish.url)
    pages.watch.opened(id)
    if _is_own(wish.url):
        await pages.parts.touch(id, "")
        await tabs.tab(id).navigate(wish.url)
    return done(f"opened {id}", id)


def _is_own(url: str) -> bool:
    """The page is in the address itself: what it does is the doing of the code that wrote it."""
    return url.strip().lower().startswith("data:")


async def close_tab(pages: Pages, wish: InTab, context: ToolContext) -> Result:
    """Closes a tab."""
    del context
    await (await pages.tabs()).close(wish.tab)
    return done(f"closed {wish.tab}")


async def navigate(pages: Pages, wish: Navigate, context: ToolContext) -> Result:
    """Goes somewhere else in a tab."""
    tab = await pages.tab(wish.tab)
    await pages.opening(wish.url, context.admit)
    if _is_own(wish.url):
        await pages.parts.touch(wish.tab, "")
    await tab.navigate(wish.url, timeout_seconds=wish.timeout / 1000)
    return done(f"{wish.tab} went on")


async def go_back(pages: Pages, wish: Move, context: ToolContext) -> Result:
    """One step back; false when there is none."""
    del context
    went = await (await pages.tab(wish.tab)).travel(-1, timeout_seconds=wish.timeout / 1000)
    return done("went back" if went else "there is nothing to go back to", went)


async def go_forward(pages: Pages, wish: Move, context: ToolContext) -> Result:
    """One step forward; false when there is none."""
    del context
    went = await (await pages.tab(wish.tab)).travel(1, timeout_seconds=wish.timeout / 1000)
    return done("went forward" if went else "there is nothing to go forward to", went)


async def reload(pages: Pages, wish: Move, context: ToolContext) -> Result:
    """Loads the page again."""
    del context
    await (await pages.tab(wish.tab)).reload(timeout_seconds=wish.timeout / 1000)
    return done(f"reloaded {wish.tab}")


async def switch_tab(pages: Pages, wish: InTab, context: ToolContext) -> Result:
    """Makes a tab the active one."""
    del context
    await (await pages.tabs()).activate(wish.tab)
    return done(f"{wish.tab} is active")


async def recover(pages: Pages, wish: Nothing, context: ToolContext) -> Result:
    """Has a browser that is gone, or crashed tabs, back; what was under way is not done again."""
    del wish, context
    recovery = await pages.browser.recover()
    return done(f"had back {len(recovery.restored)} tabs", recovery)


SPECS = (
    Spec(
        name="openTab",
        usage="openTab(url?): tab id",
        arguments=Open,
        work=open_tab,
        kind="act",
        reads=False,
        says=lambda wish: f"Open {wish.url or 'a blank tab'}",
        url=lambda wish: wish.url or "about:blank",
    ),
    Spec(
        name="closeTab",
        usage="closeTab(tab)",
        arguments=InTab,
        work=close_tab,
        kind="act",
        reads=False,
        says=lambda wish: f"Close {wish.tab}",
    ),
    Spec(
        name="navigate",
        usage="navigate(tab, url)",
        arguments=Navigate,
        work=navigate,
        kind="act",
        reads=False,
        says=lambda wish: f"Go to {wish.url} in {wish.tab}",
        url=lambda wish: wish.url,
    ),
    Spec(
        name="goBack",
        usage="goBack(tab): boolean",
        arguments=Move,
        work=go_back,
        kind="act",
        reads=False,
    ),
    Spec(
        name="goForward",
        usage="goForward(tab): boolean",
        arguments=Move,
        work=go_forward,
        kind="act",
        reads=False,
    ),
    Spec(name="reload", usage="reload(tab)", arguments=Move, work=reload, kind="act", reads=False),
    Spec(
        name="switchTab",
        usage="switchTab(tab)",
        arguments=InTab,
        work=switch_tab,
        kind="act",
        reads=False,
    ),
    Spec(
        name="recover",
        usage="recover(): {was, why, restored: [tab], failed, lost: [words]}",
        description="After the browser was lost or tabs crashed: has them back at their addresses.",
        arguments=Nothing,
        work=recover,
        kind="act",
        reads=False,
        says=lambda _: "Recover the browser",
    ),
)
