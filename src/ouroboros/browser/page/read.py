"""Reading a page: JSON as bytes for the code that asked, not decoded on the way."""

import msgspec
from msgspec import Raw, Struct

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.page.door import (
    Found,
    FrameName,
    Handle,
    Target,
    ask,
    ask_in,
)
from ouroboros.browser.tab import Tab

TEXT_BYTES = 64 * 1024 * 1024
"""Longest text that is read; more is refused and not cut."""


class _Bulk(Struct, frozen=True):
    number: int = msgspec.field(name="__bulk")
    characters: int = 0


class _Piece(Struct, frozen=True):
    to: int
    text: Raw


async def get_text(tab: Tab, selector: Target = "", *, frame: FrameName = None) -> bytes:
    """JSON of the rendered text of the first match, or of the page; null when there is none.

    Raises:
        BrowserFailed: It is longer than ``TEXT_BYTES``, or as ``ask``.
    """
    return await _whole(tab, await ask(tab, "text", selector, frame=frame))


async def get_dom(tab: Tab, selector: Target = "", *, frame: FrameName = None) -> bytes:
    """JSON of the outer HTML of the first match, or of the page; raises as ``get_text``."""
    return await _whole(tab, await ask(tab, "dom", selector, frame=frame))


async def get_links(tab: Tab, selector: Target = "", *, frame: FrameName = None) -> bytes:
    """JSON of every link: ``[{text, href}]``, open shadow roots and same-origin frames included."""
    return (await ask(tab, "links", selector, frame=frame)).value


async def get_inputs(tab: Tab, selector: Target = "", *, frame: FrameName = None) -> bytes:
    """JSON of every field: ``[{id, name, type, value, placeholder}]``; of passwords no value."""
    return (await ask(tab, "inputs", selector, frame=frame)).value


async def query_selector(tab: Tab, selector: Target, *, frame: FrameName = None) -> bytes:
    """JSON of the first match, or null.

    ``{tagName, id, className, innerText (200 characters), href, src, value, type}``.
    """
    return (await ask(tab, "one", selector, frame=frame)).value


async def query_selector_all(tab: Tab, selector: Target, *, frame: FrameName = None) -> bytes:
    """JSON of every match: ``[{tagName, id, className, innerText, href, src}]``."""
    return (await ask(tab, "every", selector, frame=frame)).value


async def get_handle(tab: Tab, selector: Target, *, frame: FrameName = None) -> bytes:
    """JSON of a handle of the first visible match; it holds until the page is left.

    Raises:
        CannotAct: There is no match.
    """

    class Held(Struct, frozen=True):
        node: int

    found = await ask(tab, "handle", selector, frame=frame)
    held = msgspec.json.decode(found.value, type=Held)
    world = found.world
    handle = Handle(node=held.node, frame=world.frame, loader=world.loader)
    return msgspec.json.encode(handle.written())


async def _whole(tab: Tab, found: Found) -> bytes:
    value = found.value
    if value[:9] != b'{"__bulk"':
        return value
    bulk = msgspec.json.decode(value, type=_Bulk)
    if bulk.characters > TEXT_BYTES:
        raise BrowserFailed(
            f"{tab.id}: the text has {bulk.characters:,} characters, more than {TEXT_BYTES:,}",
            hint="read it by a narrower selector",
        )
    pieces: list[bytes] = []
    begun = 0
    while begun < bulk.characters:
        wanted = {"number": bulk.number, "from": begun}
        piece = msgspec.json.decode(await ask_in(tab, found.world, "piece", wanted), type=_Piece)
        pieces.append(bytes(piece.text)[1:-1])
        begun = piece.to
    return b'"' + b"".join(pieces) + b'"'
