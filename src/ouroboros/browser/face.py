"""Title and icon of a page, which no happening announces."""

import msgspec
from msgspec import Struct

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.tab import Tab

FACE_SECONDS = 2.0
_FACE = (
    "({title: document.title.slice(0, 1000), icon: (document.querySelector('link[rel~=icon i]')?.href"
    " ?? (location.protocol.startsWith('http') ? location.origin + '/favicon.ico' : '')).slice(0, 2000)})"
)


class Face(Struct, frozen=True):
    """What a tab strip shows; both are the page's words."""

    title: str = ""
    icon: str = ""


async def face_of(tab: Tab) -> Face | None:
    """Asks the page; None when it does not answer."""
    try:
        found = await tab.evaluate(_FACE, timeout_seconds=FACE_SECONDS)
        return msgspec.json.decode(found, type=Face)
    except (BrowserFailed, msgspec.MsgspecError):
        return None
