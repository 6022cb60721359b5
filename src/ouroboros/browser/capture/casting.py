"""Moving pictures of tabs: one screencast a tab for all who look, as fast as the quickest of them takes them.

Chromium has few frames under way and draws nothing for the others, the last one included; so where some
were left out, the cast is begun again once the page is quiet. Source:
https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-startScreencast
"""

import base64
import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
from msgspec import Struct

from ouroboros.browser.errors import BrowserFailed, CallRefused
from ouroboros.browser.tab import Tab
from ouroboros.browser.wire import Incoming

QUIET_SECONDS = 0.15
"""Without a frame for so long, what was left out is asked for."""

CALL_SECONDS = 10.0
_LEAVING_SECONDS = 5.0
_FEW, _USUAL = 2, 3
"""Frames that may be under way before any is left out: at least, and in the Chromium of today."""

_DRAWN_SECONDS = 0.35
"""From when a frame is drawn until it is here, and more."""

_SWAP_SECONDS, _SWAP_PAUSE_SECONDS = 2.0, 0.02

_log = logging.getLogger(__name__)


class Shape(Struct, frozen=True, kw_only=True):
    """What a frame shows of its page, in CSS pixels; ``top`` is taken by a bar of the browser's own."""

    width: float
    height: float
    top: float = 0.0


class Frame(Struct, frozen=True, kw_only=True):
    """One picture of a tab; ``number`` grows with each of its cast."""

    tab: str
    number: int
    shape: Shape
    data: bytes


class Size(Struct, frozen=True, kw_only=True):
    """The most pixels that a looker can use, and how good they have to be (1 to 100)."""

    width: int
    height: int
    quality: int = 60


class _Metadata(Struct, frozen=True, rename="camel"):
    device_width: float = 0
    device_height: float = 0
    offset_top: float = 0


class _Shown(Struct, frozen=True, rename="camel"):
    data: str
    metadata: _Metadata
    session_id: int


class Looker:
    """One who looks at a tab; ``take`` must not block. Those without one only keep the tab drawing."""

    def __init__(self, size: Size, take: Callable[[Frame], None] | None = None) -> None:
        """Looks nowhere yet."""
        self.size, self.take = size, take


class Cast:
    """The screencast of one tab, which runs as long as anybody looks."""

    def __init__(self, tab: Tab) -> None:
        """Starts nothing."""
        self.tab = tab
        self.shape: Shape | None = None
        """Of the last frame."""
        self.frames = 0
        self._lookers: dict[Looker, Size] = {}
        self._running: dict[str, Any] | None = None
        self._lock = anyio.Lock()  # two who come at once must not both start it
        self._last: Frame | None = None
        self._owed: deque[int] = deque()
        self._coming: deque[int] = deque()
        """Frames that were let go of, and the browser has not heard so yet."""
        self._lately: deque[float] = deque()
        self._most, self._is_behind = _FEW, False
        self._is_freshening = False
        self._stop: Callable[[], None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether the browser draws for it now."""
        return self._running is not None

    async def join(self, looker: Looker) -> None:
        """Shows frames to a looker, from the first one on; a second call takes up another size of it.

        Raises:
            BrowserFailed: The tab cannot be shown: it was closed, or its process died.
        """
        is_new = looker not in self._lookers
        self._lookers[looker] = looker.size
        goes_on = self._last if is_new else None
        await self._settle()
        if goes_on is not None and goes_on is self._last and looker.take is not None:
            looker.take(goes_on)  # a page that stands still draws no other one

    async def leave(self, looker: Looker) -> None:
        """Shows it nothing more; who looked alone ends the cast. Never raises."""
        if self._lookers.pop(looker, None) is None:
            return
        with anyio.move_on_after(_LEAVING_SECONDS, shield=True):
            try:
                await self._settle()
            except BrowserFailed:
                self._over()

    def want(self) -> bool:
        """A looker wants one more frame; true when the page may have drawn some that were left out.

        Then somebody has to await ``freshen``; one is enough for all.
        """
        if self._owed:
            number = self._owed.popleft()
            self._coming.append(number)
            self.tab.connection.post(
                "Page.screencastFrameAck",
                {"sessionId": number},
                session=self.tab.session,
                answered=partial(self._heard_of, self._coming),
            )
        return self._is_behind and not self._is_freshening

    def _heard_of(self, coming: deque[int]) -> None:
        coming.popleft()
        if coming is self._coming:
            self._lately.append(anyio.current_time())

    async def freshen(self) -> None:
        """Once no frame comes any more, has the page drawn again if some were left out. Never raises."""
        self._is_freshening, before = True, -1
        try:
            while before != self.frames and self._running is not None:
                before = self.frames
                await anyio.sleep(QUIET_SECONDS)
        finally:
            self._is_freshening = False
        if self._is_behind and self._running is not None:
            await self.again()

    async def again(self) -> None:
        """Begins the cast anew, such as after a crash, which ends it without a word. Never raises."""
        if not self._lookers:
            return
        try:
            async with self._lock:
                await self._end()
                await self._begin()
        except BrowserFailed as failed:
            _log.debug("%s is not shown: %s", self.tab.id, failed)

    async def _settle(self) -> None:
        async with self._lock:
            wanted = self._parameters()
            if wanted == self._running:
                return
            await self._end()
            await self._begin()

    def _parameters(self) -> dict[str, Any] | None:
        sizes = self._lookers.values()
        if not sizes:
            return None
        return {
            "format": "jpeg",
            "quality": max(size.quality for size in sizes),
            "maxWidth": max(size.width for size in sizes),
            "maxHeight": max(size.height for size in sizes),
        }

    async def _begin(self) -> None:
        wanted = self._parameters()
        if wanted is None:
            return
        listen = self.tab.connection.listen
        self._stop = listen("Page.screencastFrame", self._hear, session=self.tab.session)
        self._running = wanted
        try:
            await self._start(wanted)
        except BaseException:
            self._over()
            raise

    async def _start(self, wanted: dict[str, Any]) -> None:
        """Begins it; for a moment, while one page takes another's place, the browser has none to show."""
        until = anyio.current_time() + _SWAP_SECONDS
        while True:
            try:
                await self._call("Page.startScreencast", wanted)
                return
            except CallRefused:
                if anyio.current_time() >= until:
                    raise
            with suppress(CallRefused):  # one that a crash has ended still counts as begun
                await self._call("Page.stopScreencast")
            await anyio.sleep(_SWAP_PAUSE_SECONDS)

    async def _end(self) -> None:
        if self._running is None:
            return
        self._over()
        with suppress(CallRefused):  # one that goes on all the same is met by the next start
            await self._call("Page.stopScreencast")

    async def _call(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Answered by the browser's own process: a dialog that holds the page does not matter."""
        await self.tab.connection.call(
            method, params, session=self.tab.session, timeout_seconds=CALL_SECONDS
        )

    def _over(self) -> None:
        self._running = self._last = None
        self._owed.clear()
        self._coming = deque()
        self._lately.clear()
        self._is_behind = False
        if self._stop is not None:
            self._stop()
            self._stop = None

    def _hear(self, happening: Incoming) -> None:
        shown = happening.read(_Shown)
        about = shown.metadata
        self.frames += 1
        self._owed.append(shown.session_id)
        under_way = len(self._owed) + len(self._coming)
        self._most = max(self._most, under_way)
        # One that was let go of a moment ago may have been under way when this one was drawn.
        while self._lately and self._lately[0] < anyio.current_time() - _DRAWN_SECONDS:
            self._lately.popleft()
        at_most = under_way + len(self._lately)
        self._is_behind = under_way >= self._most or at_most >= max(_USUAL, self._most)
        self.shape = Shape(
            width=about.device_width, height=about.device_height, top=about.offset_top
        )
        self._last = frame = Frame(
            tab=self.tab.id,
            number=self.frames,
            shape=self.shape,
            data=base64.b64decode(shown.data),
        )
        for looker in tuple(self._lookers):
            if looker.take is not None:
                looker.take(frame)


class Casts:
    """The casts of a browser's tabs."""

    def __init__(self) -> None:
        """There are none yet."""
        self._casts: dict[str, Cast] = {}

    def of(self, tab: Tab) -> Cast:
        """The cast of a tab; a browser that was started anew has another one under the same name."""
        known = self._casts.get(tab.id)
        if known is None or known.tab is not tab:
            known = self._casts[tab.id] = Cast(tab)
        return known

    def known(self, tab: str) -> Cast | None:
        """The cast of a tab of this name, if anybody has looked at it."""
        return self._casts.get(tab)

    def forget(self, tab: str) -> None:
        """A tab is gone."""
        self._casts.pop(tab, None)
