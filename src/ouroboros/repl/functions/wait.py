"""Page functions that wait, always with an end; times are milliseconds."""

from typing import Literal

from ouroboros.browser.page.door import FrameName, Target
from ouroboros.browser.page.wait import wait_for_selector, wait_for_text
from ouroboros.browser.waits import wait_for_load, wait_for_network_idle
from ouroboros.repl.functions.function import Spec
from ouroboros.repl.functions.pages import InTab, Pages, done
from ouroboros.tools.tool import Result, ToolContext

MOMENT = 50.0
"""Milliseconds of quiet that are the least that can be told from none."""


class Load(InTab, frozen=True, kw_only=True):
    """``waitForLoad``."""

    timeout: float = 30_000


class Idle(InTab, frozen=True, kw_only=True):
    """``waitForNetworkIdle``; ``idle`` is how long nothing may be under way."""

    timeout: float = 10_000
    idle: float = 500


class Selector(InTab, frozen=True, kw_only=True):
    """``waitForSelector``."""

    selector: Target
    timeout: float = 30_000
    state: Literal["visible", "attached", "hidden"] = "visible"
    frame: FrameName = None


class Words(InTab, frozen=True, kw_only=True):
    """``waitForText``."""

    text: str
    timeout: float = 30_000


async def for_load(pages: Pages, wish: Load, context: ToolContext) -> Result:
    """Until the page has loaded; its title is known then."""
    del context
    tab = await pages.tab(wish.tab)
    await wait_for_load(tab, timeout_seconds=wish.timeout / 1000)
    await (await pages.tabs()).refresh()
    return done(f"{wish.tab} has loaded", value=True)


async def for_idle(pages: Pages, wish: Idle, context: ToolContext) -> Result:
    """Until its network is quiet."""
    del context
    tab = await pages.tab(wish.tab)
    await wait_for_network_idle(
        tab, idle_seconds=max(wish.idle, MOMENT) / 1000, timeout_seconds=wish.timeout / 1000
    )
    return done(f"the network of {wish.tab} is quiet", value=True)


async def for_selector(pages: Pages, wish: Selector, context: ToolContext) -> Result:
    """Until an element is there, can be seen, or is gone."""
    del context
    tab = await pages.tab(wish.tab)
    await wait_for_selector(
        tab, wish.selector, wish.timeout / 1000, state=wish.state, frame=wish.frame
    )
    return done(f"an element is {wish.state} in {wish.tab}", value=True)


async def for_text(pages: Pages, wish: Words, context: ToolContext) -> Result:
    """Until the page shows these words."""
    del context
    await wait_for_text(await pages.tab(wish.tab), wish.text, wish.timeout / 1000)
    return done(f"{wish.tab} shows the text", value=True)


SPECS = (
    Spec(
        name="waitForLoad",
        usage="waitForLoad(tab, ms=30000)",
        arguments=Load,
        work=for_load,
        reads=False,
    ),
    Spec(
        name="waitForSelector",
        usage="waitForSelector(tab, sel, ms=30000, {state?: 'visible'|'attached'|'hidden'})",
        arguments=Selector,
        work=for_selector,
        reads=False,
    ),
    Spec(
        name="waitForText",
        usage="waitForText(tab, text, ms=30000)",
        arguments=Words,
        work=for_text,
        reads=False,
    ),
    Spec(
        name="waitForNetworkIdle",
        usage="waitForNetworkIdle(tab, ms=10000)",
        arguments=Idle,
        work=for_idle,
        reads=False,
    ),
)
