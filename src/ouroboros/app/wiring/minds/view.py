"""The tabs of a browser as the mind that writes code is told of them."""

from collections.abc import Callable

from ouroboros.browser.differ import TabChange, changes
from ouroboros.browser.tabs import TabFacts, Tabs
from ouroboros.repl.getters import freshen
from ouroboros.repl.metadata import harmless
from ouroboros.rlm.context import Page
from ouroboros.safety.origins import origin_of

_CHANGE_CHARACTERS = 120


class View:
    """The tabs as the mind is told of them: counts, and what changed since it last looked."""

    def __init__(
        self,
        known: Callable[[], Tabs | None],
        news: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        """``known`` gives the tabs without starting a browser; ``news`` says who has driven them."""
        self._known, self._news = known, news
        self._seen: tuple[TabFacts, ...] = ()
        self.begin()

    async def told(self) -> tuple[str, ...]:
        """The origins of the titles and addresses that the next look tells, which are those of now."""
        tabs = self._known()
        await freshen(tabs)
        now = tabs.all() if tabs is not None else ()
        worded = {c.tab for c in changes(self._seen, now) if c.field in {"title", "url"}}
        found = (origin_of(facts.url) for facts in (*self._seen, *now) if facts.id in worded)
        return tuple(dict.fromkeys(filter(None, found)))

    def begin(self) -> None:
        """What is open by now is no change."""
        tabs = self._known()
        self._seen = tabs.all() if tabs is not None else ()

    def look(self) -> Page:
        """How the browser stands now."""
        tabs = self._known()
        now = tabs.all() if tabs is not None else ()
        told = tuple(map(_told, changes(self._seen, now)))
        self._seen, driven = now, self._news()
        return Page(
            tabs=len(now),
            active=tabs.active if tabs is not None else "",
            dialogs=tuple(f"{facts.id} {facts.dialog}" for facts in now if facts.dialog),
            changes=(*driven, *told),
            driven=driven,
        )


def _told(change: TabChange) -> str:
    """One change as a line; where a tab that is new or gone was is code's to ask."""
    if change.field in {"opened", "closed"}:
        return f"{change.tab} {change.field}"
    return f"{change.tab} {change.field}: {_short(change.old)} -> {_short(change.new)}"


def _short(text: str) -> str:
    return harmless(text, _CHANGE_CHARACTERS) or "-"
