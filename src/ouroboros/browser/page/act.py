"""Everything that can be done in a page, by one name each."""

from ouroboros.browser.page.aim import Acted, Aim, Aimable, aim
from ouroboros.browser.page.door import FrameName, Target
from ouroboros.browser.page.drag import drag
from ouroboros.browser.page.forms import FieldValue, check, fill, fill_one, select, uncheck
from ouroboros.browser.page.keyboard import clear, focus, key_press, type_text
from ouroboros.browser.page.mouse import Button, click, hover
from ouroboros.browser.page.scroll import Scrolled, scroll, wheel
from ouroboros.browser.tab import Tab

__all__ = [
    "Acted",
    "Aim",
    "Aimable",
    "Button",
    "FieldValue",
    "FrameName",
    "Scrolled",
    "Target",
    "aim",
    "check",
    "clear",
    "click",
    "dblclick",
    "drag",
    "fill",
    "fill_one",
    "focus",
    "hover",
    "key_press",
    "scroll",
    "select",
    "type_text",
    "uncheck",
    "wheel",
]


async def dblclick(tab: Tab, target: Aimable, *, frame: FrameName = None) -> Acted:
    """Two clicks that the page takes as one double click; raises as ``click``."""
    return await click(tab, target, count=2, frame=frame)
