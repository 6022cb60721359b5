"""What page functions work on: a browser, and who must hear of what is read and opened."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec
from msgspec import Struct

from ouroboros.browser.capture.screenshots import Screenshots
from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.guard.policy import check_address
from ouroboros.browser.log.console import ConsoleLog
from ouroboros.browser.log.network import NetworkLog
from ouroboros.browser.prompts.dialogs import Dialogs
from ouroboros.browser.recovery import Recovery
from ouroboros.browser.tabs import Tab, TabFacts, Tabs
from ouroboros.browser.transfer.artifacts import Artifacts
from ouroboros.browser.transfer.downloads import Downloads
from ouroboros.browser.transfer.uploads import Uploads
from ouroboros.core.parts import Text
from ouroboros.tools.tool import Effect, Result

type Admit = Callable[[Effect], Awaitable[None]]

RISKS = frozenset({"submit", "payment", "upload", "download", "cross-site-post"})


class Browser(Protocol):
    """Where tabs come from; started by the first call that needs it."""

    async def tabs(self) -> Tabs: ...

    async def recover(self) -> Recovery:
        """Brings a browser that is gone back, with its tabs; raises ``BrowserFailed``."""
        ...


class Watch(Protocol):
    """Hears what a session reads and where it goes; what comes of it is the session's business."""

    async def looked(self, tab: TabFacts) -> None:
        """Content of this tab goes to the session's code when this returns."""
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


async def _untouched(tab: str, frame: str) -> None:
    del tab, frame


async def _free(tab: str, acts: bool) -> None:
    del tab, acts


class Parts(Struct, frozen=True, kw_only=True):
    """What watches the browser besides; a function whose part is not here says so.

    Attributes:
        touch: Awaited before code runs in a tab, or in one frame of it.
        turn: Awaited before a function looks or acts in a tab, which a person may be driving.
    """

    dialogs: Dialogs | None = None
    downloads: Downloads | None = None
    uploads: Uploads | None = None
    artifacts: Artifacts | None = None
    screenshots: Screenshots | None = None
    console: ConsoleLog | None = None
    network: NetworkLog | None = None
    touch: Callable[[str, str], Awaitable[None]] = _untouched
    turn: Callable[[str, bool], Awaitable[None]] = _free


class Pages:
    """The browser of one session, as its page functions see it."""

    def __init__(
        self,
        browser: Browser,
        *,
        watch: Watch | None = None,
        risks: frozenset[str] = RISKS,
        parts: Parts | None = None,
    ) -> None:
        """Starts nothing.

        Args:
            browser: Where tabs come from.
            watch: Hears of what is read and opened.
            risks: Which acts the person wants to be asked about.
            parts: What answers dialogs, keeps downloads and so on.
        """
        self.browser, self.watch = browser, watch or Unwatched()
        self.risks, self.parts = risks, parts or Parts()
        self.downloads_seen = 0
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
            CannotAct: It is no address that code may open.
            Denied: It may not be opened.
        """
        check_address(url)
        await self.watch.opening(url, admit)

    async def looked(self, id: str) -> None:
        """Tells the watch that content of this tab goes to code; a tab that is gone gave none."""
        facts = self.facts(id)
        if facts is not None:
            await self.watch.looked(facts)


def part[Part](found: Part | None, what: str) -> Part:
    """A part that must be there.

    Raises:
        BrowserFailed: This session has none.
    """
    if found is None:
        raise BrowserFailed(f"{what} are not to be had in this session")
    return found


def answer(value: bytes, said: str) -> Result:
    """JSON for code; the record says ``said`` and the size only."""
    return Result(value=value, parts=(Text(text=f"{said}: {len(value)} bytes"),))


def done(said: str, value: object = None) -> Result:
    """A small value for code, and one line for the record."""
    return Result(value=msgspec.json.encode(value), parts=(Text(text=said),))


class InTab(Struct, frozen=True, kw_only=True):
    """What nearly every page function is told first."""

    tab: str
