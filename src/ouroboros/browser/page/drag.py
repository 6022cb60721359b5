"""Dragging: by the mouse alone, and with the browser's own drag and drop where the page has that."""

from typing import Any

from msgspec import Struct

from ouroboros.browser.errors import CannotAct, DialogOpen
from ouroboros.browser.page.aim import Acted, Aimable, Point, after, engaged, on_page, watched
from ouroboros.browser.page.door import FrameName
from ouroboros.browser.page.mouse import mouse
from ouroboros.browser.tab import Tab
from ouroboros.browser.wire import Incoming

STEPS_AT_MOST = 200
HANDLING_SECONDS = 10.0


class _Intercepted(Struct, frozen=True):
    data: dict[str, Any]


async def drag(
    tab: Tab,
    source: Aimable,
    target: Aimable | None = None,
    *,
    by: tuple[float, float] | None = None,
    steps: int = 10,
    position: tuple[float, float] | None = None,
    frame: FrameName = None,
) -> Acted:
    """Drags an element onto another, or by some way in CSS pixels.

    Args:
        tab: Where.
        source: What is taken.
        target: Onto which it is dropped.
        by: Right and down, instead of a target.
        steps: Moves of the mouse on the way.
        position: Where on the target, from its upper left corner.
        frame: In which frame both selectors are looked for.

    Raises:
        CannotAct: One of both cannot be reached, or they are not in view together.
    """
    if (target is None) == (by is None):
        raise CannotAct("a drag needs a target or a way, and not both")
    steps = max(2, min(steps, STEPS_AT_MOST))
    end: Point | None = None
    if target is not None:
        there, aimed_end = await engaged(tab, "aim", target, frame, position=position, need="over")
    found, aimed = await engaged(tab, "engage", source, frame)
    start = await on_page(tab, found.world, aimed)
    did = f"dragged {aimed.what}"
    if target is not None:
        there, aimed_end = await engaged(tab, "place", target, frame, position=position)
        if aimed_end.point is None:
            raise CannotAct(f"{tab.id}: {aimed.what} and {aimed_end.what} are not in view together")
        end = await on_page(tab, there.world, aimed_end)
        did = f"{did} onto {aimed_end.what}"
    elif by is not None:
        end = Point(start.x + by[0], start.y + by[1])
        did = f"{did} by {by[0]:g}, {by[1]:g}"
    assert end is not None
    async with watched(tab) as watch:
        try:
            note = await _carry(tab, start, end, steps)
        except DialogOpen:
            return watch.acted(did, None)
        seen = await after(tab, found.world, "released", {"node": aimed.node}, watch)
        if seen is not None and seen.hit is False:
            raise CannotAct(f"{tab.id}: nothing was done to {aimed.what}: {seen.cover} was pressed")
        return watch.acted(did, seen, note=note)


async def _carry(tab: Tab, start: Point, end: Point, steps: int) -> str:
    taken: list[dict[str, Any]] = []

    def intercepted(happening: Incoming) -> None:
        taken.append(happening.read(_Intercepted).data)

    stop = tab.connection.listen("Input.dragIntercepted", intercepted, session=tab.session)
    held = {"button": "left", "buttons": 1, "clickCount": 1}
    way = [
        Point(
            start.x + (end.x - start.x) * part / steps, start.y + (end.y - start.y) * part / steps
        )
        for part in range(1, steps + 1)
    ]
    try:
        await tab.call_many([
            ("Input.setInterceptDrags", {"enabled": True}),
            mouse("mouseMoved", start),
            mouse("mousePressed", start, **held),
        ])
        await tab.call_many([mouse("mouseMoved", way[0], buttons=1, button="left")])
        for point in way[1:]:
            if taken:
                break
            await tab.call_many([mouse("mouseMoved", point, buttons=1, button="left")])
        if taken:
            await _drop(tab, way[-1], taken[0])
        await tab.call_many([mouse("mouseReleased", end, button="left", buttons=0, clickCount=1)])
    finally:
        stop()
        tab.connection.post("Input.setInterceptDrags", {"enabled": False}, session=tab.session)
    return "by the browser's drag and drop" if taken else ""


async def _drop(tab: Tab, end: Point, data: dict[str, Any]) -> None:
    for kind in ("dragEnter", "dragOver", "dragOver", "drop"):
        event = {"type": kind, "x": end.x, "y": end.y, "data": data}
        await tab.call("Input.dispatchDragEvent", event, timeout_seconds=HANDLING_SECONDS)
