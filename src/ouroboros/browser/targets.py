"""Everything in the browser that runs scripts: attached to as it starts, held until guards are set.

A target is found by its session or its id, never by its address: an iframe is announced without one.
Source: https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-setAutoAttach
"""

import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import anyio
from anyio.abc import TaskGroup
from msgspec import Struct

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.wire import Incoming

SET_UP_SECONDS = 15.0
"""How long a new target may be held while it is made ready."""

BIRTH_SECONDS = 0.02
CLOSING_AT_ONCE = 8
CLOSING_SECONDS = 5.0

_RUN = "Runtime.runIfWaitingForDebugger"

ATTACH: dict[str, Any] = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
"""Parameters of ``Target.setAutoAttach``, which is called in every session."""


class Target(Struct, frozen=True, kw_only=True):
    """One thing that runs scripts.

    Attributes:
        session: By which it is spoken to.
        id: The browser's name for it; of an iframe also that of its frame.
        type: ``page``, ``iframe``, ``worker``, ``service_worker``, ``shared_worker`` and others.
        parent: Session of the target that started it; empty for what the browser itself started.
        opener: Target id of the page that opened it.
        context: The browser context it belongs to: cookies and storage of its own.
        is_reachable: It and the page that opened it know each other, so they share a process.
    """

    session: str
    id: str
    type: str
    url: str = ""
    title: str = ""
    parent: str = ""
    opener: str = ""
    context: str = ""
    is_reachable: bool = False


type TargetHook = Callable[[Target], Awaitable[None]]
type Fate = Literal["adopt", "ignore", "close"]


class TargetInfo(Struct, frozen=True, rename="camel"):
    """A target as the browser tells of it."""

    target_id: str
    type: str = ""
    url: str = ""
    title: str = ""
    opener_id: str = ""
    browser_context_id: str = ""
    subtype: str = ""
    can_access_opener: bool = False


class Infos(Struct, frozen=True, rename="camel"):
    """What ``Target.getTargets`` answers."""

    target_infos: tuple[TargetInfo, ...]


class InfoChanged(Struct, frozen=True, rename="camel"):
    """What ``Target.targetInfoChanged`` tells."""

    target_info: TargetInfo


class _Attached(Struct, frozen=True, rename="camel"):
    session_id: str
    target_info: TargetInfo
    waiting_for_debugger: bool = False


class _Detached(Struct, frozen=True, rename="camel"):
    session_id: str


class Targets:
    """Attaches to all there is, in every session, and makes each ready before its first script.

    ``judge`` says at once what becomes of a new target; ``adopt`` is awaited for those that stay,
    then the hooks, in the order they were added; only then may the target run.
    A target whose hook fails is closed: nothing runs unguarded.
    """

    def __init__(
        self,
        connection: Connection,
        tasks: TaskGroup,
        *,
        judge: Callable[[Target], Fate],
        adopt: TargetHook,
        lost: Callable[[Target], None],
    ) -> None:
        """``tasks`` is the browser's group: a new target is set up in a task of it."""
        self._connection, self._tasks = connection, tasks
        self._judge, self._adopt, self._lost = judge, adopt, lost
        self._hooks: list[TargetHook] = []
        self._first: list[TargetHook] = []
        self._doomed: deque[Target] = deque()
        self._closers = 0
        self.by_session: dict[str, Target] = {}
        connection.listen("Target.attachedToTarget", self._attached)
        connection.listen("Target.detachedFromTarget", self._detached)

    async def begin(self) -> None:
        """Attaches to what is open and to all that comes."""
        await self._connection.call("Target.setAutoAttach", ATTACH)

    def hook(self, hook: TargetHook, *, first: bool = False) -> Callable[[], None]:
        """Awaits ``hook`` for every target from now on, until what is given back is called.

        ``first`` ones come before anything else and may only ask what the browser's own process
        answers (``Fetch.enable``): the page of a target may not be there yet.
        """
        hooks = self._first if first else self._hooks
        hooks.append(hook)
        return lambda: hooks.remove(hook)

    def _attached(self, happening: Incoming) -> None:
        attached = happening.read(_Attached)
        told = attached.target_info
        target = Target(
            session=attached.session_id,
            id=told.target_id,
            type=told.type,
            url=told.url,
            title=told.title,
            parent=happening.session,
            opener=told.opener_id,
            is_reachable=told.can_access_opener,
            context=told.browser_context_id,
        )
        match self._judge(target):
            case "adopt":
                self.by_session[target.session] = target
                self._tasks.start_soon(self._set_up, target)
            case "close":
                self._doom(target)
            case "ignore":
                self._let_go(target)

    def _let_go(self, target: Target) -> None:
        self._connection.post(_RUN, session=target.session)
        params = {"sessionId": target.session}
        self._connection.post("Target.detachFromTarget", params, session=target.parent)

    def _doom(self, target: Target) -> None:
        self._doomed.append(target)
        if self._closers < CLOSING_AT_ONCE:
            self._closers += 1
            self._tasks.start_soon(self._close_doomed)

    async def _close_doomed(self) -> None:
        try:
            while self._doomed:
                await self._end(self._doomed.popleft())
        finally:
            self._closers -= 1

    async def _end(self, target: Target) -> None:
        """Closes a target that may not run.

        A page that is closed while it is held would leave its opener's process waiting for ever. So
        it runs first, with every request held back.
        """
        if target.type == "page":
            with contextlib.suppress(BrowserFailed):
                for method in ("Fetch.enable", _RUN):
                    await self._connection.call(
                        method, session=target.session, timeout_seconds=CLOSING_SECONDS
                    )
        await self.close(target.id)

    async def close(self, target_id: str) -> None:
        try:
            params = {"targetId": target_id}
            await self._connection.call(
                "Target.closeTarget", params, timeout_seconds=CLOSING_SECONDS
            )
        except BrowserFailed:
            return  # it went by itself, or with the browser

    def _detached(self, happening: Incoming) -> None:
        session = happening.read(_Detached).session_id
        target = self.by_session.pop(session, None)
        self._connection.forget(session)
        if target is not None:
            self._lost(target)

    async def _set_up(self, target: Target) -> None:
        try:
            with anyio.fail_after(SET_UP_SECONDS):
                for hook in tuple(self._first):
                    await hook(target)
                if target.type == "page" and not target.url and not target.is_reachable:
                    await self._bear(target)
                else:
                    await self._prepare(target)
                    await self._connection.call(_RUN, session=target.session)
        except* (BrowserFailed, TimeoutError):
            if target.session in self.by_session and not self._connection.lost.is_set():
                await self._end(target)

    async def _prepare(self, target: Target) -> None:
        await self._adopt(target)
        for hook in tuple(self._hooks):
            await hook(target)

    async def _bear(self, target: Target) -> None:
        """A page that its opener may not know has no process before it runs, so it answers only then."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._prepare, target)
            await anyio.sleep(
                BIRTH_SECONDS
            )  # what is asked by then is done before its first script
            await self._connection.call(_RUN, session=target.session)
