"""One connection to a browser: calls with deadlines, answers by number, happenings to listeners.

Sessions are flat: a call names the session of its target, and a happening says whose it is. Source:
https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-attachToTarget
"""

from collections.abc import Callable
from typing import Any, Protocol

import anyio
import msgspec
from msgspec import Raw

from ouroboros.browser import wire
from ouroboros.browser.errors import BrowserGone, CallRefused, CallTimedOut
from ouroboros.browser.wire import Incoming

CALL_SECONDS = 30.0
"""How long one call may take when its caller does not say."""

type Listener = Callable[[Incoming], None]


class Channel(Protocol):
    """Whole messages there and back; both raise ``ConnectionError`` once it is lost."""

    async def send(self, message: bytes) -> None: ...
    async def receive(self) -> bytes: ...


class _Waiting:
    """One call under way."""

    __slots__ = ("answer", "done")

    def __init__(self) -> None:
        self.done = anyio.Event()
        self.answer: Incoming | None = None


class Connection:
    """Calls and listens over one channel; ``run`` must be going on in a task of the owner's group.

    Listeners are called in order, on the event loop, and must not block.
    """

    def __init__(self, channel: Channel) -> None:
        """``channel`` must be open."""
        self._channel = channel
        self._last = 0
        self._waiting: dict[int, _Waiting] = {}
        self._listeners: dict[str, list[Listener]] = {}
        self.lost = anyio.Event()

    async def run(self) -> None:
        """Reads until the channel is lost; then every call that waits fails with ``BrowserGone``."""
        try:
            while True:
                self._take(wire.incoming(await self._channel.receive()))
        except ConnectionError:
            pass
        finally:
            self.lost.set()
            for waiting in self._waiting.values():
                waiting.done.set()
            self._waiting.clear()

    async def call(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        session: str = "",
        timeout_seconds: float = CALL_SECONDS,
    ) -> Raw:
        """Makes one call and gives its result, still encoded.

        Raises:
            CallRefused: The browser said no.
            CallTimedOut: There was no answer in time.
            BrowserGone: The connection is lost; whether the call took effect is unknown.
        """
        if self.lost.is_set():
            raise BrowserGone("the browser is gone; recover it to go on")
        self._last += 1
        number, waiting = self._last, _Waiting()
        self._waiting[number] = waiting
        try:
            with anyio.fail_after(timeout_seconds):
                await self._channel.send(wire.command(number, method, params or {}, session))
                await waiting.done.wait()
        except TimeoutError as late:
            raise CallTimedOut(f"{method} was not answered in {timeout_seconds:g} s") from late
        except ConnectionError as gone:
            raise BrowserGone(f"the browser was lost before {method} could be sent") from gone
        finally:
            self._waiting.pop(number, None)
        if waiting.answer is None:
            raise BrowserGone(f"the browser was lost during {method}")
        if waiting.answer.error is not None:
            fault = waiting.answer.error
            raise CallRefused(f"{method}: {fault.message} {fault.data}".strip(), code=fault.code)
        return waiting.answer.result

    async def ask[Body](
        self,
        kind: type[Body],
        method: str,
        params: dict[str, Any] | None = None,
        *,
        session: str = "",
        timeout_seconds: float = CALL_SECONDS,
    ) -> Body:
        """Makes one call and reads its result as ``kind``; raises as ``call`` does."""
        result = await self.call(method, params, session=session, timeout_seconds=timeout_seconds)
        return msgspec.json.decode(result, type=kind)

    def listen(self, method: str, listener: Listener) -> Callable[[], None]:
        """Hands every happening of this name to ``listener``, until what is given back is called."""
        self._listeners.setdefault(method, []).append(listener)
        return lambda: self._listeners[method].remove(listener)

    def _take(self, message: Incoming) -> None:
        if message.id is not None:
            waiting = self._waiting.get(message.id)
            if waiting is not None:
                waiting.answer = message
                waiting.done.set()
            return
        for listener in tuple(self._listeners.get(message.method, ())):
            listener(message)
