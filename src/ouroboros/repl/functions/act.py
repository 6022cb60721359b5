"""Page functions that act, by real input; what they would set off is asked about before they do."""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from ouroboros.browser.errors import CannotAct
from ouroboros.browser.page import act
from ouroboros.browser.page.act import Acted, Aim
from ouroboros.browser.page.door import FrameName, Target
from ouroboros.browser.page.facts import Focused, focused_for
from ouroboros.browser.page.keys import chord, key_of, modifier_bits
from ouroboros.browser.tab import Tab
from ouroboros.repl.functions.function import LONGEST, Spec
from ouroboros.repl.functions.gate import admitted
from ouroboros.repl.functions.pages import InTab, Pages, done
from ouroboros.tools.tool import Result, ToolContext


class On(InTab, frozen=True, kw_only=True):
    """An element that something is done to."""

    target: Target
    frame: FrameName = None


class Click(On, frozen=True, kw_only=True):
    """``click``; ``position`` is from the element's upper left corner."""

    button: Literal["left", "right", "middle"] = "left"
    count: int = 1
    modifiers: tuple[str, ...] = ()
    position: tuple[float, float] | None = None


class Type(InTab, frozen=True, kw_only=True):
    """``type``; ``delay`` is in milliseconds between two keys."""

    target: Target
    text: str
    clear: bool = False
    delay: float = 0
    frame: FrameName = None


class Fill(InTab, frozen=True, kw_only=True):
    """``fill``: values by selector."""

    fields: dict[str, Any]
    frame: FrameName = None


class Scroll(InTab, frozen=True, kw_only=True):
    """``scroll``; with ``target`` the part around it that scrolls."""

    direction: Literal["up", "down", "left", "right", "top", "bottom", "into"] = "down"
    amount: float = 500
    frame: FrameName = None  # not an object, so that options may come fourth
    target: Target | None = None


class Key(InTab, frozen=True, kw_only=True):
    """``keyPress``."""

    key: str
    modifiers: tuple[str, ...] = ()


class Select(InTab, frozen=True, kw_only=True):
    """``select``."""

    target: Target
    value: str | int | list[str | int]
    frame: FrameName = None


class Check(InTab, frozen=True, kw_only=True):
    """``check``."""

    target: Target
    checked: bool = True
    frame: FrameName = None


class Way(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How far something is dragged, in CSS pixels."""

    dx: float = 0
    dy: float = 0


class Drag(InTab, frozen=True, kw_only=True):
    """``drag``: onto an element, or by ``{dx, dy}``."""

    source: Target
    target: Target
    position: tuple[float, float] | None = None
    steps: int = 10
    frame: FrameName = None


def told(acted: Acted, said: str) -> Result:
    """What came of an act, for code; the record has our words only."""
    return done(said, acted)


async def _aim(
    pages: Pages,
    tab: Tab,
    target: Target,
    frame: FrameName,
    context: ToolContext,
    *,
    position: tuple[float, float] | None = None,
) -> Aim:
    """Finds the element and has what pressing it there would set off admitted."""
    aim = await act.aim(tab, target, frame=frame, position=position)
    await admitted(pages, aim.facts, tab.id, context.admit)
    return aim


async def click(pages: Pages, wish: Click, context: ToolContext) -> Result:
    """Presses an element."""
    tab = await pages.tab(wish.tab)
    aim = await _aim(pages, tab, wish.target, wish.frame, context, position=wish.position)
    acted = await act.click(
        tab,
        aim,
        button=wish.button,
        count=wish.count,
        modifiers=wish.modifiers,
        position=wish.position,
    )
    return told(acted, f"clicked in {wish.tab}")


async def dblclick(pages: Pages, wish: On, context: ToolContext) -> Result:
    """Presses an element twice."""
    tab = await pages.tab(wish.tab)
    aim = await _aim(pages, tab, wish.target, wish.frame, context)
    return told(await act.dblclick(tab, aim), f"double-clicked in {wish.tab}")


async def type_text(pages: Pages, wish: Type, context: ToolContext) -> Result:
    """Types into a field."""
    tab = await pages.tab(wish.tab)
    target = wish.target
    if "\n" in wish.text or "\r" in wish.text:
        await act.focus(tab, target, frame=wish.frame)
        focused = await _before_key(pages, tab, context, "Enter")
        # Enter is for what was asked about, whatever the selector names by then.
        target = focused.handle.written() if focused is not None else target
    acted = await act.type_text(
        tab,
        target,
        wish.text,
        clear=wish.clear,
        delay=min(wish.delay, LONGEST / max(len(wish.text), 1)) / 1000,
        frame=wish.frame,
    )
    return told(acted, f"typed {len(wish.text)} characters in {wish.tab}")


async def fill(pages: Pages, wish: Fill, context: ToolContext) -> Result:
    """Sets fields."""
    del context
    tab = await pages.tab(wish.tab)
    acted = await act.fill(tab, wish.fields, frame=wish.frame)
    return done(f"filled {len(acted)} fields in {wish.tab}", acted)


async def scroll(pages: Pages, wish: Scroll, context: ToolContext) -> Result:
    """Scrolls a page or a part of it."""
    del context
    tab = await pages.tab(wish.tab)
    scrolled = await act.scroll(
        tab, wish.direction, wish.amount, target=wish.target, frame=wish.frame
    )
    return done(f"scrolled in {wish.tab}", scrolled)


async def key_press(pages: Pages, wish: Key, context: ToolContext) -> Result:
    """Presses one key where the focus is."""
    tab = await pages.tab(wish.tab)
    meant = await _before_key(pages, tab, context, wish.key, wish.modifiers)
    acted = await act.key_press(tab, wish.key, wish.modifiers, meant=meant)
    return told(acted, f"pressed a key in {wish.tab}")


async def _before_key(
    pages: Pages, tab: Tab, context: ToolContext, written: str, modifiers: tuple[str, ...] = ()
) -> Focused | None:
    """What the key would reach, after what it would set off was admitted."""
    held, name = chord(written)
    focused = await focused_for(tab, key_of(name), modifier_bits((*modifiers, *held)))
    if focused is not None:
        await admitted(pages, focused.facts, tab.id, context.admit)
    return focused


async def hover(pages: Pages, wish: On, context: ToolContext) -> Result:
    """Moves the mouse over an element."""
    del context
    tab = await pages.tab(wish.tab)
    return told(await act.hover(tab, wish.target, frame=wish.frame), f"hovered in {wish.tab}")


async def focus(pages: Pages, wish: On, context: ToolContext) -> Result:
    """Gives an element the focus."""
    del context
    tab = await pages.tab(wish.tab)
    return told(await act.focus(tab, wish.target, frame=wish.frame), f"focused in {wish.tab}")


async def select(pages: Pages, wish: Select, context: ToolContext) -> Result:
    """Chooses options."""
    del context
    tab = await pages.tab(wish.tab)
    acted = await act.select(tab, wish.target, wish.value, frame=wish.frame)
    return told(acted, f"selected in {wish.tab}")


async def check(pages: Pages, wish: Check, context: ToolContext) -> Result:
    """Checks a box, or unchecks it."""
    del context
    tab = await pages.tab(wish.tab)
    acted = await act.check(tab, wish.target, checked=wish.checked, frame=wish.frame)
    return told(acted, f"{'checked' if wish.checked else 'unchecked'} in {wish.tab}")


async def drag(pages: Pages, wish: Drag, context: ToolContext) -> Result:
    """Drags an element; where it is let go at once, that is a press."""
    tab = await pages.tab(wish.tab)
    is_way = isinstance(wish.target, dict) and "__handle" not in wish.target
    try:
        way = msgspec.convert(wish.target, Way) if is_way else None
    except msgspec.ValidationError as odd:
        raise CannotAct(f"a drag leads to a selector, a handle, or {{dx, dy}}: {odd}") from odd
    aim = await _aim(pages, tab, wish.source, wish.frame, context)
    acted = await act.drag(
        tab,
        aim,
        None if way is not None else wish.target,
        by=(way.dx, way.dy) if way is not None else None,
        steps=wish.steps,
        position=wish.position,
        frame=wish.frame,
    )
    return told(acted, f"dragged in {wish.tab}")


def _named(target: Target) -> str:
    return target[:80] if isinstance(target, str) else "an element"


SPECS = (
    Spec(
        name="click",
        usage="click(tab, sel, {button?, count?, modifiers?, position?: [x, y]}): Acted",
        arguments=Click,
        work=click,
        kind="act",
        description="Presses an element by a real mouse; fails when it cannot be reached.",
        says=lambda wish: f"Click {_named(wish.target)} in {wish.tab}",
    ),
    Spec(
        name="dblclick",
        usage="dblclick(tab, sel)",
        arguments=On,
        work=dblclick,
        kind="act",
        says=lambda wish: f"Double-click {_named(wish.target)} in {wish.tab}",
    ),
    Spec(
        name="type",
        usage="type(tab, sel, text, {clear?, delay?})",
        arguments=Type,
        work=type_text,
        kind="act",
        says=lambda wish: f"Type {len(wish.text)} characters into {_named(wish.target)}",
    ),
    Spec(
        name="fill",
        usage="fill(tab, {sel: value})",
        arguments=Fill,
        work=fill,
        kind="act",
        says=lambda wish: f"Fill {', '.join(list(wish.fields)[:4])[:80]} in {wish.tab}",
    ),
    Spec(
        name="scroll",
        usage="scroll(tab, 'down'|'up'|'top'|'bottom'|'into'..., px=500, {target?}): {y, moved, atEnd}",
        arguments=Scroll,
        work=scroll,
        kind="act",
    ),
    Spec(
        name="keyPress",
        usage="keyPress(tab, 'Enter'|'Control+a'..., modifiers?)",
        arguments=Key,
        work=key_press,
        kind="act",
        says=lambda wish: f"Press {wish.key[:30]} in {wish.tab}",
    ),
    Spec(name="hover", usage="hover(tab, sel)", arguments=On, work=hover, kind="act"),
    Spec(name="focus", usage="focus(tab, sel)", arguments=On, work=focus, kind="act"),
    Spec(
        name="select",
        usage="select(tab, sel, value|label|[...])",
        arguments=Select,
        work=select,
        kind="act",
        says=lambda wish: f"Select in {_named(wish.target)} of {wish.tab}",
    ),
    Spec(name="check", usage="check(tab, sel, on=true)", arguments=Check, work=check, kind="act"),
    Spec(
        name="drag",
        usage="drag(tab, sel, sel|{dx, dy}, {position?, steps?})",
        arguments=Drag,
        work=drag,
        kind="act",
        says=lambda wish: f"Drag {_named(wish.source)} in {wish.tab}",
    ),
)
