"""Waiting for a page: until it has loaded, until its network is quiet; always with an end."""

import anyio
from msgspec import Struct

from ouroboros.browser.errors import CallTimedOut, DialogOpen
from ouroboros.browser.tab import Tab
from ouroboros.browser.wire import Incoming

LOAD_SECONDS = 30.0
IDLE_SECONDS = 0.5
NETWORK_SECONDS = 10.0

_BEGIN = "Network.requestWillBeSent"
_ENDS = ("Network.responseReceived", "Network.loadingFinished", "Network.loadingFailed")
_STIRS = (_BEGIN, *_ENDS, "Network.dataReceived")


class _Request(Struct, frozen=True, rename="camel"):
    request_id: str


async def wait_for_load(tab: Tab, *, timeout_seconds: float = LOAD_SECONDS) -> None:
    """Returns when the page and what belongs to it has loaded; at once when it has already.

    Raises:
        CallTimedOut: It did not in time; the tab goes on loading.
        TabCrashed: Its process died.
        TabGone: It was closed.
    """
    words = "the page did not finish loading (what is there can be read nevertheless)"
    await tab.until(lambda: tab.status == "complete", timeout_seconds, words)


async def _is_heard_out(tab: Tab) -> bool:
    """Once the page answers, all it did before has arrived; a page that is busy is not quiet."""
    try:
        await tab.call("Runtime.evaluate", {"expression": "0"}, timeout_seconds=NETWORK_SECONDS)
    except CallTimedOut:
        return False
    except DialogOpen:
        return True  # nothing runs in it
    return True


async def wait_for_network_idle(
    tab: Tab, *, idle_seconds: float = IDLE_SECONDS, timeout_seconds: float = NETWORK_SECONDS
) -> None:
    """Returns when nothing came and no request waited for its answer for ``idle_seconds``.

    A stream that stays open and says nothing counts as quiet. Requests that had begun before the
    wait count from what is kept of the page's happenings.

    Raises:
        CallTimedOut: The network was never that quiet.
        BrowserFailed: As ``Tab.call``.
    """
    open_requests: set[str] = set()
    stirred = anyio.Event()

    def take(happening: Incoming) -> None:
        nonlocal stirred
        request = happening.read(_Request).request_id
        if happening.method == _BEGIN:
            open_requests.add(request)
        elif happening.method in _ENDS:
            open_requests.discard(request)
        stirred.set()
        stirred = anyio.Event()

    for event in tab.connection.events(tab.session):
        if event.method in _STIRS:
            take(event)
    stops = [
        tab.connection.listen(method, take, session=session)
        for method in _STIRS
        for session in tab.sessions
    ]
    try:
        for session in tab.sessions:
            await tab.call("Network.enable", session=session)
        with anyio.move_on_after(timeout_seconds):
            while True:
                tab.check("")
                seen, moved = stirred, tab.moved
                with anyio.move_on_after(idle_seconds) as quiet:
                    await (seen if not tab.is_loading else moved).wait()
                is_quiet = quiet.cancelled_caught and not open_requests and not tab.is_loading
                if is_quiet and await _is_heard_out(tab) and seen is stirred:
                    return
    finally:
        for stop in stops:
            stop()
    raise CallTimedOut(
        f"{tab.id}: the network was not quiet for {idle_seconds:g} s within {timeout_seconds:g} s; "
        f"{len(open_requests)} requests wait for an answer"
    )
