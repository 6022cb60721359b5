"""What page functions work on: a browser, the person's folders, and who must hear of what is read."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from ouroboros.browser.tabs import Tab, TabFacts, Tabs
from ouroboros.core.parts import Text
from ouroboros.tools.tool import Effect, Result

type Admit = Callable[[Effect], Awaitable[None]]

type Target = str | dict[str, object]
"""A selector, or a handle that a look has given."""


class Browser(Protocol):
    """Where tabs come from; started by the first call that needs it."""

    async def tabs(self) -> Tabs: ...


class Watch(Protocol):
    """Hears what a session reads and where it goes; whether it carries page data is its business."""

    async def looked(self, tab: TabFacts) -> None:
        """Content of this tab goes to the session's code now; what must hold from then on holds."""
        ...

    async def opening(self, url: str, admit: Admit) -> None:
        """A place is about to be opened; raises ``Denied`` when that may not be."""
        ...

    def opened(self, tab: str) -> None:
        """The session has opened this tab itself."""
        ...


class Unwatched:
    """Nobody listens and everything may be opened."""

    async def looked(self, tab: TabFacts) -> None:
        """Ignores it."""

    async def opening(self, url: str, admit: Admit) -> None:
        """Lets it be."""

    def opened(self, tab: str) -> None:
        """Ignores it."""


class Place:
    """The browser of one session, seen by its page functions."""

    def __init__(
        self,
        browser: Browser,
        *,
        watch: Watch | None = None,
        risks: frozenset[str] = frozenset({"submit", "payment", "upload", "download"}),
        folders: tuple[Path, ...] = (),
    ) -> None:
        """Starts nothing.

        Args:
            browser: Where tabs come from.
            watch: Hears of what is read and opened.
            risks: Which acts the person wants to be asked about.
            folders: Where files may be uploaded from.
        """
        self.browser, self.watch = browser, watch or Unwatched()
        self.risks, self.folders = risks, folders
        self._known: Tabs | None = None

    async def tabs(self) -> Tabs:
        """All tabs; starts the browser if need be."""
        self._known = await self.browser.tabs()
        return self._known

    async def tab(self, id: str) -> Tab:
        """The tab of this name; raises ``TabGone``."""
        return (await self.tabs()).tab(id)

    def facts(self, id: str) -> TabFacts | None:
        """What is known of a tab without asking the browser."""
        tabs = self._known.all() if self._known is not None else ()
        return next((facts for facts in tabs if facts.id == id), None)

    def url(self, id: str) -> str:
        """Where a tab is, as far as is known."""
        facts = self.facts(id)
        return facts.url if facts is not None else ""

    async def looked(self, id: str) -> None:
        """Tells the watch that content of this tab goes to code."""
        facts = self.facts(id)
        if facts is not None:
            await self.watch.looked(facts)


def answer(value: bytes, said: str) -> Result:
    """JSON for code; the record says ``said`` and the size only."""
    return Result(value=value, parts=(Text(text=f"{said}: {len(value)} bytes"),))


def done(said: str, value: object = None) -> Result:
    """A small value for code, and one line for the record."""
    return Result(value=msgspec.json.encode(value), parts=(Text(text=said),))


class InTab(Struct, frozen=True, kw_only=True):
    """What nearly every page function is told first."""

    tab: str
