"""The size a page believes its window to have."""

from contextlib import suppress

import anyio
import msgspec

from ouroboros.browser.errors import BrowserFailed, CannotAct
from ouroboros.browser.tabs import Tab

SMALLEST, LARGEST = 100, 8_000

SETTLE_SECONDS = 5.0
"""How long is waited for the page to have the size; a page that computes all the time gets it later."""

_PAUSE_SECONDS = 0.02
_FRAME_PIXELS = 32
_HAS_ITS_WINDOWS = f"outerWidth - innerWidth <= {_FRAME_PIXELS} && innerHeight <= outerHeight"


async def set_viewport(
    tab: Tab, width: int, height: int, *, scale: float = 1.0, mobile: bool = False
) -> None:
    """Gives a tab's page another size in CSS pixels and waits until it has it.

    ``scale`` is that of its screen. A page of a phone chooses its own ``innerWidth``.

    Raises:
        CannotAct: No window has such a size.
        BrowserFailed: As ``Tab.call``.
    """
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST and 0.25 <= scale <= 4):
        raise CannotAct(
            f"a viewport is {SMALLEST} to {LARGEST} pixels wide and high, its scale 0.25 to 4"
        )
    await tab.call(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile},
    )
    side = "outer" if mobile else "inner"
    await _settled(tab, f"{side}Width == {width} && {side}Height == {height}")


async def reset_viewport(tab: Tab) -> None:
    """Gives it back the size of its window, and waits until it has it; raises as ``Tab.call``."""
    await tab.call("Emulation.clearDeviceMetricsOverride")
    await _settled(tab, _HAS_ITS_WINDOWS)


async def _settled(tab: Tab, condition: str) -> None:
    """Waits for the condition in our own world, where the page's word for its size counts nothing."""
    with anyio.move_on_after(SETTLE_SECONDS), suppress(BrowserFailed):
        while True:
            world = await tab.world()
            told = await tab.call(
                "Runtime.evaluate",
                {"expression": condition, "contextId": world.context, "returnByValue": True},
                session=world.session,
                timeout_seconds=SETTLE_SECONDS,
            )
            if msgspec.json.decode(told, type=_Told).result.value:
                return
            await anyio.sleep(_PAUSE_SECONDS)


class _Value(msgspec.Struct, frozen=True):
    value: bool = False


class _Told(msgspec.Struct, frozen=True):
    result: _Value
