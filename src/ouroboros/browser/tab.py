"""One tab: its facts, its frames, calls to it, and code that runs in it."""

import contextlib
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, override

import anyio
from msgspec import Raw, Struct

from ouroboros.browser import evaluate
from ouroboros.browser.connection import CALL_SECONDS, Call, Caller, Connection
from ouroboros.browser.errors import (
    BrowserFailed,
    CallRefused,
    CallTimedOut,
    DialogOpen,
    TabCrashed,
    TabGone,
    a_dialog,
    busy,
    unopened,
)
from ouroboros.browser.frames import FrameMap, World
from ouroboros.browser.targets import Target
from ouroboros.core.limits import EXEC_CHARS, EXEC_IN_TAB_SECONDS
from ouroboros.safety.own_servers import REASON
from ouroboros.safety.pipeline.invisible import visible
from ouroboros.safety.sanitize import sanitized

NAVIGATION_SECONDS = 30.0
"""How long a page may take to begin to answer."""

ANNOUNCED_SECONDS = 10.0
STOP_SECONDS = 2.0
_SWAP_SECONDS, _SWAP_PAUSE_SECONDS = 2.0, 0.02

type TabStatus = Literal["loading", "complete", "crashed", "dialog", "closed"]
type WorldName = Literal["isolated", "main"]

_NO_SESSION = -32001
_BESIDE_THE_PAGE = ("Target.", "Browser.", "Page.handleJavaScriptDialog", "Page.close")
"""Calls that are answered while a dialog holds the page."""


class TabFacts(Struct, frozen=True, kw_only=True):
    """What code and people see of a tab.

    Attributes:
        id: ``tab_0``, ``tab_1``, in the order they were met; never used again.
        opener: The tab whose page opened it, empty otherwise.
        dialog: What an open dialog says of itself, such as ``confirm``; its words are page text.
    """

    id: str
    url: str
    title: str = ""
    status: TabStatus = "loading"
    favicon: str = ""
    opener: str = ""
    dialog: str = ""


class _Navigated(Struct, frozen=True, rename="camel"):
    frame_id: str
    loader_id: str = ""
    error_text: str = ""
    is_download: bool = False


class _Entry(Struct, frozen=True, rename="camel"):
    id: int
    url: str = ""


_LONGEST_TITLE = 1_000


def readable(text: str) -> str:
    """Words of a page on one line: no escape sequences, and nothing that hides or reorders letters."""
    text = text[:_LONGEST_TITLE]
    if not (text.isascii() and text.isprintable()):
        text, _ = visible(sanitized(text))
    return " ".join(text.split())


class _History(Struct, frozen=True, rename="camel"):
    current_index: int
    entries: tuple[_Entry, ...]


class Tab(Caller):
    """One page target and the sessions that speak to it; made by ``Tabs`` only.

    Attributes:
        session: Of the page itself; input and screenshots go there, whatever frame they are for.
        frames: Which frame lives where.
        gestures: By frame, in which document code of ours last counted as a person's, and when.
        bars: Whether nothing may be done in it while it shows an address.
        before: Awaited before it is taken to an address, such as to give it the site's settings.
        pointed: Hears of every call to the page that code makes, so that people see where it acts.
        is_followed: The browser has told of a load that began or ended since we attached.
        is_eager: The browser takes presses and keys before it has drawn the page, as ours is told to.
        input: Held while one press or key is under way, so that its guard is not another's.
        is_leaving: We ourselves are taking it to another page, so nobody need be asked.
    """

    def __init__(
        self, connection: Connection, id: str, target: Target, changed: Callable[["Tab"], None]
    ) -> None:
        """``changed`` is called after every change of its facts."""
        self.connection = connection
        self.id, self.target, self.session = id, target.id, target.session
        self.context = target.context
        self.frames = FrameMap(connection, target.id)
        self.url, self.title, self.favicon, self.opener = target.url, target.title, "", ""
        self.is_loading, self.is_crashed, self.is_closed = True, False, False
        self.is_followed, self.is_leaving, self.is_eager = False, False, True
        self.gestures: dict[str, tuple[str, float]] = {}
        self.before: Callable[[Tab, str], Awaitable[None]] | None = None
        self.pointed: Callable[[Tab, str, dict[str, Any]], None] | None = None
        self.bars: Callable[[str], bool] = lambda _: False
        self.moved, self.input = anyio.Event(), anyio.Lock()
        self._changed = changed
        self._dialog = ""

    @property
    def title(self) -> str:
        """What the page calls itself, without signs that a reader or a terminal would take for more."""
        return self._title

    @title.setter
    def title(self, text: str) -> None:
        self._title = readable(text)

    @property
    def facts(self) -> TabFacts:
        """What is true of it now."""
        return TabFacts(
            id=self.id,
            url=self.url,
            title=self.title,
            status=self.status,
            favicon=self.favicon,
            opener=self.opener,
            dialog=self._dialog,
        )

    @property
    def status(self) -> TabStatus:
        """The one word for its state."""
        if self.is_closed:
            return "closed"
        if self.is_crashed:
            return "crashed"
        if self._dialog:
            return "dialog"
        return "loading" if self.is_loading else "complete"

    @property
    def dialog(self) -> str:
        """The kind of the dialog that holds the page; empty when none does."""
        return self._dialog

    @dialog.setter
    def dialog(self, kind: str) -> None:
        """A kind fails every call to the page that waits, and those to come, until it is empty."""
        if kind == self._dialog:
            return
        self._dialog = kind
        if kind:
            for session in self.sessions:
                self.connection.break_off(session, self._held)
        self.tell()

    @property
    def sessions(self) -> frozenset[str]:
        """The page's own and those of its frames in other processes."""
        return frozenset({self.session, *(frame.session for frame in self.frames)})

    def tell(self) -> None:
        """Lets those who listen know that the facts have changed."""
        moved, self.moved = self.moved, anyio.Event()
        moved.set()
        self._changed(self)

    @override
    async def call(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        session: str = "",
        timeout_seconds: float = CALL_SECONDS,
    ) -> Raw:
        """One call to the page, or to the frame whose ``session`` is given.

        Raises:
            DialogOpen: A dialog holds the page, or came while the call was under way.
            TabCrashed: Its process died.
            TabGone: It was closed.
            BrowserFailed: As ``Connection.call``.
        """
        self.check(method)
        if self.pointed is not None:
            self.pointed(self, method, params or {})
        try:
            return await self.connection.call(
                method, params, session=session or self.session, timeout_seconds=timeout_seconds
            )
        except CallRefused as refused:
            raise self._told(refused, session) from refused
        except CallTimedOut as late:
            raise busy(self.id, late, method) from late

    async def call_many(
        self, calls: Sequence[Call], *, session: str = "", timeout_seconds: float = CALL_SECONDS
    ) -> list[Raw]:
        """Several calls at once, in order, then all their results; raises as ``call`` does."""
        for method, params in calls:
            self.check(method)
            if self.pointed is not None:
                self.pointed(self, method, params)
        try:
            return await self.connection.call_many(
                calls, session=session or self.session, timeout_seconds=timeout_seconds
            )
        except CallRefused as refused:
            raise self._told(refused, session) from refused
        except CallTimedOut as late:
            raise busy(self.id, late, calls[0][0]) from late

    async def world(self, frame: str = "") -> World:
        """Our isolated world in a frame, which the page's scripts can neither see nor change.

        Raises:
            PageChanged: There is no such frame, or it was left meanwhile.
            BrowserFailed: As ``call``.
        """
        method = "Page.createIsolatedWorld"
        self.check(method)
        try:
            return await self.frames.world(frame)
        except CallTimedOut as late:
            raise busy(self.id, late, method) from late

    async def evaluate(
        self,
        code: str,
        *,
        world: WorldName = "isolated",
        frame: str = "",
        timeout_seconds: float = EXEC_IN_TAB_SECONDS,
        limit: int = EXEC_CHARS,
    ) -> bytes:
        """The JSON of what ``code`` comes to in the page; promises are awaited, functions called.

        More than ``limit`` characters become ``{__truncated, originalLength, data}``, cut in the page.

        Raises:
            BrowserFailed: The code threw, took too long, or came to nothing that can be told.
        """
        order = evaluate.Order(
            code=code, world=world, frame=frame, timeout_seconds=timeout_seconds, limit=limit
        )
        return await evaluate.evaluated(self, order)

    async def navigate(self, url: str, *, timeout_seconds: float = NAVIGATION_SECONDS) -> None:
        """Goes to ``url`` and returns when the new page has begun.

        Raises:
            BrowserFailed: It cannot be reached; the words are the browser's, such as net::ERR_....
            CallTimedOut: Nothing came in time; the tab stays where it was.
        """
        if self.before is not None and not self.is_crashed:
            await self.before(self, url)
        self.is_crashed = False
        params, before = {"url": url}, self._loader()
        try:
            with self._leaving():
                went = await self.ask(
                    _Navigated, "Page.navigate", params, timeout_seconds=timeout_seconds
                )
        except CallTimedOut as late:
            with contextlib.suppress(BrowserFailed):
                await self.call("Page.stopLoading", timeout_seconds=STOP_SECONDS)
            raise CallTimedOut(
                f"{self.id}: {url} did not begin to answer within {timeout_seconds:g} s"
            ) from late
        if went.error_text and not went.is_download:
            raise unopened(self.id, url, went.error_text)
        if went.loader_id and not went.is_download:
            # The answer may come before the happening that tells of the new page.
            with contextlib.suppress(CallTimedOut):
                await self.until(lambda: self._loader() != before, ANNOUNCED_SECONDS, "")

    async def travel(self, steps: int, *, timeout_seconds: float = NAVIGATION_SECONDS) -> bool:
        """Goes back (-1) or forward (1) in its history; False when there is nothing there."""
        history = await self._visited()
        index = history.current_index + steps
        if not 0 <= index < len(history.entries):
            return False
        params = {"entryId": history.entries[index].id}
        # An entry may have the address of the one before it, and a kept page its old loader.
        await self._leave(
            "Page.navigateToHistoryEntry", params, timeout_seconds, lambda: self.frames.moves
        )
        return True

    async def _visited(self) -> "_History":
        """Its history; for a moment, while one page takes another's place, the browser has none."""
        with anyio.move_on_after(_SWAP_SECONDS):
            while True:
                try:
                    return await self.ask(_History, "Page.getNavigationHistory")
                except CallRefused as refused:
                    if "active page" not in str(refused):
                        raise
                await anyio.sleep(_SWAP_PAUSE_SECONDS)
        return await self.ask(_History, "Page.getNavigationHistory")

    async def reload(self, *, timeout_seconds: float = NAVIGATION_SECONDS) -> None:
        """Loads its page again and returns when the new one has begun."""
        self.is_crashed = False
        await self._leave("Page.reload", {}, timeout_seconds, self._loader)

    async def until(self, holds: Callable[[], bool], timeout_seconds: float, words: str) -> None:
        """Waits until ``holds``, looking after every change of its facts.

        Raises:
            CallTimedOut: It did not in time; ``words`` say what was waited for.
            TabCrashed: Its process died meanwhile.
            TabGone: It was closed meanwhile.
        """
        with anyio.move_on_after(timeout_seconds):
            while True:
                moved = self.moved
                if holds():
                    return
                self.check("")
                await moved.wait()
        raise CallTimedOut(f"{self.id}: {words} within {timeout_seconds:g} s")

    def check(self, method: str) -> None:
        """Says at once why a call to the page cannot be made; ``""`` asks for the tab alone.

        Raises:
            TabGone: It was closed.
            TabCrashed: Its process died.
            DialogOpen: A dialog holds the page.
            BrowserFailed: It shows a page that is the person's alone.
        """
        if self.is_closed:
            raise self._gone(method)
        if self.bars(self.url):
            raise BrowserFailed(f"{self.id} is not for you: {REASON}", hint="use another tab")
        if self.is_crashed and method not in {"Page.navigate", "Page.reload"}:
            raise self._crashed(method)
        if self._dialog and method and not method.startswith(_BESIDE_THE_PAGE):
            raise self._held(method)

    def close_down(self) -> None:
        """It is gone: what waits for it fails."""
        self.is_closed, self._dialog = True, ""
        for session in self.sessions:
            self.connection.break_off(session, self._gone)
        self.tell()

    def crash(self) -> None:
        """Its process died: what waits for it fails."""
        self.is_crashed, self._dialog, self.is_loading = True, "", False
        for session in self.sessions:
            self.connection.break_off(session, self._crashed)
        self.tell()

    async def _leave(
        self,
        method: str,
        params: dict[str, Any],
        timeout_seconds: float,
        sign: Callable[[], object],
    ) -> None:
        """Returns when ``sign`` is another; the address is none, it is told before the page is there."""
        before = sign()
        with self._leaving():
            await self.call(method, params)
            words = "the page did not begin to answer"
            await self.until(lambda: sign() != before, timeout_seconds, words)

    @contextmanager
    def _leaving(self) -> Generator[None]:
        self.is_leaving = True
        try:
            yield
        finally:
            self.is_leaving = False

    def _told(self, refused: CallRefused, session: str) -> BrowserFailed:
        is_gone = refused.code == _NO_SESSION and session in {"", self.session}
        return self._gone("") if is_gone else refused

    def _loader(self) -> str:
        top = self.frames.frames.get(self.frames.top)
        return top.loader if top is not None else ""

    def _held(self, method: str) -> BrowserFailed:
        return DialogOpen(
            f"{self.id}: {a_dialog(self._dialog)} is open, so nothing in the page runs",
            hint="answer it with answerDialog, or close the tab",
        )

    def _crashed(self, method: str) -> BrowserFailed:
        return TabCrashed(
            f"{self.id}: the page's process died", hint="reload or navigate to go on in this tab"
        )

    def _gone(self, method: str) -> BrowserFailed:
        return TabGone(f"{self.id} was closed")
