"""The live values of a REPL with a browser: ``tabs`` and ``activeTab``."""

from collections.abc import Callable
from contextlib import suppress

import anyio
import msgspec

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.tabs import Tabs
from ouroboros.safety.origins import origin_of

_FRESH_SECONDS = 1.0


async def freshen(tabs: Tabs | None) -> None:
    """Takes up what pages changed without telling, such as titles; not of a browser that is slow or gone."""
    if tabs is not None:
        with anyio.move_on_after(_FRESH_SECONDS), suppress(BrowserFailed):
            await tabs.refresh()


class TabGetters:
    """What is open now, as JSON."""

    names = ("tabs", "activeTab")

    def __init__(self, known: Callable[[], Tabs | None]) -> None:
        """``known`` gives the tabs without starting a browser; None while there is none."""
        self._known = known

    async def freshen(self) -> None:
        """Makes the values those of now; asks the browser, and no page."""
        await freshen(self._known())

    def origins(self) -> tuple[str, ...]:
        """The places whose titles and addresses the values tell."""
        tabs = self._known()
        found = tabs.all() if tabs is not None else ()
        return tuple(dict.fromkeys(filter(None, (origin_of(facts.url) for facts in found))))

    def values(self) -> dict[str, bytes]:
        """Of both names."""
        tabs = self._known()
        if tabs is None:
            return {"tabs": b"[]", "activeTab": b'""'}
        return {
            "tabs": msgspec.json.encode(tabs.all()),
            "activeTab": msgspec.json.encode(tabs.active),
        }
