"""Pages whose layout moves while they are pressed, and a count of what each press reached."""

import random
from typing import Any

import anyio
import msgspec
from msgspec import Struct

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.page.act import Acted, click, dblclick
from ouroboros.browser.tab import Tab
from tests.browser.site import Site
from tests.browser.stage import Stage, loaded, read

NAMES = "pointerdown mousedown pointerup mouseup click dblclick auxclick contextmenu"
HEARS = f"""<script>window.heard = [];
for (const name of "{NAMES}".split(" "))
  addEventListener(name, (e) => heard.push([name, e.target.id, e.isTrusted]), true);
window.busy = (ms) => {{ if (ms) setInterval(() => {{
  const until = performance.now() + ms; while (performance.now() < until); }}, ms + 4) }};
</script>"""
STYLE = """<style>*{margin:0;box-sizing:border-box} button,a,iframe,label,#ok,#no{display:block;width:200px;
height:40px;border:0;overflow:hidden} .gap{height:20px} body{padding:20px}</style>"""

FRAMES = {"page": -1, "frame": 0, "site": 1}
"""Where an element lies, by the number of the host of its frame; in the page itself there is none."""

WAYS = ("once", "ticks", "swap", "cover", "mouse")


class Shift(Struct, frozen=True, kw_only=True):
    """One page: where the meant and the other button lie, and how they move.

    Attributes:
        way: ``once`` after ``after`` ms, again and again, two that change places, one that comes to lie over
            the other, or as soon as the mouse is near.
        busy: For how many ms at a time scripts hold the page.
        act: ``click`` or ``dblclick``.
        below: The other button lies below the meant one, and not above.
    """

    meant: str = "page"
    other: str = "page"
    way: str = "once"
    after: float = 10
    wait: float = 0
    busy: int = 0
    act: str = "click"
    below: bool = False


class Tally(Struct, kw_only=True):
    """What came of many trials; ``wrong`` and ``lies`` must be empty, ``why`` tells of what was refused."""

    right: int = 0
    refused: int = 0
    wrong: list[tuple[Shift, object]] = []
    lies: list[tuple[Shift, object]] = []
    why: list[tuple[Shift, str]] = []


def drawn_lots(seed: int, count: int) -> list[Shift]:
    """So many pages at random; the same for the same seed."""
    lots = random.Random(seed)
    return [
        Shift(
            meant=lots.choice(tuple(FRAMES)),
            other=lots.choice(tuple(FRAMES)),
            way=lots.choice(WAYS),
            after=round(lots.uniform(0, 90), 1),
            wait=round(lots.uniform(0, 60), 1),
            busy=lots.choice((0, 0, 8, 30)),
            act=lots.choice(("click", "click", "click", "dblclick")),
            below=lots.random() < 0.4,
        )
        for _ in range(count)
    ]


def _placed(site: Site, where: str, id: str, words: str, busy: int) -> str:
    button = f"<button id={id}>{words}</button>"
    if where == "page":
        return f"<div id={id}-box>{button}</div>"
    page = f"<!doctype html>{STYLE}{HEARS}<style>body{{padding:0}}</style>{button}<script>busy({busy})</script>"
    site.put(f"{id}-frame", page)
    return f"<div id={id}-box><iframe id={id}-in src='{site.url(f'{id}-frame', host=FRAMES[where])}'></iframe></div>"


MOVES = {
    "once": "setTimeout(() => { gap.style.height = '80px' }, ms)",
    "ticks": "setInterval(() => { gap.style.height = gap.style.height === '80px' ? '20px' : '80px' }, ms / 3 + 1)",
    "swap": "setTimeout(() => { const upper = okBox.offsetTop < noBox.offsetTop ? okBox : noBox; upper.style.order = 1 }, ms)",
    "cover": "setTimeout(() => { noBox.style.cssText = 'position:absolute;left:20px;top:' + okBox.offsetTop + 'px' }, ms)",
    "mouse": "addEventListener('mousemove', () => { gap.style.height = '80px' }); for (const f of document.querySelectorAll('iframe'))"
    " f.onmouseenter = () => { gap.style.height = '80px' }",
}


def page_of(site: Site, shift: Shift) -> str:
    """The page; ``go(ms)`` in it begins the moving."""
    ok = _placed(site, shift.meant, "ok", "Continue", shift.busy)
    no = _placed(site, shift.other, "no", "Pay 99 euros", shift.busy)
    both = ok + no if shift.below else no + ok
    return f"""<!doctype html><title>Shifts</title>{STYLE}{HEARS}
    <div id=gap class=gap></div><div style="display:flex;flex-direction:column;gap:20px">{both}</div>
    <script>const okBox = document.getElementById("ok-box"), noBox = document.getElementById("no-box");
    busy({shift.busy}); const go = (ms) => {{ {MOVES[shift.way]} }};</script>"""


HEARD = """(() => { const all = (view) => { try {
  return [...(view.heard ?? []), ...Array.from(view.frames).flatMap(all)] } catch { return [] } }; return all(window) })()"""


async def heard_in(tab: Tab) -> list[list[Any]]:
    """What all documents of a tab heard, by the names of events and elements."""
    told: list[list[Any]] = []
    for session in tab.sessions:
        params = {"expression": HEARD, "returnByValue": True}
        answer = await tab.call("Runtime.evaluate", params, session=session)
        told.extend(msgspec.json.decode(answer)["result"]["value"])
    return told


async def tried(stage: Stage, shift: Shift, tab: Tab, tally: Tally) -> None:
    """Presses the meant button of one page, and counts what that reached."""
    await tab.navigate(stage.site.put("shifts", page_of(stage.site, shift)))
    await loaded(tab)
    target = "#ok" if shift.meant == "page" else "#ok-in >>> #ok"
    await read(tab, f"go({shift.after})")
    await anyio.sleep(shift.wait / 1000)
    acted: Acted | None = None
    failed = ""
    try:
        acted = await (click(tab, target) if shift.act == "click" else dblclick(tab, target))
    except BrowserFailed as refused:
        failed = str(refused)
    told = await heard_in(tab)
    wrong = [entry for entry in told if entry[1] == "no"]
    clicks = [entry for entry in told if entry[:2] == ["click", "ok"]]
    if wrong:
        tally.wrong.append((shift, wrong))
    elif acted is not None and _is_wrongly_told(shift, acted, clicks):
        tally.lies.append((shift, acted.did))
    elif acted is None and clicks and "nothing was done" in failed:
        tally.lies.append((shift, failed))
    elif acted is None:
        tally.refused += 1
        tally.why.append((shift, failed))
    else:
        tally.right += 1


def _is_wrongly_told(shift: Shift, acted: Acted, clicks: list[list[Any]]) -> bool:
    wanted = 1 if shift.act == "click" else 2
    return ("clicked" in acted.did) != (len(clicks) >= wanted)
