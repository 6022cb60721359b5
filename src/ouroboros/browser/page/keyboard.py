"""The keyboard: real keys to the element that has the focus."""

from collections.abc import Sequence

import anyio
import msgspec
from msgspec import Struct

from ouroboros.browser.connection import Call
from ouroboros.browser.errors import CannotAct, DialogOpen
from ouroboros.browser.page.aim import Acted, Aimable, after, engaged, watched
from ouroboros.browser.page.door import FrameName
from ouroboros.browser.page.keys import chord, events, holding, key_of, modifier_bits
from ouroboros.browser.tab import Tab

KEYS_AT_MOST = 500
"""Characters that are typed key by key; what is longer is entered as a whole after them."""

TYPED_TOGETHER = 100
TYPE_CHARACTERS = 1_000_000
INPUT_SECONDS = 30.0


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
    found, aimed = await engaged(tab, "typing", target, frame, clear=clear)
    field = msgspec.json.decode(found.value, type=_Typing)
    did = f"typed {len(text)} characters into {aimed.what}"
    async with watched(tab) as watch:
        try:
            if clear and not field.empty:
                await tab.call_many(events(key_of("Delete")))
            if field.end and not field.empty:
                await tab.call_many(events(key_of("End")))
            await send_text(tab, text, delay=delay)
        except DialogOpen:
            return watch.acted(did, None, matches=aimed.count)
        seen = await after(tab, found.world, "after", {"node": aimed.node}, watch)
        return watch.acted(did, seen, matches=aimed.count)


async def key_press(tab: Tab, key: str, modifiers: Sequence[str] = ()) -> Acted:
    """Presses one key, such as ``Enter``, ``a`` or ``Control+A``, where the focus is.

    Raises:
        CannotAct: There is no such key or modifier.
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
    async with watched(tab) as watch:
        try:
            await tab.call_many(calls, timeout_seconds=INPUT_SECONDS)
        except DialogOpen:
            return watch.acted(did, None)
        return watch.acted(did, await after(tab, world, "after", {"node": 0}, watch))


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
