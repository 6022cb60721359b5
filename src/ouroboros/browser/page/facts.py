"""What an act on an element would mean, told before it is done."""

from typing import NamedTuple

import msgspec
from msgspec import Struct

from ouroboros.browser.frames import World
from ouroboros.browser.page.closed import adopt_closed
from ouroboros.browser.page.door import Handle, ask_in, door, opened_up
from ouroboros.browser.page.keys import Key
from ouroboros.browser.tab import Tab

ROOTS_DEEP = 20
"""Closed shadow roots in each other that are looked into."""

_ENTERING = frozenset({"Enter", " "})
_FRAMES = frozenset({"iframe", "frame", "object"})
_ALT = 1


class Facts(Struct, frozen=True, kw_only=True):
    """What the page says of an element; a script of the page may still do something else.

    Attributes:
        tag: Of the button, link or field that the act would reach.
        label: Its name as a person reads it, at most 80 characters; page text.
        is_submit: Pressing it sends a form with ``method`` to ``action``.
        is_search: That form is sent by GET and looks like one that only searches.
        is_payment: Its words, or card fields in its form, speak of paying or ordering.
        is_upload: It chooses a file.
        is_download: It saves a file.
        href: Where a link leads.
        page: Address of the document it lies in.
    """

    tag: str
    type: str = ""
    label: str = ""
    is_submit: bool = False
    is_search: bool = False
    method: str = ""
    action: str = ""
    is_payment: bool = False
    is_upload: bool = False
    is_download: bool = False
    href: str = ""
    page: str = ""

    @property
    def meaning(self) -> tuple[object, ...]:
        """All but the words: what a yes was given for."""
        kinds = self.is_submit, self.is_search, self.is_payment, self.is_upload, self.is_download
        return (*kinds, self.method, self.action, self.href)


class Focused(NamedTuple):
    """What a key would reach.

    Attributes:
        node: Its number; 0 where an access key presses another element than the one with the focus.
        holder: The frame of the same origin that it lies in, where our world is that of another one.
    """

    facts: Facts
    world: World
    node: int
    holder: int

    @property
    def handle(self) -> Handle:
        """The element, to be named again."""
        return Handle(node=self.node, frame=self.world.frame, loader=self.world.loader)


class _Entering(Struct, frozen=True, kw_only=True):
    facts: Facts | None = None
    node: int = 0
    holder: int = 0
    focus: bool = False
    hollow: int = 0


async def focused_for(tab: Tab, key: Key, bits: int = 0) -> Focused | None:
    """What a key would reach and set off; None when it sets nothing off, or nowhere we can see.

    Args:
        tab: Where.
        key: Enter and the space bar press what has the focus; with Alt a letter may press another.
        bits: The modifiers that are held.
    """
    if key.key in _ENTERING:
        found = await _entering(tab, await tab.world())
        if found is None or found[0].facts.tag not in _FRAMES:
            return found[0] if found is not None else None
        for frame in tab.frames:
            if frame.parent and frame.session:
                known = await _entering(tab, await tab.world(frame.id))
                if known is not None and known[1] and known[0].facts.tag not in _FRAMES:
                    return known[0]
        return found[0]
    if bits & _ALT and len(key.key) == 1:
        for frame in tab.frames:
            world = await tab.world(frame.id)
            known = await _entering(tab, world, key.key.lower())
            if known is None and await adopt_closed(tab, world, door(world)):
                known = await _entering(tab, world, key.key.lower())
            if known is not None:
                return known[0]._replace(node=0)
    return None


async def _entering(tab: Tab, world: World, access: str = "") -> tuple[Focused, bool] | None:
    """What has the focus in a document, or the access key, and whether the document itself has it."""
    told = _Entering()
    for _ in range(ROOTS_DEEP):
        value = await ask_in(tab, world, "entering", {"access": access})
        told = msgspec.json.decode(value, type=_Entering)
        if not told.hollow or not await opened_up(tab, world, told.hollow):
            break
    if told.facts is None:
        return None
    return Focused(told.facts, world, told.node, told.holder), told.focus
