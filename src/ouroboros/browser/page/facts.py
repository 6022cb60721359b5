"""What an act on an element would mean, told before it is done."""

import msgspec
from msgspec import Struct

from ouroboros.browser.page.door import ask_in
from ouroboros.browser.tab import Tab


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


async def entering_facts(tab: Tab) -> Facts | None:
    """What the Enter key would mean where the focus is; None when it is nowhere we can see."""
    value = await ask_in(tab, await tab.world(), "entering", {})
    found = msgspec.json.decode(value, type=Facts | None)
    if found is None or found.tag not in {"iframe", "frame"}:
        return found
    for frame in tab.frames:
        if frame.parent and frame.session:
            inner = await ask_in(tab, await tab.world(frame.id), "entering", {})
            known = msgspec.json.decode(inner, type=Facts | None)
            if known is not None and known.tag not in {"body", "html", "iframe"}:
                return known
    return found
