"""What page functions work on: a browser, and who must hear of what is read and opened."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.tabs import Tab, TabFacts, Tabs
from ouroboros.core.parts import Text
from ouroboros.tools.tool import Effect, Result

type Admit = Callable[[Effect], Awaitable[None]]

type Target = str | dict[str, Any]
"""A selector, or a handle that a look has given."""

type FrameName = str | int | None
"""Number, name, id or part of the address of a frame; None for the page itself."""

RISKS = frozenset({"submit", "payment", "upload", "download", "cross-site-post"})
_SCHEMES = frozenset({"http", "https", "about", "data", "blob", "file", "view-source"})


class Browser(Protocol):
    """Where tabs come from; started by the first call that needs it."""

    async def tabs(self) -> Tabs: ...


class Watch(Protocol):
    """Hears what a session reads and where it goes; what comes of it is the session's business."""

    async def looked(self, tab: TabFacts) -> None:
        """Content of this tab, all its frames, goes to the session's code when this returns."""
        ...

    async def opening(self, url: str, admit: Admit) -> None:
        """An address is about to be opened; raises ``Denied`` when that may not be."""
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


class Pages:
    """The browser of one session, as its page functions see it."""

    def __init__(
        self,
        browser: Browser,
        *,
        watch: Watch | None = None,
        risks: frozenset[str] = RISKS,
        folders: tuple[Path, ...] = (),
        artifacts: Path | None = None,
    ) -> None:
        """Starts nothing.

        Args:
            browser: Where tabs come from.
            watch: Hears of what is read and opened.
            risks: Which acts the person wants to be asked about.
            folders: Where files may be uploaded from.
            artifacts: Where screenshots and downloads go.
        """
        self.browser, self.watch = browser, watch or Unwatched()
        self.risks, self.folders, self.artifacts = risks, folders, artifacts
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

    async def opening(self, url: str, admit: Admit) -> None:
        """Before ``url`` is opened: it must be an address, and the watch must let it pass.

        Raises:
            BrowserFailed: It is no address that can be opened.
            Denied: It may not be opened.
        """
        scheme = url.partition(":")[0].strip().lower()
        if scheme == "javascript":
            raise BrowserFailed("javascript: is not opened; run the code with execInTab")
        if scheme not in _SCHEMES:
            hint = f"write the whole address, such as https://{url}"
            raise BrowserFailed(f"{url[:200]!r} is not an address that can be opened", hint=hint)
        await self.watch.opening(url, admit)

    async def looked(self, id: str) -> None:
        """Tells the watch that content of this tab goes to code; a tab that is gone gave none."""
        if self._known is not None and self.facts(id) is not None:
            await self.watch.looked(self._known.tab(id))


def answer(value: bytes, said: str) -> Result:
    """JSON for code; the record says ``said`` and the size only."""
    return Result(value=value, parts=(Text(text=f"{said}: {len(value)} bytes"),))


def done(said: str, value: object = None) -> Result:
    """A small value for code, and one line for the record."""
    return Result(value=msgspec.json.encode(value), parts=(Text(text=said),))


class InTab(Struct, frozen=True, kw_only=True):
    """What nearly every page function is told first."""

    tab: str
