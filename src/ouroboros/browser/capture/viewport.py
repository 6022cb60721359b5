"""The size a page believes its window to have."""

from ouroboros.browser.errors import CannotAct
from ouroboros.browser.tabs import Tab

SMALLEST, LARGEST = 100, 8_000


async def set_viewport(
    tab: Tab, width: int, height: int, *, scale: float = 1.0, mobile: bool = False
) -> None:
    """Gives a tab's page another size in CSS pixels; ``scale`` is that of its screen.

    Raises:
        CannotAct: No window has such a size.
    """
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST and 0.25 <= scale <= 4):
        raise CannotAct(
            f"a viewport is {SMALLEST} to {LARGEST} pixels wide and high, its scale 0.25 to 4"
        )
    await tab.call(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile},
    )


async def reset_viewport(tab: Tab) -> None:
    """Gives it back the size of its window."""
    await tab.call("Emulation.clearDeviceMetricsOverride")
