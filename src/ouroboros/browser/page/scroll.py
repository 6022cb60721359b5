"""Scrolling the page, a part of it, or an element into view."""

from typing import Literal

import msgspec
from msgspec import Struct

from ouroboros.browser.errors import CannotAct
from ouroboros.browser.page.aim import Point
from ouroboros.browser.page.door import FrameName, Target, ask
from ouroboros.browser.page.mouse import mouse
from ouroboros.browser.tab import Tab

type Direction = Literal["up", "down", "left", "right", "top", "bottom", "into"]

DIRECTIONS = ("up", "down", "left", "right", "top", "bottom", "into")


class Scrolled(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where it stands now.

    Attributes:
        x: Scrolled from the left, in CSS pixels.
        y: From the top.
        moved: Whether that is another place than before.
        at_end: Whether there is nothing more below.
        height: Of all that can be scrolled through.
        visible: Whether the element can be pressed where it is now; None when none was named.
    """

    x: int
    y: int
    moved: bool
    at_end: bool = msgspec.field(name="atEnd", default=False)
    height: int = 0
    visible: bool | None = None


async def scroll(
    tab: Tab,
    direction: Direction | str = "down",
    amount: float = 500,
    *,
    target: Target | None = None,
    frame: FrameName = None,
) -> Scrolled:
    """Scrolls by ``amount`` CSS pixels, to an end, or ``into`` view what ``target`` names.

    With a target the nearest part around it that scrolls is moved; else the page, or its largest
    part that scrolls when the page itself does not.

    Raises:
        CannotAct: There is no such element or direction.
    """
    if direction not in DIRECTIONS:
        raise CannotAct(f"no direction {direction!r}; there are {', '.join(DIRECTIONS)}")
    if direction == "into" and target is None:
        raise CannotAct("to scroll into view, name an element")
    operation = "scrolling" if target is not None or frame is not None else "scrollingPage"
    found = await ask(
        tab,
        operation,
        target or "",
        frame=frame,
        options={"direction": direction, "amount": amount},
    )
    return msgspec.json.decode(found.value, type=Scrolled)


async def wheel(tab: Tab, across: float, down: float, *, at: tuple[float, float]) -> None:
    """Turns the mouse wheel at a point of the viewport, for pages that listen to it."""
    point = Point(*at)
    await tab.call_many([
        mouse("mouseMoved", point),
        mouse("mouseWheel", point, deltaX=across, deltaY=down),
    ])
