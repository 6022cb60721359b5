"""Keys and clicks after which the screen is at rest: all messages taken, all changes drawn.

The pilot of the library waits until the process has little to do, which on a busy machine it has at once.
"""

import asyncio
import itertools
import time
from collections.abc import Iterator
from typing import Any, cast

from textual.app import App
from textual.events import Key
from textual.keys import _character_to_key
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen

_SHORT_SECONDS, _PATIENCE_SECONDS = 0.2, 60.0
_ROUNDS = 3
"""What a message sets off in another loop comes within so many turns of this one."""


class Calm[Result](Pilot[Result]):
    """A pilot that waits for what it set off, however busy the machine is."""

    async def pause(self, delay: float | None = None) -> None:
        """Until the screen is at rest; or, with a delay, until all has been heard."""
        if delay is None:
            await rest(self.app)
        else:
            await super().pause(delay)

    async def press(self, *keys: str) -> None:
        """Presses keys, each once the screen has come to rest after the one before."""
        driver = self.app._driver
        assert driver is not None
        for each in keys:
            is_sign = len(each) == 1
            name = _character_to_key(each) if is_sign else each
            key = Key(name, each if is_sign else {"space": " "}.get(each))
            key.set_sender(self.app)
            driver.send_message(key)
            await rest(self.app, minds_timers=False)
        await rest(self.app)


async def rest[Result](app: App[Result], *, minds_timers: bool = True) -> None:
    """Waits until nobody has a message before them, no timer rings soon, and nothing is left to draw."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    calm = 0
    for turn in itertools.count():
        await asyncio.sleep(0 if turn % 20 else 0.001)
        if app._exception is not None or not app._running:
            return
        if any(_is_busy(each) or (minds_timers and _rings_soon(each)) for each in _pumps(app)):
            calm = 0
        elif _is_stale(app.screen):
            calm = 0
            app.screen._on_timer_update()
        else:
            calm += 1
        if calm == _ROUNDS:
            return
        assert time.monotonic() < deadline, [each for each in _pumps(app) if _is_busy(each)]


def _pumps[Result](app: App[Result]) -> Iterator[MessagePump]:
    yield app
    for screen in app.screen_stack:
        yield from screen.walk_children(with_self=True)


def _is_busy(pump: MessagePump) -> bool:
    """Whether it has something to do, or will in a moment."""
    if not pump._running or pump._closing or pump._closed:
        return False
    queue = pump._message_queue
    is_listening = not queue.values and any(not each.done() for each in queue.ready_event._waiters)
    return not is_listening or bool(pump._next_callbacks)


def _rings_soon(pump: MessagePump) -> bool:
    """Whether it has put something off for a moment."""
    tasks = (
        cast("Any", timer)._task
        for timer in pump._timers
        if timer._repeat == 0 and timer._interval <= _SHORT_SECONDS
    )
    return any(task is not None and not task.done() for task in tasks)


def _is_stale(screen: Screen[object]) -> bool:
    """Whether it does not show yet what it should."""
    return bool(
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
        or screen._callbacks
    )
