"""Aiming at an element: found, shown, in reach, not covered; and what came of the act."""

import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import msgspec
from msgspec import Struct

from ouroboros.browser.errors import CallTimedOut, CannotAct, DialogOpen, PageChanged
from ouroboros.browser.frames import World
from ouroboros.browser.page.door import (
    Found,
    FrameName,
    Handle,
    Target,
    ask,
    ask_in,
    ask_owner,
    opened_up,
)
from ouroboros.browser.page.facts import ROOTS_DEEP, Facts
from ouroboros.browser.page.quads import Point, middle
from ouroboros.browser.tab import Tab
from ouroboros.browser.wire import Incoming

LED_SECONDS = 10.0
"""How long the mouse may take to be led to a frame that was not drawn yet."""

LED_MS = 50
LED_TIMES = 3
"""How often it is led anew to a frame that has moved meanwhile."""

_DRAWN = "drawn"
"""Marks documents that are known to be drawn, beside the libraries that are in them."""

COMMIT_SECONDS = 1.0
"""How long an act waits for the page that it asked for to begin."""


class Aim(Struct, frozen=True, kw_only=True):
    """An element that was found, and what an act on it would mean; it is found again before the act.

    Attributes:
        matches: How many the selector matched; the first visible one was taken.
        what: The element in words, with page text in it.
    """

    handle: Handle
    facts: Facts
    what: str
    matches: int = 1


class Acted(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of an act, as far as it showed at once.

    Attributes:
        did: In words, with page text in them.
        matches: How many the selector matched; the first visible one was taken.
        navigated: Another page has begun in the tab, or was asked for.
        url: The page's address afterwards, where it changed.
        opened: Addresses of the windows that it opened.
        dialog: Kind of the dialog that it opened and that waits.
        focus: What has the focus now.
        value: Of the field afterwards, at most 200 characters; of passwords a mask.
        gone: The element is no longer in the page.
        trusted: False when a script had to set the value, which some pages do not believe.
    """

    did: str
    matches: int = 1
    navigated: bool = False
    url: str = ""
    opened: tuple[str, ...] = ()
    dialog: str = ""
    focus: str = ""
    value: str | None = None
    checked: bool | None = None
    gone: bool = False
    trusted: bool = True
    note: str = ""


class Aimed(Struct, frozen=True, kw_only=True):
    """The library's answer to an aim.

    Attributes:
        at: The point in the element's own frame.
        holder: The frame of the same origin that holds it, where our world is that of another one.
        meaning: What a press would set off, for the library.
        spot: What lies at the point.
        hollow: May hold a closed shadow root.
    """

    node: int
    count: int
    what: str
    point: Point | None = None
    at: tuple[float, float] = (0, 0)
    holder: int = 0
    scrolled: bool = False
    facts: Facts
    meaning: str = ""
    spot: int = 0
    hollow: int = 0


class After(Struct, frozen=True, kw_only=True):
    """The library's answer after an act.

    Attributes:
        hit: Whether a press reached its element; None when none was heard of.
        times: How many presses or keys did.
        clicks: How many clicks came of the presses.
        missed: How many were kept from another element.
        old: The document was there before our listeners.
        slipped: Over what the press was let go, when that is another element.
    """

    url: str = ""
    hit: bool | None = None
    times: int = 0
    clicks: int = 0
    missed: int = 0
    old: bool = False
    cover: str = ""
    slipped: str = ""
    left: bool = False
    focus: str = ""
    value: str | None = None
    checked: bool | None = None
    gone: bool = False
    trusted: bool = True
    note: str = ""


class _Told(Struct, frozen=True, rename="camel"):
    frame_id: str = ""
    url: str = ""


class _Outer(Struct, frozen=True, kw_only=True):
    x: float = 0
    y: float = 0
    top: bool = False
    scrolled: bool = False
    warped: bool = False
    up: int = 0
    error: dict[str, str] | None = None


type Aimable = Target | Aim


async def aim(
    tab: Tab,
    target: Target,
    *,
    frame: FrameName = None,
    position: tuple[float, float] | None = None,
) -> Aim:
    """Finds the element of an act to come, sees that it can be reached, and says what it would mean.

    What lies within it where it would be pressed counts, closed shadow roots included.

    Args:
        tab: Where.
        target: A selector or a handle.
        frame: In which frame the selector is looked for.
        position: Where it would be pressed, from its upper left corner.

    Raises:
        CannotAct: It is not there, not shown, disabled or covered; the words say which.
        PageChanged: The page of a handle was left.
    """
    found, aimed = await engaged(tab, "aim", target, frame, position=position)
    world, matches = found.world, aimed.count
    handle = Handle(node=aimed.node, frame=world.frame, loader=world.loader)
    for _ in range(ROOTS_DEEP):
        if not aimed.hollow or not await opened_up(tab, world, aimed.hollow):
            break
        _, aimed = await engaged(tab, "aim", handle.written(), None, position=position)
    return Aim(handle=handle, facts=aimed.facts, what=aimed.what, matches=matches)


async def engaged(
    tab: Tab, operation: str, target: Aimable, frame: FrameName, **options: object
) -> tuple[Found, Aimed]:
    """One aiming operation on a selector, a handle or an earlier aim."""
    named = target.handle.written() if isinstance(target, Aim) else target
    found = await ask(tab, operation, named, frame=frame, options=options)
    if not tab.is_eager and _DRAWN not in found.world.installed:
        waited = await ask_in(tab, found.world, "painted", {})
        found.world.installed.add(_DRAWN)
        if waited == b"true":
            found = await ask(tab, operation, named, frame=frame, options=options)
    aimed = msgspec.json.decode(found.value, type=Aimed)
    if isinstance(target, Aim):
        if aimed.facts.meaning != target.facts.meaning:
            raise PageChanged(
                f"{tab.id}: nothing was done to {aimed.what}: a press would do something else by now",
                hint="look at the page again",
            )
        aimed = msgspec.structs.replace(aimed, count=target.matches)
    return found, aimed


async def on_page(tab: Tab, world: World, aimed: Aimed) -> Point:
    """The point on the page's own viewport; cross-origin frames around it are crossed.

    Raises:
        CannotAct: Something covers the frame there, or the mouse is not led to it.
    """
    point = await _mapped(tab, world, aimed)
    if world.session == tab.session:
        return point
    for _ in range(LED_TIMES):
        await _led(tab, world, aimed, point)
        led, point = point, await _mapped(tab, world, aimed)
        if (led.x, led.y) == (point.x, point.y):
            return point
    return point


async def _mapped(tab: Tab, world: World, aimed: Aimed) -> Point:
    point, scrolled, frame = aimed.point or Point(0, 0), aimed.scrolled, world.frame
    while not point.warped and not point.top and frame != tab.frames.top:
        frame = tab.frames.around(frame, point.up)  # those that the library has crossed itself
        value, outer = await ask_owner(tab, frame, (point.x, point.y), scrolled=scrolled)
        mapped = msgspec.json.decode(value, type=_Outer)
        if mapped.error is not None:
            raise CannotAct(f"{tab.id}: {mapped.error['message']}")
        point, scrolled = (
            Point(mapped.x, mapped.y, mapped.top, mapped.warped, mapped.up),
            scrolled or mapped.scrolled,
        )
        frame = outer.frame
    return await middle(tab, world, aimed.node) if point.warped else point


async def _led(tab: Tab, world: World, aimed: Aimed, point: Point) -> None:
    """Moves the mouse until a frame of another process hears of it; before it is drawn, presses go to the page around."""
    await ask_in(tab, world, "feel", {"node": aimed.node})
    until = anyio.current_time() + LED_SECONDS
    while anyio.current_time() < until:
        for x in (max(point.x - 1, 0), point.x):
            move = {"type": "mouseMoved", "x": x, "y": point.y}
            await tab.call("Input.dispatchMouseEvent", move)
        if await ask_in(tab, world, "felt", {"ms": LED_MS}) == b"true":
            return
    raise CannotAct(
        f"{tab.id}: nothing was done to {aimed.what}: the mouse is not led to its frame",
        hint="the frame may not have been drawn yet, or something lies over it: look at the page",
    )


class Watch:
    """What the page asked for since an act began."""

    def __init__(self, tab: Tab) -> None:
        """Of one tab."""
        self._tab = tab
        self._top = tab.frames.find("")
        self._before = (self._top.loader, self._top.url)
        self.asked = False
        self.opened: list[str] = []
        self._look = anyio.CancelScope()

    def asks(self, happening: Incoming) -> None:
        """A navigation was asked for."""
        frame = happening.read(_Told).frame_id
        self.asked = self.asked or frame == self._tab.frames.top
        if frame in self._tab.frames.frames:
            self._look.deadline = min(self._look.deadline, anyio.current_time() + COMMIT_SECONDS)

    def opens(self, happening: Incoming) -> None:
        """A window is opened."""
        self.opened.append(happening.read(_Told).url[:500])

    @property
    def left(self) -> bool:
        """Whether another document has begun."""
        return self._tab.frames.find("").loader != self._before[0]

    @property
    def moved(self) -> bool:
        """Whether the address is another one."""
        return self._tab.frames.find("").url != self._before[1]

    def look(self) -> anyio.CancelScope:
        """Bounds a look at the page: it is not answered while another one is being fetched."""
        seconds = COMMIT_SECONDS if self.asked else math.inf
        self._look = anyio.move_on_after(seconds)
        return self._look

    async def commit(self) -> None:
        """Gives a page that was asked for a moment to begin."""
        if self.asked and not self.left:
            try:
                await self._tab.until(lambda: self.left, COMMIT_SECONDS, "no new page")
            except (CallTimedOut, DialogOpen):
                return

    def acted(self, did: str, after: After | None, *, matches: int = 1, note: str = "") -> Acted:
        """All that is known now."""
        navigated = self.asked or self.left
        if self.asked and not self.left:
            note = note or "another page was asked for and has not begun; wait for it"
        known = after or After()
        return Acted(
            did=did,
            matches=matches,
            navigated=navigated,
            url=self._tab.frames.find("").url if navigated or self.moved else "",
            opened=tuple(self.opened),
            dialog=self._tab.dialog,
            focus=known.focus,
            value=known.value,
            checked=known.checked,
            gone=known.gone and not navigated,
            trusted=known.trusted,
            note=note or known.note,
        )


@asynccontextmanager
async def watched(tab: Tab) -> AsyncGenerator[Watch]:
    """Watches a tab as long as the block goes on."""
    watch = Watch(tab)
    listen = tab.connection.listen
    stops = [
        listen("Page.frameRequestedNavigation", watch.asks),
        listen("Page.frameStartedNavigating", watch.asks),
        listen("Page.windowOpen", watch.opens),
    ]
    try:
        yield watch
    finally:
        for stop in stops:
            stop()


async def after(
    tab: Tab, world: World, operation: str, wanted: dict[str, Any], watch: Watch
) -> After | None:
    """What the library sees after an act; None when the page was left or stands still."""
    value = None
    try:
        with watch.look():
            value = await ask_in(tab, world, operation, wanted)
    except (PageChanged, DialogOpen):
        watch.asked = watch.asked or not tab.dialog
    if value is None:
        return None
    await watch.commit()
    return msgspec.json.decode(value, type=After)
