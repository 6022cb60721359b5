"""What the code of one REPL may do, enforced before anybody is asked.

A root acts wherever the rules let it. A child acts in tabs that it opened, or that those opened, and
looks at the others.
"""

from collections.abc import Callable, Mapping

from ouroboros.browser.tabs import TabFacts
from ouroboros.core.errors import Denied
from ouroboros.repl.taint import Admit, Taint
from ouroboros.safety.origins import origin_of
from ouroboros.safety.rules.values import HARMLESS
from ouroboros.tools.tool import Effect

type Facts = Callable[[], tuple[TabFacts, ...]]


def no_tabs() -> tuple[TabFacts, ...]:
    """There is no browser."""
    return ()


class Capabilities:
    """The tabs of a REPL and the functions that are kept from it."""

    def __init__(
        self,
        *,
        is_child: bool = False,
        withheld: Mapping[str, str] | None = None,
        tabs: Facts = no_tabs,
    ) -> None:
        """Starts without a tab of its own.

        Args:
            is_child: It may act in its own tabs only.
            withheld: Functions that exist but answer with these words instead of doing anything.
            tabs: What is open now.
        """
        self.is_child, self.withheld = is_child, dict(withheld or {})
        self._tabs = tabs
        self._own: dict[str, None] = {}

    def opened(self, tab: str) -> None:
        """Its code has opened this tab."""
        self._own[tab] = None

    def own(self) -> tuple[str, ...]:
        """The tabs that its code has opened and those that their pages opened, which still exist."""
        facts = self._tabs()
        found = dict(self._own)
        for tab in facts:  # oldest first, so that an opener is known before what it opened
            if tab.opener in found:
                found[tab.id] = None
        return tuple(tab.id for tab in facts if tab.id in found)

    def check(self, name: str, effect: Effect, tab: str) -> None:
        """Raises ``Denied`` when this REPL may not do it."""
        if not self.is_child or effect.kind in HARMLESS:
            return
        if not tab:
            raise Denied(f"{name}: name the tab; only tabs that were opened here may be acted in")
        if tab not in self.own() and tab not in self._own:
            raise Denied(
                f"{name}: {tab} was not opened here; look at it, or open its address in a tab of "
                f"your own with openTab and act there"
            )


class Watcher:
    """Tells a REPL's taint and capabilities what its page functions do."""

    def __init__(self, taint: Taint, capabilities: Capabilities) -> None:
        """Both hear of it."""
        self._taint, self._capabilities = taint, capabilities

    async def looked(self, tab: TabFacts) -> None:
        """Content of this tab goes to code; from then on the browser asks before it sends."""
        if tab.url != "about:blank" or tab.opener:
            await self._taint.read(origin_of(tab.url) or tab.url[:80])

    async def opening(self, url: str, admit: Admit) -> None:
        """A place is about to be opened; raises ``Denied`` when it may not be."""
        await self._taint.opening(url, admit)

    def opened(self, tab: str) -> None:
        """The code has opened this tab."""
        self._capabilities.opened(tab)
