"""One connection to a browser: calls with deadlines, answers by number, happenings to listeners.

Sessions are flat: a call names the session of its target, and a happening says whose it is. Source:
https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-attachToTarget
"""

import logging
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol, override

import anyio
import msgspec
from msgspec import Raw

from ouroboros.browser import wire
from ouroboros.browser.errors import BrowserFailed, BrowserGone, CallRefused, CallTimedOut
from ouroboros.browser.wire import Incoming
from ouroboros.core.errors import unwrapped

_log = logging.getLogger(__name__)

CALL_SECONDS = 30.0
"""How long one call may take when its caller does not say."""

KEPT_EVENTS = 500
"""Happenings kept of each session."""

KEPT_BYTES = 65_536
"""A happening larger than this is handed to listeners and not kept."""

NEVER_KEPT = frozenset({"Page.screencastFrame"})
"""Happenings that come many times a second and mean nothing later."""

type Listener = Callable[[Incoming], None]
type Call = tuple[str, dict[str, Any]]


class Channel(Protocol):
    """Whole messages there and back; both raise ``ConnectionError`` once it is lost.

    A ``send`` that is cancelled must leave the channel fit for the next one.
    """

    async def send(self, message: bytes) -> None: ...
    async def receive(self) -> bytes: ...


class _Waiting:
    """One call under way."""

    __slots__ = ("answer", "done", "failure", "method", "session")

    def __init__(self, method: str, session: str) -> None:
        self.method, self.session = method, session
        self.done = anyio.Event()
        self.answer: Incoming | None = None
        self.failure: Callable[[str], BrowserFailed] | None = None

    def result(self) -> Raw:
        if self.failure is not None:
            raise self.failure(self.method)
        if self.answer is None:
            raise unknown_effect(self.method)
        fault = self.answer.error
        if fault is not None:
            words = f"{self.method}: {fault.message} {fault.data}".strip()
            raise CallRefused(words, code=fault.code)
        return self.answer.result


class _Unharmed:
    """Whatever one listener dies of, the others and the reader go on."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, Exception):
            return False
        self.count += 1
        if not isinstance(error, msgspec.MsgspecError | LookupError | ValueError):
            _log.error("a listener to the browser failed", exc_info=error)
        return True


class Caller(Protocol):
    """What calls are made to: the browser, or one tab of it."""

    async def call(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        session: str = "",
        timeout_seconds: float = CALL_SECONDS,
    ) -> Raw:
        """Makes one call and gives its result, still encoded."""
        ...

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
        return read(kind, result, method)


class Connection(Caller):
    """Calls and listens over one channel; ``run`` must be going on in a task of the owner's group.

    Listeners are called in order, on the event loop, and must not block.
    """

    def __init__(self, channel: Channel) -> None:
        """``channel`` must be open."""
        self._channel = channel
        self._last = 0
        self._waiting: dict[int, _Waiting] = {}
        self._answered: dict[int, Callable[[], None]] = {}
        self._listeners: dict[str, list[tuple[str | None, Listener]]] = {}
        self._kept: dict[str, deque[Incoming]] = {}
        self._posts: deque[bytes] = deque()
        self._posted = anyio.Event()
        self.lost = anyio.Event()
        self.why_lost = ""
        self._unharmed = _Unharmed()
        self._garbled = 0

    @property
    def garbled(self) -> int:
        """How many messages could not be made sense of."""
        return self._garbled + self._unharmed.count

    async def run(self) -> None:
        """Reads until the channel is lost; then every call that waits fails with ``BrowserGone``."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._send_posts)
                await self._receive()
                tasks.cancel_scope.cancel()
        finally:
            self.lost.set()
            for waiting in self._waiting.values():
                waiting.done.set()
            self._waiting.clear()
            self._answered.clear()

    @override
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
        self._check()
        self._last = number = self._last + 1
        waiting = self._waiting[number] = _Waiting(method, session)
        try:
            with anyio.fail_after(timeout_seconds):
                await self._channel.send(wire.command(number, method, params or {}, session))
                await waiting.done.wait()
        except TimeoutError as late:
            raise _late(method, timeout_seconds) from late
        except ConnectionError as gone:
            raise _unsent(method, gone) from gone
        finally:
            self._waiting.pop(number, None)
        return waiting.result()

    async def call_many(
        self, calls: Sequence[Call], *, session: str = "", timeout_seconds: float = CALL_SECONDS
    ) -> list[Raw]:
        """Sends several calls at once, in order, then waits for all; raises as ``call`` does.

        The first failure is raised; the later calls were made nevertheless.
        """
        self._check()
        first = self._last + 1
        begun = [_Waiting(method, session) for method, _ in calls]
        self._last += len(begun)
        numbers = range(first, first + len(begun))
        self._waiting.update(zip(numbers, begun, strict=True))
        waiting = begun[0] if begun else None
        try:
            with anyio.fail_after(timeout_seconds):
                for number, (method, params) in zip(numbers, calls, strict=True):
                    await self._channel.send(wire.command(number, method, params, session))
                for waiting in begun:
                    await waiting.done.wait()
        except TimeoutError as late:
            raise _late(waiting.method if waiting is not None else "", timeout_seconds) from late
        except ConnectionError as gone:
            raise _unsent(calls[0][0], gone) from gone
        finally:
            for number in numbers:
                self._waiting.pop(number, None)
        return [waiting.result() for waiting in begun]

    def post(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        session: str = "",
        answered: Callable[[], None] | None = None,
    ) -> None:
        """Makes a call that nobody waits for; it goes out soon, after earlier posts.

        ``answered`` is called on the event loop when the browser has done or refused it; must not block.
        """
        if not self.lost.is_set():
            self._last += 1
            if answered is not None:
                self._answered[self._last] = answered
            self._posts.append(wire.command(self._last, method, params or {}, session))
            self._posted.set()

    def listen(
        self, method: str, listener: Listener, *, session: str | None = None
    ) -> Callable[[], None]:
        """Hands happenings of this name to ``listener``, until what is given back is called.

        Args:
            method: Such as ``Page.loadEventFired``.
            listener: Called on the event loop with each; must not block.
            session: Only those of this session; None for all.
        """
        entry = (session, listener)
        listeners = self._listeners.setdefault(method, [])
        listeners.append(entry)

        def stop() -> None:
            if entry in listeners:
                listeners.remove(entry)

        return stop

    def events(self, session: str, method: str = "") -> tuple[Incoming, ...]:
        """The last happenings of a session, oldest first: at most ``KEPT_EVENTS``."""
        kept = self._kept.get(session, ())
        return tuple(event for event in kept if not method or event.method == method)

    def break_off(self, session: str, failure: Callable[[str], BrowserFailed]) -> None:
        """Fails every call of a session that waits; ``failure`` makes the error from its method."""
        for waiting in self._waiting.values():
            if waiting.session == session and not waiting.done.is_set():
                waiting.failure = failure
                waiting.done.set()

    def forget(self, session: str) -> None:
        """Lets go of what was kept of a session that has ended."""
        self._kept.pop(session, None)

    def _check(self) -> None:
        if self.lost.is_set():
            raise BrowserGone("the browser is gone", hint="recover the browser to go on")

    async def _receive(self) -> None:
        try:
            while True:
                message = await self._channel.receive()
                try:
                    self._take(wire.incoming(message))
                except msgspec.MsgspecError:
                    self._garbled += 1
        except ConnectionError as gone:
            self.why_lost = str(gone)

    async def _send_posts(self) -> None:
        try:
            while True:
                await self._posted.wait()
                self._posted = anyio.Event()
                while self._posts:
                    await self._channel.send(self._posts.popleft())
        except ConnectionError:
            return  # the reader notices too, and ends the run

    def _take(self, message: Incoming) -> None:
        if message.id is not None:
            if (answered := self._answered.pop(message.id, None)) is not None:
                answered()
            waiting = self._waiting.get(message.id)
            if waiting is not None and not waiting.done.is_set():
                waiting.answer = message
                waiting.done.set()
            return
        if len(message.params) <= KEPT_BYTES and message.method not in NEVER_KEPT:
            kept = self._kept.get(message.session)
            if kept is None:
                kept = self._kept[message.session] = deque(maxlen=KEPT_EVENTS)
            kept.append(message)
        for session, listener in tuple(self._listeners.get(message.method, ())):
            if session is None or session == message.session:
                with self._unharmed:
                    listener(message)


_LOOK_FIRST = "recover the browser, then look before you repeat anything"


def _late(method: str, seconds: float) -> CallTimedOut:
    return CallTimedOut(f"{method} was not answered in {seconds:g} s")


def _unsent(method: str, gone: ConnectionError) -> BrowserGone:
    # An action is often several calls, so what came before this one may have done something.
    return BrowserGone(
        f"the browser was lost before {method} was sent: {gone}",
        hint=_LOOK_FIRST,
    )


def unknown_effect(method: str) -> BrowserGone:
    """The browser was lost once this was sent."""
    return BrowserGone(
        f"the browser was lost during {method}; whether it took effect is unknown",
        hint=_LOOK_FIRST,
    )


def read[Body](kind: type[Body], result: Raw, method: str) -> Body:
    """A result as ``kind``.

    Raises:
        CallRefused: It is of another shape, which a browser of another age may send.
    """
    try:
        return msgspec.json.decode(result, type=kind)
    except msgspec.MsgspecError as odd:
        raise CallRefused(f"{method}: an answer of another shape: {odd}") from odd


@asynccontextmanager
async def connected(channel: Channel) -> AsyncGenerator[Connection]:
    """A connection that is read from as long as the block goes on."""
    connection = Connection(channel)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(connection.run)
            yield connection
            tasks.cancel_scope.cancel()
    except ExceptionGroup as group:
        raise unwrapped(group) from group
