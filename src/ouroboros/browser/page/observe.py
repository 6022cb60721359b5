"""What kind of page a tab shows, in at most 200 tokens however large it is."""

from typing import Any

import msgspec
from msgspec import Struct

from ouroboros.browser.errors import DialogOpen, TabCrashed, a_dialog
from ouroboros.browser.page.door import FrameName, Handle, ask, ask_in
from ouroboros.browser.tab import Tab, readable

OBSERVE_SECONDS = 10.0
OUTLINE_AT_MOST = 20_000
_URL, _TITLE, _FOCUS = 120, 70, 60


class Observation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One look at a page; ``title``, ``focus`` and ``preview`` are the page's own words.

    Attributes:
        ready: As the document says: loading, interactive, complete; or dialog, crashed.
        dialogs: Elements that say they are dialogs; ``dialog`` is the browser's own.
        characters: Of text in the document.
        scroll: From the top, in CSS pixels, of ``scroll_height``.
    """

    url: str
    title: str = ""
    ready: str = ""
    elements: int = 0
    links: int = 0
    buttons: int = 0
    inputs: int = 0
    forms: int = 0
    frames: int = 0
    images: int = 0
    dialogs: int = 0
    characters: int = 0
    width: int = 0
    height: int = 0
    scroll: int = 0
    scroll_height: int = msgspec.field(name="scrollHeight", default=0)
    focus: str = ""
    dialog: str = ""
    preview: str = ""

    def text(self) -> str:
        """For a prompt."""
        counts = ", ".join(
            f"{_short(number)} {name}"
            for name, number in (
                ("elements", self.elements),
                ("links", self.links),
                ("buttons", self.buttons),
                ("inputs", self.inputs),
                ("forms", self.forms),
                ("frames", self.frames),
                ("images", self.images),
                ("dialogs", self.dialogs),
            )
        )
        lines = [
            f"url: {_cut(self.url, _URL)}",
            f"title: {_cut(self.title, _TITLE)}",
            f"state: {self.ready}" + (f", {a_dialog(self.dialog)} is open" if self.dialog else ""),
            f"holds: {counts}; {_short(self.characters)} characters",
            f"view: {self.width}x{self.height} at {self.scroll} of {self.scroll_height}",
        ]
        if self.focus:
            lines.append(f"focus: {_cut(self.focus, _FOCUS)}")
        if self.preview:
            lines.append(f"begins: {readable(self.preview)}")
        return "\n".join(lines)


class _Outline(Struct, frozen=True):
    items: tuple[dict[str, Any], ...]
    total: int


async def observe(tab: Tab) -> Observation:
    """Looks at a page without moving it.

    A page that stands still under a dialog, or crashed, is told from what the browser knows.
    """
    try:
        tab.check("Runtime.evaluate")
        value = await ask_in(tab, await tab.world(), "observe", {}, timeout_seconds=OBSERVE_SECONDS)
    except (DialogOpen, TabCrashed):
        facts = tab.facts
        return Observation(
            url=facts.url, title=facts.title, ready=facts.status, dialog=facts.dialog
        )
    return msgspec.json.decode(value, type=Observation)


async def outline(tab: Tab, limit: int = 200, *, frame: FrameName = None) -> bytes:
    """JSON ``{items: [{role, name, value?, checked?, disabled?, handle}], total}`` of what can be used.

    For the code that asked, not for a prompt; ``handle`` can be given instead of a selector.
    """
    options = {"limit": max(0, min(limit, OUTLINE_AT_MOST))}
    asked = await ask(tab, "outline", "", frame=frame, options=options)
    world, found = asked.world, msgspec.json.decode(asked.value, type=_Outline)
    for item in found.items:
        handle = Handle(node=item.pop("node"), frame=world.frame, loader=world.loader)
        item["handle"] = handle.written()
    return msgspec.json.encode({"items": found.items, "total": found.total})


def _cut(text: str, most: int) -> str:
    line = readable(text)
    return line if len(line) <= most else line[: most - 1] + "…"


def _short(number: int) -> str:
    """As many letters for a large number as for a small one."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if number >= size:
            return f"{number / size:.1f}{unit}" if number < 10 * size else f"{number // size}{unit}"
    return str(number)
