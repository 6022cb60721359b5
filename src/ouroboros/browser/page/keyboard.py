"""The keyboard: real keys to the element that has the focus."""

from collections.abc import Sequence

import anyio
import msgspec
from msgspec import Struct

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
    watched,
)
from ouroboros.browser.page.door import FrameName
from ouroboros.browser.page.facts import Focused
from ouroboros.browser.page.keys import chord, events, holding, key_of, modifier_bits
from ouroboros.browser.page.press import GuardedInput
from ouroboros.browser.tab import Tab

KEYS_AT_MOST = 500
"""Characters that are typed key by key; what is longer is entered as a whole after them."""

TYPED_TOGETHER = 100
TYPE_CHARACTERS = 1_000_000
INPUT_SECONDS = 30.0
TRIES = 3


class _Typing(Struct, frozen=True):
    empty: bool = True
    end: bool = False


def _keystrokes(text: str) -> list[Call]:
    calls: list[Call] = []
    for letter in text:
        if ord(letter) > 0xFFFF or (ord(letter) < 32 and letter not in "\n\r\t"):
            calls.append(("Input.insertText", {"text": letter}))
        else:
            calls.extend(events(key_of(letter)))
    return calls


async def send_text(tab: Tab, text: str, *, delay: float = 0.0) -> None:
    """Types to whatever has the focus; ``delay`` is in seconds between two keys."""
    text = text.replace("\r\n", "\n")
    by_key, rest = text[:KEYS_AT_MOST], text[KEYS_AT_MOST:]
    together = 1 if delay > 0 else TYPED_TOGETHER
    for begun in range(0, len(by_key), together):
        if begun and delay > 0:
            await anyio.sleep(delay)
        calls = _keystrokes(by_key[begun : begun + together])
        await tab.call_many(calls, timeout_seconds=INPUT_SECONDS)
    if rest:
        await tab.call("Input.insertText", {"text": rest}, timeout_seconds=INPUT_SECONDS)


async def type_text(
    tab: Tab,
    target: Aimable,
    text: str,
    *,
    clear: bool = False,
    delay: float = 0.0,
    frame: FrameName = None,
) -> Acted:
    """Types into a field by real keys, after what is in it, or instead of it with ``clear``.

    Raises:
        CannotAct: It cannot be typed into; nothing was done.
        PageChanged: The page of a handle was left.
    """
    if len(text) > TYPE_CHARACTERS:
        raise CannotAct(f"{len(text):,} characters are more than the {TYPE_CHARACTERS:,} to type")
    cover, what = "", ""
    async with tab.input:
        for _ in range(TRIES):
            found, aimed = await engaged(tab, "typing", target, frame, clear=clear)
            field = msgspec.json.decode(found.value, type=_Typing)
            before = [key_of("Delete")] if clear and not field.empty else []
            before += [key_of("End")] if field.end and not field.empty else []
            did = f"typed {len(text)} characters into {aimed.what}"
            keys = GuardedInput(tab, found.world, aimed.node, holder=aimed.holder)
            async with watched(tab) as watch:
                try:
                    await keys.arm("keys", "armKeys")
                    for key in before:
                        await tab.call_many(events(key))
                    await send_text(tab, text, delay=delay)
                    seen = await keys.told("released", watch, click=True)
                except DialogOpen:
                    return watch.acted(did, None, matches=aimed.count)
                finally:
                    keys.let_go()
                if seen is None or seen.hit is not False:
                    return _typed(watch, seen, aimed, did)
            cover, what = seen.cover, aimed.what
    raise CannotAct(f"{tab.id}: nothing was typed into {what}: {cover} took the focus each time")


def _typed(watch: Watch, seen: After | None, aimed: Aimed, did: str) -> Acted:
    if seen is not None and seen.missed:
        raise BrowserFailed(
            f"only a part was typed into {aimed.what}: {seen.cover} took the focus then, and got nothing",
            hint="look at what is in the field before you type again",
        )
    followed = f"the page went on to {seen.slipped}" if seen is not None and seen.slipped else ""
    return watch.acted(did, seen, matches=aimed.count, note=followed)


async def key_press(
    tab: Tab, key: str, modifiers: Sequence[str] = (), *, meant: Focused | None = None
) -> Acted:
    """Presses one key, such as ``Enter``, ``a`` or ``Control+A``, where the focus is.

    Args:
        tab: Where.
        key: By its name, with modifiers before it or not.
        modifiers: ``Alt``, ``Control``, ``Meta``, ``Shift``.
        meant: What had the focus at a look before; nothing else gets the key.

    Raises:
        CannotAct: There is no such key or modifier, or something else has the focus by now.
    """
    written, name = chord(key)
    held = (*modifiers, *written)
    pressed, bits = key_of(name), modifier_bits(held)
    calls = [
        *holding(held, down=True),
        *events(pressed, bits),
        *holding(held, down=False),
    ]
    did = f"pressed {'+'.join((*held, pressed.key))}"
    world = await tab.world()
    async with tab.input, watched(tab) as watch:
        try:
            if meant is None or not meant.node:
                await tab.call_many(calls, timeout_seconds=INPUT_SECONDS)
            else:
                await _press_guarded(tab, calls, meant, watch)
        except DialogOpen:
            return watch.acted(did, None)
        return watch.acted(did, await after(tab, world, "after", {"node": 0}, watch))


async def _press_guarded(tab: Tab, calls: Sequence[Call], meant: Focused, watch: Watch) -> None:
    keys = GuardedInput(tab, meant.world, meant.node, holder=meant.holder)
    try:
        await keys.arm("keys", "armKeys", exact=True)
        await tab.call_many(calls, timeout_seconds=INPUT_SECONDS)
        seen = await keys.told("released", watch)
    finally:
        keys.let_go()
    if seen is not None and seen.missed:
        raise CannotAct(
            f"{tab.id}: the key was pressed on nothing: {seen.cover} has the focus by now",
            hint="look at what has the focus, or name the element: click it, or type into it",
        )


async def focus(tab: Tab, target: Aimable, *, frame: FrameName = None) -> Acted:
    """Gives an element the focus.

    Raises:
        CannotAct: It takes none.
    """
    found, aimed = await engaged(tab, "focus", target, frame)
    async with watched(tab) as watch:
        seen = await after(tab, found.world, "after", {"node": aimed.node}, watch)
        return watch.acted(f"focused {aimed.what}", seen, matches=aimed.count)


async def clear(tab: Tab, target: Aimable, *, frame: FrameName = None) -> Acted:
    """Empties a field by real keys; raises as ``type_text``."""
    acted = await type_text(tab, target, "", clear=True, frame=frame)
    return msgspec.structs.replace(
        acted, did=acted.did.replace("typed 0 characters into", "cleared")
    )
