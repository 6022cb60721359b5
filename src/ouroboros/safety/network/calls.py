"""Which calls run commands that go out through the proxy, and which of them were refused something."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

import anyio


class Attendance:
    """One call while its command runs.

    Attributes:
        denied: Set when it wanted what it may not have; then the command is to be ended.
        reason: What that was.
    """

    def __init__(self, end: Callable[[], None] | None = None) -> None:
        """Nothing was refused yet; ``end`` is called when something is."""
        self.denied = anyio.Event()
        self.reason = ""
        self.end = end


class Calls:
    """The calls that run now, by their ids."""

    def __init__(self) -> None:
        """None runs; ``on_ended`` hears of each call of which nothing runs any more, in any thread."""
        self.on_ended: Callable[[str], None] = lambda call_id: None
        self._running: dict[str, Attendance] = {}
        self._living_on: dict[str, Callable[[], None]] = {}

    @contextmanager
    def attend(self, call_id: str, end: Callable[[], None] | None = None) -> Generator[Attendance]:
        """For as long as a call runs; ``end`` is called when it is refused something, once."""
        attendance = self._running[call_id] = Attendance(end)
        try:
            yield attendance
        finally:
            del self._running[call_id]
            if call_id not in self._living_on:
                self.on_ended(call_id)

    def live_on(self, call_id: str, end: Callable[[], None]) -> None:
        """The call has an answer, and its command runs on; ``end`` ends that."""
        self._living_on[call_id] = end

    def gone(self, call_id: str) -> None:
        """A command of the call has ended; from any thread."""
        self._living_on.pop(call_id, None)
        if call_id not in self._running:
            self.on_ended(call_id)

    @property
    def only(self) -> str:
        """The one call that runs, whose doing a contact must be; empty when there are none or more."""
        return next(iter(self._running)) if len(self._running) == 1 else ""

    def known(self, call_id: str) -> str:
        """The id, if such a call runs, or what it started does; else nothing."""
        return call_id if call_id in self._running or call_id in self._living_on else ""

    def blame(self, call_id: str, reason: str) -> None:
        """A call was refused something, or what it left running was; the first reason stays."""
        attendance = self._running.get(call_id)
        end = self._living_on.pop(call_id, None) if attendance is None else None
        if end is not None:
            end()
        if attendance is not None and not attendance.denied.is_set():
            attendance.reason = reason
            attendance.denied.set()
            if attendance.end is not None:
                attendance.end()
