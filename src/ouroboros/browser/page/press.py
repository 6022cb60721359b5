"""One input that its element gets, or nobody: armed right before it, judged as it comes, told after it."""

import msgspec
from msgspec import Struct

from ouroboros.browser.errors import DialogOpen, PageChanged
from ouroboros.browser.frames import World
from ouroboros.browser.input_guard import InputGuard, Kind
from ouroboros.browser.page.aim import After, Aimed, Watch, after
from ouroboros.browser.page.door import ask_in, frame_of
from ouroboros.browser.tab import Tab


class _Armed(Struct, frozen=True, kw_only=True):
    moved: bool = False
    cover: str = ""


class GuardedInput:
    """Arms the guards of all frames for one input to an element; used while ``tab.input`` is held."""

    def __init__(self, tab: Tab, world: World, node: int, *, holder: int = 0) -> None:
        """Does nothing yet; ``holder`` is the frame of the same origin that the element lies in."""
        self._tab, self._world, self._node, self._holder = tab, world, node, holder
        self._guard: InputGuard | None = None

    async def arm(self, kind: Kind, operation: str, **wanted: object) -> bytes:
        """Arms all frames, the element's own by an operation of the library; its answer.

        Raises:
            PageChanged: The frame of the element was left.
        """
        tab, world = self._tab, self._world
        frame = world.frame
        if self._holder:
            frame = await frame_of(tab, world, self._holder)
        self._guard = InputGuard(tab, kind)
        await self._guard.arm(frame)
        if tab.frames.find(world.frame).loader != world.loader:
            raise PageChanged(f"{tab.id}: the page was left before anything was done to it")
        return await ask_in(tab, world, operation, {"node": self._node, **wanted})

    @property
    def is_late(self) -> bool:
        """Whether a frame's own listeners may hear an input before ours can keep it from them."""
        return self._guard is not None and self._guard.is_late

    async def again(self, operation: str, **wanted: object) -> bytes:
        """Asks the element's own frame once more; the others stay armed."""
        return await ask_in(self._tab, self._world, operation, {"node": self._node, **wanted})

    async def told(self, operation: str, watch: Watch, **wanted: object) -> After | None:
        """What really received it, by an operation of the library; None when the page was left or stands still."""
        try:
            stray = await self.disarm()
            asked = {"node": self._node, **wanted}
            seen = await after(self._tab, self._world, operation, asked, watch)
        except DialogOpen:
            return None
        if seen is not None and stray:
            hit = False if seen.hit is None else seen.hit
            return msgspec.structs.replace(
                seen, hit=hit, missed=seen.missed + 1, cover=seen.cover or stray
            )
        return seen

    async def disarm(self) -> str:
        """Disarms the other frames; what of them would have received the input."""
        guard, self._guard = self._guard, None
        return await guard.disarm() if guard is not None else ""

    def let_go(self) -> None:
        """Disarms what ``told`` was not asked for, without waiting."""
        if self._guard is not None:
            self._guard.let_go()
            self._guard = None


async def arm_press(press: GuardedInput, aimed: Aimed, *, drag: bool = False) -> str:
    """Arms for a press on what was aimed at; what is there by now instead, empty when it may be made.

    Raises:
        PageChanged: The frame of the element was left.
    """
    return _cover(await press.arm("press", "arm", **_wanted(aimed, drag=drag)))


async def arm_again(press: GuardedInput, aimed: Aimed) -> str:
    """As ``arm_press``, once the mouse is there and before the press itself."""
    return _cover(await press.again("arm", **_wanted(aimed)))


def _wanted(aimed: Aimed, *, drag: bool = False) -> dict[str, object]:
    return {"spot": aimed.spot, "at": aimed.at, "meaning": aimed.meaning, "drag": drag}


def _cover(answer: bytes) -> str:
    armed = msgspec.json.decode(answer, type=_Armed)
    return (armed.cover or "something else") if armed.moved else ""
