"""One press that its element gets, or nobody: armed right before it, judged as it comes, told after it."""

import msgspec
from msgspec import Struct

from ouroboros.browser.errors import DialogOpen, PageChanged
from ouroboros.browser.frames import World
from ouroboros.browser.input_guard import InputGuard
from ouroboros.browser.page.aim import After, Aimed, Watch, after
from ouroboros.browser.page.door import ask_in, frame_of
from ouroboros.browser.tab import Tab


class _Armed(Struct, frozen=True, kw_only=True):
    moved: bool = False
    cover: str = ""


class Press:
    """Arms the guards of all frames for a press on what was aimed at; use it while ``tab.input`` is held."""

    def __init__(self, tab: Tab, world: World, aimed: Aimed) -> None:
        """Does nothing yet."""
        self._tab, self._world, self._aimed = tab, world, aimed
        self._guard: InputGuard | None = InputGuard(tab, "press")

    async def arm(self) -> str:
        """What is by now where the element was; empty when the press may be made.

        Raises:
            PageChanged: The frame of the element was left.
        """
        aimed, guard = self._aimed, self._guard
        assert guard is not None
        frame = self._world.frame
        if aimed.holder:
            frame = await frame_of(self._tab, self._world, aimed.holder)
        await guard.arm(frame)
        if self._tab.frames.find(self._world.frame).loader != self._world.loader:
            raise PageChanged(
                f"{self._tab.id}: the page was left before {aimed.what} could be pressed"
            )
        wanted = {
            "node": aimed.node,
            "spot": aimed.spot,
            "at": aimed.at,
            "meaning": aimed.meaning,
        }
        armed = msgspec.json.decode(
            await ask_in(self._tab, self._world, "arm", wanted), type=_Armed
        )
        return (armed.cover or "something else") if armed.moved else ""

    async def told(self, watch: Watch, *, click: bool) -> After | None:
        """What really received it; None when the page was left or stands still."""
        guard, self._guard = self._guard, None
        assert guard is not None
        wanted = {"node": self._aimed.node, "click": click}
        try:
            stray = await guard.disarm()
            seen = await after(self._tab, self._world, "released", wanted, watch)
        except DialogOpen:
            return None
        if seen is not None and seen.hit is None and stray:
            return msgspec.structs.replace(seen, hit=False, cover=stray)
        return seen

    def let_go(self) -> None:
        """Disarms what ``told`` was not asked for, without waiting."""
        if self._guard is not None:
            self._guard.let_go()
            self._guard = None
