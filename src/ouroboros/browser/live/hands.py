"""What a person does in pages, carried out in the order they did it, without waiting for slow pages to say so."""

from collections import deque
from collections.abc import Callable

import anyio
from anyio.abc import TaskGroup

from ouroboros.browser.capture.casting import Casts
from ouroboros.browser.connection import Call
from ouroboros.browser.errors import BrowserFailed, CannotAct, DialogOpen
from ouroboros.browser.live.clipboard import copied, pasted
from ouroboros.browser.live.input import Compose, Input, Insert, Key, Mouse, Touch, Wheel, calls
from ouroboros.browser.live.messages import Clipboard, Copy, Done, Paste, Refused, Told
from ouroboros.browser.tab import Tab
from ouroboros.core.errors import Misuse

WAITING = 512
"""Things that may wait while a page takes its time."""

UNDER_WAY = 16
"""Events that may be on their way into pages."""

SECONDS = 15.0
"""How long a page may take to hear of one; what it does about it is not waited for."""

type Deed = Mouse | Wheel | Touch | Key | Insert | Compose | Paste | Copy
"""What a person does in a page."""


class Hands:
    """Those of one person; ``work`` must be going on in a task."""

    def __init__(self, casts: Casts, tasks: TaskGroup, say: Callable[[Told], None]) -> None:
        """``say`` tells what was copied and what failed; ``tasks`` end with the person's window."""
        self._casts, self._tasks, self._say = casts, tasks, say
        self._waiting: deque[tuple[Tab, Deed]] = deque()
        self._came = anyio.Event()
        self._places = anyio.CapacityLimiter(UNDER_WAY)
        self._under_way = 0
        self._idle = anyio.Event()

    def put(self, tab: Tab, did: Deed) -> None:
        """Takes one; of mouse moves that still wait the last one counts.

        Raises:
            Misuse: Too much waits.
        """
        if self._waiting and _is_replaced(self._waiting[-1], tab, did):
            self._waiting[-1] = (tab, did)
            return
        if len(self._waiting) >= WAITING:
            raise Misuse(f"{tab.id} takes its time, and too much waits to be done in it")
        self._waiting.append((tab, did))
        self._came.set()

    async def work(self) -> None:
        """Carries out what comes, until it is cancelled."""
        while True:
            await self._came.wait()
            self._came = anyio.Event()
            while self._waiting:
                tab, did = self._waiting.popleft()
                match did:
                    case Paste() | Copy():
                        await self._quiet()
                        await self._carry(tab, did)
                    case _:
                        await self._begin(tab, did)

    async def _begin(self, tab: Tab, did: Input) -> None:
        """Sends an event on its way, after those before it."""
        cast = self._casts.known(tab.id)
        try:
            tab.check("Input.")
            if cast is None or cast.tab is not tab or cast.shape is None:
                raise CannotAct(f"{tab.id} is not in view")
        except BrowserFailed as failed:
            self._fail("", failed)
            return
        token = object()
        await self._places.acquire_on_behalf_of(token)
        self._under_way += 1
        self._tasks.start_soon(self._send, tab, calls(did, cast.shape), token)

    async def _send(self, tab: Tab, events: list[Call], token: object) -> None:
        try:
            # Not by the tab's own way in, which tells where the agent acts.
            await tab.connection.call_many(events, session=tab.session, timeout_seconds=SECONDS)
        except DialogOpen:
            return  # it did open one, and that is told by itself
        except BrowserFailed as failed:
            self._fail("", failed)
        finally:
            self._places.release_on_behalf_of(token)
            self._under_way -= 1
            if not self._under_way:
                self._idle.set()

    async def _quiet(self) -> None:
        """Returns when the pages have heard of everything before."""
        while self._under_way:
            self._idle = anyio.Event()
            await self._idle.wait()

    async def _carry(self, tab: Tab, did: Paste | Copy) -> None:
        try:
            tab.check("Input.")
            match did:
                case Paste(text=text, id=id):
                    await pasted(tab, text)
                    if id:
                        self._say(Done(id=id))
                case Copy(cut=cut, id=id):
                    self._say(Clipboard(id=id, text=await copied(tab, cut=cut)))
        except BrowserFailed as failed:
            self._fail(did.id, failed)

    def _fail(self, id: str, failed: BrowserFailed) -> None:
        self._say(Refused(id=id, error=failed.message, hint=failed.hint))


def _is_replaced(last: tuple[Tab, Deed], tab: Tab, did: Deed) -> bool:
    """Whether a move is followed by another one of the same mouse. Pure."""
    there, before = last
    if there is not tab or not isinstance(before, Mouse) or not isinstance(did, Mouse):
        return False
    return before.what == did.what == "move" and before.buttons == did.buttons
