"""Fields of every kind: the value goes in by real input wherever the browser has one for it."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from ouroboros.browser.errors import CannotAct, DialogOpen
from ouroboros.browser.frames import World
from ouroboros.browser.page.aim import Acted, Aimable, Watch, after, engaged, watched
from ouroboros.browser.page.door import Found, FrameName, Handle
from ouroboros.browser.page.keyboard import INPUT_SECONDS
from ouroboros.browser.page.keys import events, key_of
from ouroboros.browser.page.mouse import click
from ouroboros.browser.page.press import GuardedInput
from ouroboros.browser.tab import Tab

type FieldValue = str | int | float | bool | None | Sequence[str | int]

FIELDS_AT_ONCE = 200


class _Plan(Struct, frozen=True, kw_only=True):
    node: int
    what: str
    holder: int = 0
    count: int = 1
    how: str = ""
    key: str = ""
    wanted: str = ""
    index: int | None = None


async def fill(
    tab: Tab, fields: Mapping[str, FieldValue], *, frame: FrameName = None
) -> tuple[Acted, ...]:
    """Sets fields one after the other, each to exactly its value; selects and boxes too.

    Raises:
        CannotAct: One cannot be filled; those before it are, and the words name it.
        PageChanged: A page of its own began in between; the words say which fields are filled.
    """
    if len(fields) > FIELDS_AT_ONCE:
        raise CannotAct(f"{len(fields)} fields are more than the {FIELDS_AT_ONCE} filled at once")
    done: list[Acted] = []
    for selector, value in fields.items():
        try:
            acted = await fill_one(tab, selector, value, frame=frame)
        except CannotAct as cannot:
            before = f" ({len(done)} fields before it were filled)" if done else ""
            raise CannotAct(f"{cannot.message}{before}", hint=cannot.hint) from cannot
        done.append(acted)
        if acted.dialog or acted.navigated:
            break
    return tuple(done)


async def fill_one(
    tab: Tab, target: Aimable, value: FieldValue, *, frame: FrameName = None
) -> Acted:
    """Sets one field; raises as ``fill``."""
    found, _ = await engaged(tab, "filling", target, frame, value=value)
    return await _carry_out(tab, found, "filled")


async def select(
    tab: Tab,
    target: Aimable,
    choice: str | int | Sequence[str | int],
    *,
    frame: FrameName = None,
) -> Acted:
    """Chooses options of a select by value, else by label, else by number from 0.

    Raises:
        CannotAct: There is no such option, or it is not a select; nothing was done.
    """
    values = [choice] if isinstance(choice, str | int) else list(choice)
    found, _ = await engaged(tab, "choosing", target, frame, values=values)
    return await _carry_out(tab, found, "selected in")


async def check(
    tab: Tab, target: Aimable, *, checked: bool = True, frame: FrameName = None
) -> Acted:
    """Sees that a box or radio button is checked, or not, by a click where it is otherwise."""
    found, _ = await engaged(tab, "filling", target, frame, value=checked)
    return await _carry_out(tab, found, "checked" if checked else "unchecked")


async def uncheck(tab: Tab, target: Aimable, *, frame: FrameName = None) -> Acted:
    """Sees that a box is not checked."""
    return await check(tab, target, checked=False, frame=frame)


async def _carry_out(tab: Tab, found: Found, verb: str) -> Acted:
    plan = msgspec.json.decode(found.value, type=_Plan)
    world, did = found.world, f"{verb} {plan.what}"
    if plan.how == "click":
        handle = Handle(node=plan.node, frame=world.frame, loader=world.loader)
        acted = await click(tab, handle.written())
        return msgspec.structs.replace(acted, did=did, matches=plan.count)
    async with tab.input, watched(tab) as watch:
        try:
            stray = await _enter_guarded(tab, world, plan, watch)
        except DialogOpen:
            return watch.acted(did, None, matches=plan.count)
        if stray and plan.how != "key":  # what no key has set is set by hand
            raise CannotAct(f"{tab.id}: {plan.what} was not filled: {stray} took the focus")
        wanted = {"node": plan.node, "wanted": plan.wanted, "index": plan.index, "how": plan.how}
        seen = await after(tab, world, "filled", wanted, watch)
        if seen is not None and seen.note == "the field did not take it":
            raise CannotAct(f"{tab.id}: {plan.what} did not take the value and is empty now")
        return watch.acted(did, seen, matches=plan.count)


async def _enter_guarded(tab: Tab, world: World, plan: _Plan, watch: Watch) -> str:
    """What else had the focus and would have got the value; empty when the field got it."""
    if plan.how not in {"insert", "delete", "key"}:
        return ""
    keys = GuardedInput(tab, world, plan.node, holder=plan.holder)
    try:
        await keys.arm("keys", "armKeys", exact=True)
        await _enter(tab, plan)
        seen = await keys.told("released", watch)
    finally:
        keys.let_go()
    return seen.cover if seen is not None and seen.missed else ""


async def _enter(tab: Tab, plan: _Plan) -> None:
    match plan.how:
        case "insert":
            text = {"text": plan.wanted}
            await tab.call("Input.insertText", text, timeout_seconds=INPUT_SECONDS)
        case "delete":
            await tab.call_many(events(key_of("Delete")))
        case "key" if plan.key:
            await tab.call_many(events(key_of(plan.key)))
        case _:
            return
