"""Waiting for an element or for words; a navigation in between does not end the wait."""

from typing import Literal, NamedTuple

import anyio
import msgspec
from msgspec import Struct

from ouroboros.browser.errors import CallTimedOut, PageChanged
from ouroboros.browser.page.closed import adopt_closed
from ouroboros.browser.page.door import ASK_SECONDS, FrameName, Missing, Target, ask, door
from ouroboros.browser.tab import Tab

type WaitState = Literal["visible", "attached", "hidden"]

ROUND_SECONDS = 5.0
"""How long the page is left to wait by itself before we look whether it is still the same."""

FIRST_ROUNDS = (0.25, 1.0)
"""Shorter ones: between two rounds closed shadow roots are looked for."""

PAUSE_SECONDS = 0.05
WAIT_SECONDS = 30.0


class _Waited(Struct, frozen=True):
    holds: bool


async def wait_for_selector(
    tab: Tab,
    selector: Target,
    timeout_seconds: float = WAIT_SECONDS,
    *,
    state: WaitState = "visible",
    frame: FrameName = None,
) -> None:
    """Returns when an element is there and shown, is there at all, or is not shown any more.

    Raises:
        CallTimedOut: That did not happen in time.
        CannotAct: The selector cannot be understood.
        DialogOpen: A dialog holds the page.
    """
    words = f"{selector!r} did not become {state}"
    await _wait(tab, _Wish(selector, frame, {"state": state}, words), timeout_seconds)


async def wait_for_text(
    tab: Tab,
    text: str,
    timeout_seconds: float = WAIT_SECONDS,
    *,
    selector: str = "",
    frame: FrameName = None,
) -> None:
    """Returns when the page, or what ``selector`` names, shows these words; raises as its sister."""
    words = f"the text {text[:80]!r} did not appear"
    await _wait(tab, _Wish(selector, frame, {"text": text}, words), timeout_seconds)


class _Wish(NamedTuple):
    target: Target
    frame: FrameName
    options: dict[str, str]
    words: str


async def _wait(tab: Tab, wish: _Wish, seconds: float) -> None:
    until = anyio.current_time() + max(seconds, 0.0)
    rounds = iter(FIRST_ROUNDS)
    while True:
        left = until - anyio.current_time()
        here = max(0.0, min(left, next(rounds, ROUND_SECONDS)))
        try:
            found = await ask(
                tab,
                "waiting",
                wish.target,
                frame=wish.frame,
                timeout_seconds=here + ASK_SECONDS,
                options={**wish.options, "ms": int(here * 1000)},
            )
            if msgspec.json.decode(found.value, type=_Waited).holds:
                return
            await adopt_closed(tab, found.world, door(found.world))
        except (PageChanged, Missing):
            if isinstance(wish.target, dict):
                raise
            await anyio.sleep(PAUSE_SECONDS)
        if left <= 0:
            raise CallTimedOut(f"{tab.id}: {wish.words} within {seconds:g} s")
