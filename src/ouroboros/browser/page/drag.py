"""Dragging: by the mouse alone, and with the browser's own drag and drop where the page has that."""

from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from ouroboros.browser.errors import BrowserFailed, CannotAct, DialogOpen, PageChanged
from ouroboros.browser.frames import World
from ouroboros.browser.page.aim import Acted, Aimable, Aimed, Point, engaged, on_page, watched
from ouroboros.browser.page.door import FrameName, ask_in
from ouroboros.browser.page.mouse import mouse
from ouroboros.browser.page.press import GuardedInput, arm_press
from ouroboros.browser.tab import Tab
from ouroboros.browser.wire import Incoming

STEPS_AT_MOST = 200
HANDLING_SECONDS = 10.0


class _Intercepted(Struct, frozen=True):
    data: dict[str, Any]


class _Place(NamedTuple):
    """Where something is dropped; ``stood`` is where the target was in its frame at that look."""

    world: World
    aimed: Aimed
    point: Point
    stood: tuple[float, float]


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
    place: _Place | None = None
    async with tab.input:
        if target is not None:
            await engaged(tab, "aim", target, frame, position=position, need="over")
        found, aimed = await engaged(tab, "engage", source, frame)
        start = await on_page(tab, found.world, aimed)
        did = f"dragged {aimed.what}"
        if target is not None:
            place = await _place(tab, target, frame, position, aimed.what)
            end = place.point
            did = f"{did} onto {place.aimed.what}"
        elif by is not None:
            end = Point(start.x + by[0], start.y + by[1])
            did = f"{did} by {by[0]:g}, {by[1]:g}"
        else:
            raise AssertionError
        press = GuardedInput(tab, found.world, aimed.node, holder=aimed.holder)
        async with watched(tab) as watch:
            try:
                cover = await arm_press(press, aimed, drag=True)
                if cover:
                    raise CannotAct(f"{tab.id}: nothing was done to {aimed.what}: it moved away")
                note = await _Carrying(tab, press, place).carry(_way(start, end, steps), start)
                seen = await press.told("released", watch)
            except DialogOpen:
                return watch.acted(did, None)
            finally:
                press.let_go()
            if seen is not None and seen.hit is not True:
                what = seen.cover or "nothing that could be seen"
                raise CannotAct(
                    f"{tab.id}: nothing was done to {aimed.what}: {what} was in the way"
                )
            return watch.acted(did, seen, note=note)


async def _place(
    tab: Tab,
    target: Aimable,
    frame: FrameName,
    position: tuple[float, float] | None,
    source: str,
) -> _Place:
    found, aimed = await engaged(tab, "place", target, frame, position=position)
    if aimed.point is None:
        raise CannotAct(f"{tab.id}: {source} and {aimed.what} are not in view together")
    point = await on_page(tab, found.world, aimed)
    return _Place(found.world, aimed, point, await _standing(tab, found.world, aimed))


async def _standing(tab: Tab, world: World, aimed: Aimed) -> tuple[float, float]:
    answer = await ask_in(tab, world, "standing", {"node": aimed.node})
    return msgspec.json.decode(answer, type=tuple[float, float])


def _way(start: Point, end: Point, steps: int) -> list[Point]:
    across, down = (end.x - start.x) / steps, (end.y - start.y) / steps
    return [Point(start.x + across * part, start.y + down * part) for part in range(1, steps + 1)]


class _Carrying:
    """Takes an element to where its target stands when it gets there."""

    def __init__(self, tab: Tab, press: GuardedInput, place: _Place | None) -> None:
        self._tab, self._press, self._place = tab, press, place
        self._taken: list[dict[str, Any]] = []

    async def carry(self, way: list[Point], start: Point) -> str:
        """Presses, moves and lets go; by which means, where that is not the mouse alone."""
        tab = self._tab
        taken = self._taken

        def intercepted(happening: Incoming) -> None:
            taken.append(happening.read(_Intercepted).data)

        stop = tab.connection.listen("Input.dragIntercepted", intercepted, session=tab.session)
        held = {"button": "left", "buttons": 1, "clickCount": 1}
        end = way[-1]
        try:
            await tab.call_many([
                ("Input.setInterceptDrags", {"enabled": True}),
                mouse("mouseMoved", start),
                mouse("mousePressed", start, **held),
            ])
            # A page moves things as it is dragged over, so where the target is counts before the first move.
            way = _way(start, await self._end(way[-1]), len(way))
            end = way[-1]
            for point in way:
                if taken:
                    break
                await self._move(point)
            if taken:
                await self._drop(end, taken[0])
            else:
                await self._let_go(end)
        finally:
            stop()
            tab.connection.post("Input.setInterceptDrags", {"enabled": False}, session=tab.session)
        return "by the browser's drag and drop" if taken else ""

    async def _move(self, point: Point) -> None:
        await self._tab.call_many([mouse("mouseMoved", point, buttons=1, button="left")])

    async def _end(self, end: Point) -> Point:
        place = self._place
        if place is None:
            return end
        try:
            stands = await _standing(self._tab, place.world, place.aimed)
        except PageChanged:
            return end  # the button is down, and has to be let go somewhere
        return Point(end.x + stands[0] - place.stood[0], end.y + stands[1] - place.stood[1])

    async def _let_go(self, end: Point) -> None:
        up = mouse("mouseReleased", end, button="left", buttons=0, clickCount=1)
        await self._tab.call_many([up])

    async def _drop(self, end: Point, data: dict[str, Any]) -> None:
        place, tab = self._place, self._tab
        if place is None:
            await self._send(end, data)
            return
        guard = GuardedInput(tab, place.world, place.aimed.node, holder=place.aimed.holder)
        try:
            await guard.arm("drop", "armDrop")
            await self._send(end, data)
            answer = await ask_in(tab, place.world, "dropped", {"node": place.aimed.node})
            stray = await guard.disarm() or msgspec.json.decode(answer, type=str)
        except PageChanged:
            return  # what was dropped took the page elsewhere
        finally:
            guard.let_go()
        if stray:
            raise BrowserFailed(
                f"{tab.id}: it was not dropped: {stray} is where {place.aimed.what} was"
            )

    async def _send(self, end: Point, data: dict[str, Any]) -> None:
        for kind in ("dragEnter", "dragOver", "dragOver", "drop"):
            event = {"type": kind, "x": end.x, "y": end.y, "data": data}
            await self._tab.call("Input.dispatchDragEvent", event, timeout_seconds=HANDLING_SECONDS)
        await self._let_go(end)
