"""The tabs of a browser, by names of ours that are never used twice."""

from typing import Any, Literal

import anyio
from anyio.abc import TaskGroup
from msgspec import Raw, Struct

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import BrowserFailed, CallTimedOut, TabGone
from ouroboros.browser.wire import Incoming

EXEC_SECONDS = 10.0
EXEC_CHARS = 100_000

type TabStatus = Literal["loading", "complete", "crashed", "dialog"]


class TabFacts(Struct, frozen=True, kw_only=True):
    """What code and people see of a tab.

    Attributes:
        id: ``tab_0``, ``tab_1``, in the order they were met; never used again.
        opener: The tab whose page opened it, empty otherwise.
        dialog: What an open dialog says of itself, such as ``confirm``; its words are page text.
    """

    id: str
    url: str
    title: str = ""
    status: TabStatus = "loading"
    favicon: str = ""
    opener: str = ""
    dialog: str = ""


class _TargetInfo(Struct, frozen=True, rename="camel"):
    target_id: str
    type: str
    url: str = ""
    title: str = ""
    opener_id: str = ""


class _Attached(Struct, frozen=True, rename="camel"):
    session_id: str
    target_info: _TargetInfo
    waiting_for_debugger: bool = False


class _Created(Struct, frozen=True, rename="camel"):
    target_id: str


class _Remote(Struct, frozen=True, rename="camel"):
    type: str = ""
    value: Raw = Raw(b"null")
    description: str = ""


class _Exception(Struct, frozen=True, rename="camel"):
    text: str = ""
    exception: _Remote = _Remote()


class _Evaluated(Struct, frozen=True, rename="camel"):
    result: _Remote = _Remote()
    exception_details: _Exception | None = None


class Tab:
    """One page target and the session that speaks to it."""

    def __init__(self, connection: Connection, id: str, target: _TargetInfo, session: str) -> None:
        """Made by ``Tabs`` only."""
        self._connection = connection
        self.id, self.target, self.session = id, target.target_id, session
        self.url, self.title, self.opener = target.url, target.title, target.opener_id

    async def call(self, method: str, params: dict[str, Any] | None = None) -> Raw:
        """One call to the page."""
        return await self._connection.call(method, params, session=self.session)

    async def evaluate(self, code: str, *, timeout_seconds: float = EXEC_SECONDS) -> bytes:
        """The JSON of what ``code`` comes to in the page; promises are awaited."""
        try:
            found = await self._connection.ask(
                _Evaluated,
                "Runtime.evaluate",
                {
                    "expression": code,
                    "awaitPromise": True,
                    "returnByValue": True,
                    "userGesture": True,
                    "replMode": True,
                },
                session=self.session,
                timeout_seconds=timeout_seconds,
            )
        except CallTimedOut as late:
            raise CallTimedOut(f"the code in {self.id} took over {timeout_seconds:g} s") from late
        if found.exception_details is not None:
            thrown = found.exception_details
            raise BrowserFailed(thrown.exception.description or thrown.text)
        return bytes(found.result.value)


class Tabs:
    """Every tab there is, as the browser tells of them."""

    def __init__(self, connection: Connection, tasks: TaskGroup) -> None:
        """``tasks`` is the browser's group: a new target is set up in a task of it."""
        self._connection, self._tasks = connection, tasks
        self._tabs: dict[str, Tab] = {}
        self._by_target: dict[str, Tab] = {}
        self._met: dict[str, anyio.Event] = {}
        self._number = 0
        self.active = ""
        connection.listen("Target.attachedToTarget", self._attached)

    async def begin(self) -> None:
        """Attaches to what is open and to all that comes."""
        await self._connection.call(
            "Target.setAutoAttach",
            {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True},
        )

    def tab(self, id: str) -> Tab:
        """The tab of this name.

        Raises:
            TabGone: There is none.
        """
        found = self._tabs.get(id)
        if found is None:
            known = ", ".join(self._tabs) or "none"
            raise TabGone(f"there is no tab {id!r}; open are {known}")
        return found

    def all(self) -> tuple[TabFacts, ...]:
        """What is open, oldest first."""
        return tuple(TabFacts(id=t.id, url=t.url, title=t.title) for t in self._tabs.values())

    async def open(self, url: str = "about:blank") -> str:
        """Opens a tab in the background and gives its id."""
        created = await self._connection.ask(_Created, "Target.createTarget", {"url": url})
        met = self._met.setdefault(created.target_id, anyio.Event())
        with anyio.fail_after(EXEC_SECONDS):
            await met.wait()
        return self._by_target[created.target_id].id

    def _attached(self, happening: Incoming) -> None:
        attached = happening.read(_Attached)
        self._tasks.start_soon(self._set_up, attached)

    async def _set_up(self, attached: _Attached) -> None:
        session, target = attached.session_id, attached.target_info
        if target.type == "page":
            await self._connection.call("Page.enable", session=session)
            tab = Tab(self._connection, f"tab_{self._number}", target, session)
            self._number += 1
            self._tabs[tab.id] = self._by_target[target.target_id] = tab
            self.active = self.active or tab.id
            self._met.setdefault(target.target_id, anyio.Event()).set()
        await self._connection.call("Runtime.runIfWaitingForDebugger", session=session)
