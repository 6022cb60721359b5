"""A person's window on the tabs: what they wish is heard here, what they are shown comes from ``next``."""

from collections.abc import Callable
from typing import NamedTuple

from anyio.abc import TaskGroup

from ouroboros.browser.live import doing
from ouroboros.browser.live import messages as ask
from ouroboros.browser.live.ground import Ground
from ouroboros.browser.live.hands import Deed, Hands
from ouroboros.browser.live.input import Compose, Insert, Key, Mouse, Touch, Wheel
from ouroboros.browser.live.viewer import Viewer
from ouroboros.core.errors import Misuse, OuroborosError

AT_ONCE = 16
"""Wishes that may be under way together, such as loading pages."""


class Every(NamedTuple):
    """Every open tab, and which is active."""

    tabs: tuple[ask.TabState, ...]
    active: str


class Window:
    """Made by ``Live.viewer`` only."""

    def __init__(
        self,
        ground: Ground,
        viewer: Viewer,
        tasks: TaskGroup,
        every: Callable[[], Every],
    ) -> None:
        """``every`` says which tabs there are; ``tasks`` end with the window."""
        self._ground, self._viewer, self._tasks, self._every = ground, viewer, tasks, every
        self._under_way = 0
        self._hands = Hands(ground.casts, tasks, viewer.say)
        tasks.start_soon(self._hands.work)

    async def next(self) -> str | bytes:
        """What is to be shown next: JSON, or a picture.

        Raises:
            TooSlow: The window has not been read from for too long.
        """
        return await self._viewer.next()

    def hear(self, message: str | bytes) -> None:
        """Takes one wish; what comes of it comes by ``next``."""
        try:
            wish = ask.wish(message)
        except ValueError as odd:
            self._refuse("", Misuse(f"not understood: {odd}"))
            return
        try:
            self._take(wish)
        except OuroborosError as failed:
            self._refuse(getattr(wish, "id", ""), failed)

    def _take(self, wish: ask.Wish) -> None:
        match wish:
            case Mouse() | Wheel() | Touch() | Key() | Insert() | Compose():
                self._do(wish)
            case ask.Paste() | ask.Copy():
                self._do(wish)
            case ask.Seen(count=count):
                self._viewer.seen(count)
            case ask.Watch(views=views):
                # Of a person's own browser only the tab they look at is drawn.
                self._viewer.watch(views[:1] if self._ground.is_theirs else views)
                self._tasks.start_soon(self._viewer.settle, self._ground.present.tabs)
            case ask.Take():
                tab = doing.tab_of(self._ground, wish.tab)
                self._ground.drivers.take(tab.id, self._viewer.id)
                self._done(wish.id)
            case ask.Give():
                tab = doing.tab_of(self._ground, wish.tab)
                self._ground.drivers.give(tab.id)
                self._done(wish.id)
            case ask.TabGetAll():
                tabs, active = self._every()
                self._done(wish.id, tabs=tabs, active=active)
            case ask.TabGetActive():
                self._done(wish.id, active=self._every().active)
            case _:
                self._begin(wish)

    def _do(self, wish: Deed) -> None:
        """Something done in a page; from then on the person drives it."""
        tab = doing.tab_of(self._ground, wish.tab)
        holder = self._ground.drivers.holder(tab.id)
        if holder != self._viewer.id:
            if _is_idle(wish):
                return
            if holder:
                raise Misuse(
                    f"{tab.id} is driven from another window", hint="take it over to go on here"
                )
            tab.check("Input.")
            self._ground.drivers.take(tab.id, self._viewer.id)
        self._hands.put(tab, wish)

    def _begin(self, wish: doing.Slow) -> None:
        if self._under_way >= AT_ONCE:
            raise Misuse("too much is under way; do it again in a moment")
        self._under_way += 1
        self._tasks.start_soon(self._carry_out, wish)

    async def _carry_out(self, wish: doing.Slow) -> None:
        try:
            opened = await doing.done(self._ground, wish, self._viewer.id)
            self._done(wish.id, tab=opened)
        except (OuroborosError, OSError) as failed:
            self._refuse(wish.id, failed)
        finally:
            self._under_way -= 1

    def _done(
        self,
        id: str,
        *,
        tab: str = "",
        tabs: tuple[ask.TabState, ...] | None = None,
        active: str | None = None,
    ) -> None:
        if id:
            self._viewer.say(ask.Done(id=id, tab=tab, tabs=tabs, active=active))

    def _refuse(self, id: str, failed: OuroborosError | OSError) -> None:
        hint = failed.hint if isinstance(failed, OuroborosError) else ""
        self._viewer.say(ask.Refused(id=id, error=str(failed), hint=hint))


def _is_idle(wish: Deed) -> bool:
    """A mouse that passes by, or a wheel, means no harm to who drives."""
    return isinstance(wish, Wheel) or (isinstance(wish, Mouse) and wish.what != "down")
