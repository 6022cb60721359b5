"""Messages over the pipe of a browser that we started; no port is open for others to find."""

from collections import deque

from ouroboros.browser.wire import Frames
from ouroboros.safety.companion import Companion, CompanionGone


class Pipe:
    """The channel to a companion that was started with ``--remote-debugging-pipe``."""

    def __init__(self, companion: Companion) -> None:
        """The companion must be running."""
        self._companion = companion
        self._frames = Frames()
        self._ready: deque[bytes] = deque()

    async def send(self, message: bytes) -> None:
        """Sends one message; raises ``ConnectionError`` when nobody listens."""
        try:
            await self._companion.send(message + b"\0")
        except CompanionGone as gone:
            raise ConnectionError("the browser does not listen any more") from gone

    async def receive(self) -> bytes:
        """The next message; raises ``ConnectionError`` after the last."""
        while not self._ready:
            piece = await self._companion.receive()
            if not piece:
                raise ConnectionError("the browser has ended")
            self._ready.extend(self._frames.feed(piece))
        return self._ready.popleft()
