"""What of a page no happening announces: title, icon, and that it had loaded before we came."""

import msgspec
from msgspec import Struct

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.tab import Tab, readable

FACE_SECONDS = 2.0
SETTLE_SECONDS = 30.0
_ASKED_AGAIN = 4
_FACE = (
    "({title: document.title.slice(0, 1000), icon: (document.querySelector('link[rel~=icon i]')?.href"
    " ?? (location.protocol.startsWith('http') ? location.origin + '/favicon.ico' : '')).slice(0, 2000)})"
)
_LOADED = "document.readyState === 'complete' ? location.href : ''"


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


async def look_up(tab: Tab) -> None:
    """Takes up title and icon of a page that has loaded; a busy page is asked again."""
    face = await face_of(tab)
    for _ in range(_ASKED_AGAIN):
        if face is not None or tab.is_closed or tab.is_crashed:
            break
        face = await face_of(tab)
    if face is not None and (tab.title, tab.favicon) != (readable(face.title), face.icon):
        tab.title, tab.favicon = face.title, face.icon
        tab.tell()


async def settle(tab: Tab) -> None:
    """Asks a new tab whether it has loaded, for what ended before we attached is never told."""
    try:
        url = msgspec.json.decode(
            await tab.evaluate(_LOADED, timeout_seconds=SETTLE_SECONDS), type=str
        )
    except (BrowserFailed, msgspec.MsgspecError):
        return
    # A page that a script opened is blank until it goes where it is meant to go.
    if not url or tab.is_followed or (url == "about:blank" and tab.opener):
        return
    tab.is_loading = False
    tab.tell()
    await look_up(tab)
