"""A command that may outlive the call that started it, and what it said since it was last read."""

import codecs
from collections import deque
from collections.abc import AsyncGenerator, Callable

import anyio
from msgspec import Struct

from ouroboros.safety.capture import Capture
from ouroboros.safety.sandbox import Confined
from ouroboros.safety.spawn import Process
from ouroboros.safety.terminal import Terminal
from ouroboros.tools.tool import Progress

AFTER_EXIT_SECONDS = 0.05
"""How long a call waits for the last words of a command that has ended."""

LOOK_SECONDS = 0.1
"""How exactly a pause is measured, and an end seen that closed nothing."""

PENDING_PIECES = 10_000
"""Pieces of output that wait to be shown; what comes beyond is only kept for the result."""


class Said(Struct, frozen=True, kw_only=True):
    """What a command said since the last reading: its text, and the size of all of it in bytes."""

    text: str
    size: int


class Running:
    """One command; ``pump`` reads it until its end."""

    def __init__(
        self,
        process: Process,
        confined: Confined,
        *,
        command: str,
        terminal: Terminal | None = None,
        is_beyond: bool = False,
    ) -> None:
        """Takes over a command that was just started; ``is_beyond`` the cage, by somebody's yes."""
        self.process, self.terminal, self.confined = process, terminal, confined
        self.command, self.is_beyond = command, is_beyond
        self.has_ended = False
        self._scope, self._gone = anyio.CancelScope(), anyio.Event()
        self._news = anyio.Event()
        self._capture = Capture()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._fresh: deque[str] = deque()
        self._listeners = 0

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        return self.process.exit_code

    async def pump(self) -> None:
        """Reads all that it says; at the end, or when stopped, nothing of it is left running."""
        try:
            with self._scope:
                while (piece := await self.process.read()) is not None:
                    self._take(piece.data)
                self._over()
        finally:
            with anyio.CancelScope(shield=True):
                await self.process.close(survivors=self.process.exit_code is not None)
            self._over()
            self._gone.set()

    def stop(self) -> None:
        """Ends it; ``pump`` returns when it is gone."""
        self._scope.cancel()

    async def end(self) -> None:
        """Ends it, and returns when it is gone."""
        self.stop()
        with anyio.CancelScope(shield=True):
            await self._gone.wait()

    async def follow(
        self, seconds: float, *, is_paused: Callable[[], bool]
    ) -> AsyncGenerator[Progress]:
        """What it says from now on, until it has ended, or the time is over.

        Args:
            seconds: The time; what passes while ``is_paused`` does not count.
            is_paused: Whether a person is being asked something.
        """
        deadline, ended_at = anyio.current_time() + seconds, None
        self._listeners += 1
        try:
            while True:
                while self._fresh:
                    yield Progress(text=self._fresh.popleft())
                now = anyio.current_time()
                if self.exit_code is not None:
                    ended_at = ended_at or now
                    deadline = min(deadline, ended_at + AFTER_EXIT_SECONDS)
                if self.has_ended or now >= deadline:
                    return
                await self._listen(min(deadline, now + LOOK_SECONDS))
                if is_paused():
                    deadline += anyio.current_time() - now
        finally:
            self._listeners -= 1
            self._fresh.clear()

    def taken(self) -> Said:
        """What it said since the last reading; head and tail of it, if it was much."""
        capture, self._capture = self._capture, Capture()
        return Said(text=capture.text(), size=capture.total)

    async def _listen(self, until: float) -> None:
        with anyio.CancelScope(deadline=until):
            await self._news.wait()

    def _take(self, data: bytes) -> None:
        self._capture.add(data)
        text = self._decoder.decode(data)
        if text and self._listeners and len(self._fresh) < PENDING_PIECES:
            self._fresh.append(text)
        self._tell()

    def _over(self) -> None:
        self.has_ended = True
        self._tell()

    def _tell(self) -> None:
        news, self._news = self._news, anyio.Event()
        news.set()
