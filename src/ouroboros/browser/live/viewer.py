"""What one viewer is sent: news in order, and of pictures the newest only, as fast as it takes them."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress

import anyio
from anyio.abc import TaskGroup

from ouroboros.browser.capture.casting import Cast, Casts, Frame, Looker, Size
from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.live.messages import Point, Told, View, picture, told
from ouroboros.browser.tabs import Tabs

AHEAD = 2
"""Pictures that may be under way to a viewer."""

ANSWERS = 256
"""Answers that may wait; a viewer that lets more wait is cut off."""

_POINTS = 32
_SMALL = 640


class TooSlow(Exception):
    """The viewer does not read."""


class _Sight:
    """One tab in view."""

    __slots__ = ("cast", "due", "frame", "is_hungry", "looker", "view")

    def __init__(self, view: View, take: Callable[[Frame], None]) -> None:
        self.view = view
        self.looker = Looker(_size(view), take)
        self.cast: Cast | None = None
        self.frame: Frame | None = None
        self.due, self.is_hungry = 0.0, False


def _size(view: View) -> Size:
    quality = 60 if view.width >= _SMALL else 50
    return Size(width=view.width, height=view.height, quality=quality)


class Viewer:
    """One window of a person's; ``next`` gives what it is to be sent."""

    def __init__(
        self, id: str, casts: Casts, tasks: TaskGroup, state: Callable[[str, str], Told]
    ) -> None:
        """``state`` words what there is to say of a tab to this viewer; ``tasks`` end with it."""
        self.id = id
        self._casts, self._tasks, self._state = casts, tasks, state
        self._sights: dict[str, _Sight] = {}
        self._answers: deque[Told] = deque()
        self._points: deque[Point] = deque(maxlen=_POINTS)
        self._moved: dict[str, None] = {}
        self._going: list[_Sight] = []
        self._unseen, self._is_cut = 0, False
        self._changed = anyio.Event()
        self._settling = anyio.Lock()  # a view that goes and one that comes must not cross

    def say(self, message: Told) -> None:
        """Sends this, after what waits; one that lets too much wait is cut off."""
        self._is_cut = self._is_cut or len(self._answers) >= ANSWERS
        if not self._is_cut:
            self._answers.append(message)
        self._wake()

    def note(self, tab: str) -> None:
        """Something about a tab is different; its newest state is told once."""
        self._moved[tab] = None
        self._wake()

    def point(self, tab: str, what: str, x: float, y: float) -> None:
        """The agent acts at this place of a page, in CSS pixels; told where the tab is in view."""
        sight = self._sights.get(tab)
        shape = sight.cast.shape if sight is not None and sight.cast is not None else None
        if shape is None or not shape.width or not shape.height:
            return
        place = (round(x / shape.width, 4), round((y + shape.top) / shape.height, 4))
        self._points.append(Point(tab=tab, what=what, x=place[0], y=place[1]))
        self._wake()

    def seen(self, count: int) -> None:
        """So many pictures have arrived."""
        self._unseen = max(0, self._unseen - count)
        self._wake()

    def sees(self, tab: str) -> bool:
        """Whether the tab is in its view."""
        return tab in self._sights

    def watch(self, views: tuple[View, ...]) -> None:
        """These tabs are in view from now on, and no others; ``settle`` brings it about."""
        wanted = {view.tab: view for view in views}
        for tab in tuple(self._sights):
            if tab not in wanted:
                self._going.append(self._sights.pop(tab))
        for tab, view in wanted.items():
            sight = self._sights.setdefault(tab, _Sight(view, self._take))
            sight.view, sight.looker.size = view, _size(view)

    async def settle(self, tabs: Tabs | None) -> None:
        """Looks at what is in view by now: tabs come, go, crash, and come back. Never raises."""
        async with self._settling:
            while self._going:
                await self._leave(self._going.pop())
            open_ = {facts.id: facts for facts in tabs.all()} if tabs is not None else {}
            for name, sight in tuple(self._sights.items()):
                facts = open_.get(name)
                is_there = facts is not None and facts.status != "crashed"
                cast = self._casts.of(tabs.tab(name)) if tabs is not None and is_there else None
                if cast is not sight.cast:
                    await self._leave(sight)
                if cast is not None:
                    # A tab that goes meanwhile is told of by its state.
                    with suppress(BrowserFailed):
                        await cast.join(sight.looker)
                        sight.cast = cast
        self._wake()

    async def _leave(self, sight: _Sight) -> None:
        cast, sight.cast = sight.cast, None
        if cast is not None:
            await cast.leave(sight.looker)

    async def close(self) -> None:
        """Looks no more."""
        self._going += self._sights.values()
        self._sights.clear()
        await self.settle(None)

    async def next(self) -> str | bytes:
        """What is to be sent next: JSON, or a picture.

        Raises:
            TooSlow: It has not read for too long.
        """
        while not self._is_cut:
            self._changed = anyio.Event()
            now = anyio.current_time()
            news = self._news()
            found = told(news) if news is not None else self._picture(now)
            if found is not None:
                return found
            with anyio.move_on_after(self._until(now)):
                await self._changed.wait()
        raise TooSlow(self.id)

    def _news(self) -> Told | None:
        if self._answers:
            return self._answers.popleft()
        if self._moved:
            tab = next(iter(self._moved))
            del self._moved[tab]
            return self._state(tab, self.id)
        return self._points.popleft() if self._points else None

    def _picture(self, now: float) -> bytes | None:
        """The picture that has waited longest, as far as more may be under way."""
        if self._unseen >= AHEAD:
            return None
        due = [sight for sight in self._sights.values() if sight.due <= now]
        for sight in due:
            self._feed(sight)
        ready = [sight for sight in due if sight.frame is not None]
        if not ready:
            return None
        first = min(ready, key=lambda sight: sight.due)
        frame, first.frame = first.frame, None
        first.due, first.is_hungry = now + 1 / first.view.rate, True
        self._unseen += 1
        return picture(frame) if frame is not None else None

    def _feed(self, sight: _Sight) -> None:
        """Asks for one more, once for each that was taken."""
        if not sight.is_hungry or sight.cast is None:
            return
        sight.is_hungry = False
        if sight.cast.want():
            self._tasks.start_soon(sight.cast.freshen)

    def _until(self, now: float) -> float | None:
        """Seconds until something is due without anything happening; None while nothing is."""
        if self._unseen >= AHEAD:
            return None
        waiting = [
            sight.due - now
            for sight in self._sights.values()
            if (sight.frame is not None or sight.is_hungry) and sight.cast is not None
        ]
        return max(0.0, min(waiting)) if waiting else None

    def _take(self, frame: Frame) -> None:
        sight = self._sights.get(frame.tab)
        if sight is not None:
            sight.frame = frame
            self._wake()

    def _wake(self) -> None:
        self._changed.set()
