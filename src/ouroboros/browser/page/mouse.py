"""The mouse: real events at a point that was seen to belong to the element."""

from collections.abc import Sequence
from typing import Literal

from ouroboros.browser.connection import Call
from ouroboros.browser.errors import BrowserFailed, CannotAct, DialogOpen
from ouroboros.browser.page.aim import (
    Acted,
    After,
    Aimable,
    Aimed,
    Watch,
    after,
    engaged,
    on_page,
    watched,
)
from ouroboros.browser.page.door import FrameName, ask_in
from ouroboros.browser.page.keys import modifier_bits
from ouroboros.browser.page.press import GuardedInput, arm_again, arm_press
from ouroboros.browser.page.quads import Point
from ouroboros.browser.tab import Tab

type Button = Literal["left", "right", "middle"]

BUTTONS: dict[str, int] = {"left": 1, "right": 2, "middle": 4}
TRIES = 3
PRESS_SECONDS = 20.0


def mouse(kind: str, point: Point, **more: object) -> Call:
    """One mouse event."""
    return "Input.dispatchMouseEvent", {"type": kind, "x": point.x, "y": point.y, **more}


def _presses(point: Point, button: Button, count: int, bits: int) -> list[Call]:
    calls = [mouse("mouseMoved", point, modifiers=bits)]
    for number in range(1, count + 1):
        held: dict[str, object] = {"button": button, "clickCount": number, "modifiers": bits}
        calls.append(mouse("mousePressed", point, buttons=BUTTONS[button], **held))
        calls.append(mouse("mouseReleased", point, buttons=0, **held))
    return calls


async def click(
    tab: Tab,
    target: Aimable,
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    position: tuple[float, float] | None = None,
    frame: FrameName = None,
) -> Acted:
    """Presses and releases the mouse on an element.

    Args:
        tab: Where.
        target: A selector, a handle, or an aim; the latter two never reach another page's element.
        button: Which one.
        count: 2 for a double click.
        modifiers: ``Alt``, ``Control``, ``Meta``, ``Shift``.
        position: From the element's upper left corner in CSS pixels; a free spot of it otherwise.
        frame: In which frame a selector is looked for.

    Raises:
        CannotAct: The press would not have reached it; nothing was done.
        PageChanged: The page of a handle or an aim was left; nothing was done.
    """
    if button not in BUTTONS or not 1 <= count <= 3:
        raise CannotAct(
            f"no such click: {button!r}, {count} times; buttons are left, right, middle"
        )
    bits = modifier_bits(modifiers)
    verb = {1: "clicked", 2: "double-clicked", 3: "triple-clicked"}[count]
    verb = verb if button == "left" else f"{button}-{verb}"
    cover, what = "", ""
    async with tab.input:
        for attempt in range(TRIES):
            found, aimed = await engaged(
                tab, "engage", target, frame, position=position, again=attempt > 0
            )
            point = await on_page(tab, found.world, aimed)
            calls = _presses(point, button, count, bits)
            async with watched(tab) as watch:
                press = GuardedInput(tab, found.world, aimed.node, holder=aimed.holder)
                seen = await _press(tab, press, aimed, calls, watch)
                if seen is None or seen.hit is not False:
                    return _pressed(watch, seen, aimed, verb, clicks=count, button=button)
            cover, what = seen.cover, aimed.what
    raise CannotAct(f"{tab.id}: nothing was done to {what}: {cover} was in the way each time")


async def _press(
    tab: Tab, press: GuardedInput, aimed: Aimed, calls: Sequence[Call], watch: Watch
) -> After | None:
    try:
        cover = await arm_press(press, aimed)
        if not cover and press.is_late:
            # What the mouse sets off is over before the press, which nobody could keep from another frame.
            await tab.call_many(calls[:1], timeout_seconds=PRESS_SECONDS)
            calls = calls[1:]
            cover = await arm_again(press, aimed)
        if cover:
            return After(hit=False, cover=cover)
        await tab.call_many(calls, timeout_seconds=PRESS_SECONDS)
        return await press.told("released", watch, click=True)
    except DialogOpen:
        return None
    finally:
        press.let_go()


def _pressed(
    watch: Watch, seen: After | None, aimed: Aimed, verb: str, *, clicks: int, button: Button
) -> Acted:
    did, note = f"{verb} {aimed.what}", ""
    if seen is None:
        return watch.acted(did, None, matches=aimed.count)
    if seen.hit is None:
        if seen.left:
            why = f"the frame was left while this was done: {did}; what was pressed is unknown"
        elif seen.old:
            why = f"the page hides whether this was done: {did}"
        else:
            why = f"the press on {aimed.what} reached no element that could be seen"
        raise BrowserFailed(why, hint="look at the page before you repeat it")
    if seen.times < clicks:
        raise BrowserFailed(
            f"{aimed.what} was pressed {seen.times} of {clicks} times: {seen.cover} was in the way then",
            hint="look at the page before you repeat it",
        )
    if seen.slipped:
        did = f"pressed {aimed.what}"
        note = f"it was let go over {seen.slipped}, so it was pressed and not clicked"
    elif button == "left" and seen.clicks < clicks and not seen.old:
        # A frame that moves away under the mouse is pressed, and another one gets the release.
        did = f"pressed {aimed.what}"
        where = f"it was let go over {seen.cover}, so " if seen.cover else ""
        note = f"{where}{seen.clicks} of {clicks} clicks came of it"
    return watch.acted(did, seen, matches=aimed.count, note=note)


async def hover(
    tab: Tab,
    target: Aimable,
    *,
    position: tuple[float, float] | None = None,
    frame: FrameName = None,
) -> Acted:
    """Moves the mouse over an element and leaves it there; raises as ``click``."""
    cover, what = "", ""
    async with tab.input:
        for attempt in range(TRIES):
            found, aimed = await engaged(
                tab, "engage", target, frame, position=position, need="over", again=attempt > 0
            )
            point = await on_page(tab, found.world, aimed)
            async with watched(tab) as watch:
                await ask_in(tab, found.world, "track", {"node": aimed.node, "at": aimed.at})
                # Two moves: a pointer that is there already would not be told to enter.
                nearby = Point(max(point.x - 2, 0), max(point.y - 2, 0))
                await tab.call_many([mouse("mouseMoved", nearby), mouse("mouseMoved", point)])
                seen = await after(tab, found.world, "hovered", {"node": aimed.node}, watch)
                if seen is None or seen.hit:
                    return watch.acted(f"hovers over {aimed.what}", seen, matches=aimed.count)
            cover, what = seen.cover or "another frame", aimed.what
    raise CannotAct(f"{tab.id}: the mouse is not over {what}: it is over {cover}")
