"""The live values of a REPL with a browser: ``tabs`` and ``activeTab``."""

from collections.abc import Callable

import msgspec

from ouroboros.browser.tabs import Tabs
from ouroboros.safety.origins import origin_of


class TabGetters:
    """What is open now, as JSON."""

    names = ("tabs", "activeTab")

    def __init__(self, known: Callable[[], Tabs | None]) -> None:
        """``known`` gives the tabs without starting a browser; None while there is none."""
        self._known = known

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
