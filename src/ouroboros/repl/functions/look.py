"""Page functions that read; what they give goes to code and never to the record."""

from typing import Literal

import msgspec
from msgspec import Struct

from ouroboros.browser import frames as tree
from ouroboros.browser.errors import CannotAct
from ouroboros.browser.page import observe as observing
from ouroboros.browser.page import read
from ouroboros.browser.page.door import FrameName, Target
from ouroboros.browser.tab import Tab
from ouroboros.repl.functions.function import Spec
from ouroboros.repl.functions.pages import InTab, Pages, answer
from ouroboros.tools.tool import Result, ToolContext


class Exec(InTab, frozen=True, kw_only=True):
    """``execInTab``; milliseconds, at most ten seconds."""

    code: str
    world: Literal["isolated", "main"] = "isolated"
    frame: FrameName = None
    timeout: float = 10_000


class Look(InTab, frozen=True, kw_only=True):
    """A look at one element, or at the page when none is named."""

    selector: Target = ""
    frame: FrameName = None


class LookAt(InTab, frozen=True, kw_only=True):
    """A look at what a selector finds."""

    selector: Target
    frame: FrameName = None


class Frame(Struct, frozen=True, kw_only=True):
    """A frame as code sees it; ``index`` may be given as ``frame`` to other functions."""

    index: int
    id: str
    name: str
    url: str
    parent: str


class Outline(InTab, frozen=True, kw_only=True):
    """``outline``."""

    limit: int = 200


def placed(wish: Look) -> tuple[Target, FrameName]:
    """Selector and frame; ``getText(tab, {frame})`` gives the options where the selector would be."""
    if isinstance(wish.selector, dict) and "__handle" not in wish.selector:
        try:
            options = msgspec.convert(wish.selector, _Options)
        except msgspec.ValidationError as odd:
            raise CannotAct(f"a selector is text or a handle: {odd}") from odd
        return options.selector, options.frame
    return wish.selector, wish.frame


class _Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    selector: str = ""
    frame: FrameName = None


def frame_named(tab: Tab, name: str | int) -> tree.Frame:
    """The frame of this number, name, id or part of its address.

    Raises:
        CannotAct: There is none.
    """
    found = tab.frames.named(name)
    if found is None:
        number = len(tab.frames.frames)
        raise CannotAct(
            f"{tab.id}: no frame {name!r} among {number}", hint="frames(tab) lists them"
        )
    return found


async def exec_in_tab(pages: Pages, wish: Exec, context: ToolContext) -> Result:
    """Runs code in the page."""
    del context
    tab = await pages.tab(wish.tab)
    frame = "" if wish.frame is None else frame_named(tab, wish.frame).id
    await pages.parts.touch(tab.id, frame)
    await pages.looked(wish.tab)  # before it runs: it may read and send in one go
    value = await tab.evaluate(
        wish.code,
        world=wish.world,
        frame=frame,
        timeout_seconds=wish.timeout / 1000,
    )
    return answer(value, f"code ran in {wish.tab}")


async def get_text(pages: Pages, wish: Look, context: ToolContext) -> Result:
    """The rendered text."""
    del context
    tab = await pages.tab(wish.tab)
    selector, frame = placed(wish)
    return answer(await read.get_text(tab, selector, frame=frame), f"text of {wish.tab}")


async def get_dom(pages: Pages, wish: Look, context: ToolContext) -> Result:
    """The HTML."""
    del context
    tab = await pages.tab(wish.tab)
    selector, frame = placed(wish)
    return answer(await read.get_dom(tab, selector, frame=frame), f"HTML of {wish.tab}")


async def get_links(pages: Pages, wish: Look, context: ToolContext) -> Result:
    """All links."""
    del context
    tab = await pages.tab(wish.tab)
    selector, frame = placed(wish)
    found = await read.get_links(tab, selector, frame=frame)
    return answer(found, f"links of {wish.tab}")


async def get_inputs(pages: Pages, wish: Look, context: ToolContext) -> Result:
    """All fields."""
    del context
    tab = await pages.tab(wish.tab)
    selector, frame = placed(wish)
    found = await read.get_inputs(tab, selector, frame=frame)
    return answer(found, f"fields of {wish.tab}")


async def query_selector(pages: Pages, wish: LookAt, context: ToolContext) -> Result:
    """The first match."""
    del context
    tab = await pages.tab(wish.tab)
    found = await read.query_selector(tab, wish.selector, frame=wish.frame)
    return answer(found, f"an element of {wish.tab}")


async def query_selector_all(pages: Pages, wish: LookAt, context: ToolContext) -> Result:
    """Every match."""
    del context
    tab = await pages.tab(wish.tab)
    found = await read.query_selector_all(tab, wish.selector, frame=wish.frame)
    return answer(found, f"elements of {wish.tab}")


async def handle(pages: Pages, wish: LookAt, context: ToolContext) -> Result:
    """A handle that stands for this element and no other."""
    del context
    tab = await pages.tab(wish.tab)
    found = await read.get_handle(tab, wish.selector, frame=wish.frame)
    return answer(found, f"a handle in {wish.tab}")


async def frames(pages: Pages, wish: InTab, context: ToolContext) -> Result:
    """The frames of the page, its own first."""
    del context
    tab = await pages.tab(wish.tab)
    found = [
        Frame(index=number, id=frame.id, name=frame.name, url=frame.url, parent=frame.parent)
        for number, frame in enumerate(tab.frames)
    ]
    return answer(msgspec.json.encode(found), f"frames of {wish.tab}")


async def observe(pages: Pages, wish: InTab, context: ToolContext) -> Result:
    """A small look at a page of any size."""
    del context
    seen = await observing.observe(await pages.tab(wish.tab))
    return answer(msgspec.json.encode(seen), f"a look at {wish.tab}")


async def outline(pages: Pages, wish: Outline, context: ToolContext) -> Result:
    """What can be used in a page, with handles."""
    del context
    found = await observing.outline(await pages.tab(wish.tab), wish.limit)
    return answer(found, f"an outline of {wish.tab}")


SPECS = (
    Spec(
        name="execInTab",
        usage="execInTab(tab, code, {world?: 'isolated'|'main', frame?}): JSON value",
        arguments=Exec,
        work=exec_in_tab,
        longest=10_000,
        kind="act",
        says=lambda wish: f"Run code in {wish.tab}",
        description="Runs JavaScript in the page; 10 s; over 100,000 characters {__truncated, data}.",
    ),
    Spec(
        name="getText",
        usage="getText(tab, sel?, {frame?}): string|null",
        arguments=Look,
        work=get_text,
    ),
    Spec(name="getDOM", usage="getDOM(tab, sel?): html|null", arguments=Look, work=get_dom),
    Spec(name="getLinks", usage="getLinks(tab): [{text, href}]", arguments=Look, work=get_links),
    Spec(
        name="getInputs",
        usage="getInputs(tab): [{id, name, type, value, placeholder}]",
        arguments=Look,
        work=get_inputs,
    ),
    Spec(
        name="querySelector",
        usage="querySelector(tab, sel): {tagName, id, className, innerText, href, src, value, type}|null",
        arguments=LookAt,
        work=query_selector,
    ),
    Spec(
        name="querySelectorAll",
        usage="querySelectorAll(tab, sel): [same without value, type]",
        arguments=LookAt,
        work=query_selector_all,
    ),
    Spec(
        name="handle",
        usage="handle(tab, sel): handle",
        arguments=LookAt,
        work=handle,
        description="Stands for this one element until the page is left; usable as a selector.",
    ),
    Spec(
        name="frames",
        usage="frames(tab): [{index, id, name, url, parent}]",
        arguments=InTab,
        work=frames,
    ),
    Spec(
        name="observe",
        usage="observe(tab): {url, title, counts, preview...}",
        arguments=InTab,
        work=observe,
    ),
    Spec(
        name="outline",
        usage="outline(tab, limit=200): {items: [{role, name, value?, handle}], total}",
        arguments=Outline,
        work=outline,
    ),
)
