"""The tabs of a browser, by names of ours that are never used twice."""

from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup
from msgspec import Struct

from ouroboros.browser import evaluate, input_guard
from ouroboros.browser.connection import Call, Channel, Connection, connected
from ouroboros.browser.differ import TabChange, changes
from ouroboros.browser.errors import BrowserFailed, CallTimedOut, TabGone
from ouroboros.browser.face import FACE_SECONDS, settle
from ouroboros.browser.follower import Follower
from ouroboros.browser.tab import NAVIGATION_SECONDS, Tab, TabFacts, TabStatus
from ouroboros.browser.targets import (
    ATTACH,
    Fate,
    Infos,
    Target,
    TargetHook,
    Targets,
)

__all__ = ["Tab", "TabChange", "TabFacts", "TabStatus", "Tabs", "changes", "opened"]

MAX_TABS = 100
"""Tabs that may be open; one more that a page's script opens is closed at once."""

OPENING_SECONDS = 20.0

_CLOSING_SECONDS, _AGAIN_SECONDS = 5.0, 1.0
_PAGES = [{"type": "page", "exclude": False}, {"exclude": True}]
_READY: tuple[Call, ...] = (("Page.enable", {}), ("Target.setAutoAttach", ATTACH))


class _Created(Struct, frozen=True, rename="camel"):
    target_id: str


class _Context(Struct, frozen=True, rename="camel"):
    browser_context_id: str


class Tabs:
    """Every tab there is, as the browser tells of them.

    Attributes:
        active: The tab that code means when it names none; empty while there is no tab.
        refused: Tabs that scripts opened beyond the limit, closed at once.
        wanted: Names that the next pages get which no script opened: those of lost tabs.
    """

    def __init__(
        self,
        connection: Connection,
        tasks: TaskGroup,
        *,
        context: str = "",
        max_tabs: int = MAX_TABS,
        known: Mapping[str, str] | None = None,
        first: int = 0,
        is_ours: bool = True,
    ) -> None:
        """``tasks`` is the browser's group: a new target is set up in a task of it.

        Args:
            connection: Must be running.
            tasks: Must outlive the tabs.
            context: Only tabs of this browser context are ours; empty for all there are.
            max_tabs: As ``MAX_TABS``.
            known: Target ids that had a name before a reconnection.
            first: The number of the next new tab.
            is_ours: The browser is ours; in a person's own, no tab is closed for being too many.
        """
        self.connection, self.context = connection, context
        self.active, self.refused = "", 0
        self.wanted: deque[str] = deque()
        self._tasks, self._max_tabs, self._is_ours = tasks, max_tabs, is_ours
        self._names = dict(known or {})
        self._number = first
        self._tabs: dict[str, Tab] = {}
        self._by_target: dict[str, Tab] = {}
        self._by_session: dict[str, Tab] = {}
        self._coming: set[str] = set()
        self._ready: dict[str, anyio.Event] = {}
        self._ours = 0
        self._contexts: set[str] = set()
        self.bars: Callable[[str], bool] = lambda _: False
        self._listeners: list[Callable[[TabFacts], None]] = []
        self.targets = Targets(
            connection, tasks, judge=self._judge, adopt=self._adopt, lost=self._lost
        )
        self._follower = Follower(connection, tasks, self._by_session, self._by_target)

    @property
    def tasks(self) -> TaskGroup:
        """The browser's group, for work that ends with it; a failure in it ends the browser."""
        return self._tasks

    async def begin(self) -> None:
        """Attaches to what is open and to all that comes."""
        await evaluate.ready()
        await input_guard.ready()
        await self.connection.call(
            "Target.setDiscoverTargets", {"discover": True, "filter": _PAGES}
        )
        await self.targets.begin()
        with anyio.move_on_after(OPENING_SECONDS):
            while self._coming:
                await self._event(next(iter(self._coming))).wait()
        with anyio.move_on_after(FACE_SECONDS):
            async with anyio.create_task_group() as asking:
                for tab in tuple(self._tabs.values()):
                    asking.start_soon(settle, tab)

    def on_target(self, hook: TargetHook) -> Callable[[], None]:
        """Awaits ``hook`` for every new target before its first script runs.

        Pages, frames in other processes, workers, service workers and shared workers; a hook that
        fails has the target closed. What is given back takes the hook off again.
        """
        return self.targets.hook(hook)

    def listen(self, listener: Callable[[TabFacts], None]) -> Callable[[], None]:
        """Tells ``listener`` the facts of a tab after each change; ``closed`` is the last status."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def tab(self, id: str = "") -> Tab:
        """The tab of this name; the active one when none is given.

        Raises:
            TabGone: There is none.
        """
        found = self._tabs.get(id or self.active)
        if found is None:
            known = ", ".join(self._tabs) or "none"
            raise TabGone(f"there is no tab {id or self.active!r}; open are: {known}")
        return found

    def has(self, id: str) -> bool:
        """Whether a tab of this name is open and ready."""
        return id in self._tabs

    def of_session(self, session: str) -> Tab | None:
        """The tab that a session belongs to: its page's, a frame's, or a worker's of it."""
        return self._by_session.get(session)

    def all(self) -> tuple[TabFacts, ...]:
        """What is open, oldest first."""
        return tuple(tab.facts for tab in self._tabs.values())

    def changes(self, since: tuple[TabFacts, ...]) -> tuple[TabChange, ...]:
        """What differs from an earlier ``all()``."""
        return changes(since, self.all())

    async def open(
        self,
        url: str = "",
        *,
        background: bool = True,
        context: str = "",
        id: str = "",
        timeout_seconds: float = NAVIGATION_SECONDS,
    ) -> str:
        """Opens a tab, makes it the active one and gives its id.

        Args:
            url: Where it goes; it is opened on a blank page first, so that no guard comes late.
            background: Whether the window's other tab stays in front.
            context: A browser context of its own, by ``new_context``.
            id: The name of a tab that was lost, to be had again.
            timeout_seconds: How long the page may take to begin to answer.

        Raises:
            BrowserFailed: There are too many, or ``url`` cannot be reached; then the tab is closed.
        """
        if len(self._tabs) + self._ours >= self._max_tabs:
            raise BrowserFailed(
                f"{self._max_tabs} tabs are open, which is the most there may be",
                hint="close some of them, or raise [browser] max_tabs",
            )
        params = {"url": "about:blank", "background": background}
        if context or self.context:
            params["browserContextId"] = context or self.context
        self._ours += 1
        self.wanted.extend([id] if id else [])
        try:
            created = await self.connection.ask(_Created, "Target.createTarget", params)
            tab = await self._await_tab(created.target_id)
        finally:
            self._ours -= 1
            if id in self.wanted:
                self.wanted.remove(id)
        if url and url != "about:blank":
            try:
                await tab.navigate(url, timeout_seconds=timeout_seconds)
            except BaseException:
                with anyio.CancelScope(shield=True):
                    await self.close(tab.id)
                raise
        self.active = tab.id
        tab.tell()
        return tab.id

    async def close(self, id: str) -> None:
        """Closes a tab and returns when it is gone; a page's wish to be asked first is not heard.

        Raises:
            TabGone: There is none of this name.
        """
        tab = self.tab(id)
        with anyio.move_on_after(_CLOSING_SECONDS):
            while not tab.is_closed:
                # Now and then one that still loads is said to be closed, and goes on.
                await self.targets.close(tab.target)
                with anyio.move_on_after(_AGAIN_SECONDS):
                    while not tab.is_closed:
                        await tab.moved.wait()

    async def activate(self, id: str, *, front: bool = False) -> None:
        """Makes a tab the active one; ``front`` shows it in its window as well."""
        tab = self.tab(id)
        if front:
            await self.connection.call("Target.activateTarget", {"targetId": tab.target})
        self.active = tab.id
        tab.tell()

    async def new_context(self) -> str:
        """Makes a browser context, with cookies and storage of its own, for ``open``."""
        params = {"disposeOnDetach": True}
        made = await self.connection.ask(_Context, "Target.createBrowserContext", params)
        self._contexts.add(made.browser_context_id)
        return made.browser_context_id

    async def end_context(self, context: str) -> None:
        """Closes the tabs of a context and forgets its cookies and storage."""
        await self.connection.call("Target.disposeBrowserContext", {"browserContextId": context})

    async def refresh(self) -> None:
        """Takes up titles and addresses that pages changed without telling; asks no page."""
        told = await self.connection.ask(Infos, "Target.getTargets", {"filter": _PAGES})
        for info in told.target_infos:
            self._follower.note(info)

    def numbering(self) -> tuple[int, dict[str, str]]:
        """The next tab's number and the names by target id, for those who come after us."""
        return self._number, {tab.target: tab.id for tab in self._tabs.values()}

    def _event(self, target: str) -> anyio.Event:
        return self._ready.setdefault(target, anyio.Event())

    async def _await_tab(self, target: str) -> Tab:
        with anyio.move_on_after(OPENING_SECONDS):
            await self._event(target).wait()
        self._ready.pop(target, None)
        tab = self._by_target.get(target)
        if tab is None:
            raise CallTimedOut("the browser made a tab and did not let us have it")
        return tab

    def _judge(self, target: Target) -> Fate:
        if target.parent:
            owner = self._by_session.get(target.parent)
            if owner is not None:
                self._by_session[target.session] = owner
            return "adopt"
        if self.context and target.context not in {self.context, *self._contexts}:
            return "ignore"
        if target.type == "page" and self.bars(target.url):
            return "ignore"
        if target.type == "page":
            by_script = bool(target.opener)
            held = len(self._tabs) + len(self._coming)
            if by_script and held >= self._max_tabs and target.id not in self._names:
                self.refused += 1
                return "close" if self._is_ours else "ignore"
            self._coming.add(target.id)
        return "adopt"

    async def _adopt(self, target: Target) -> None:
        match target.type:
            case "page":
                await self._adopt_page(target)
            case "iframe":
                guard = input_guard.on_new_document()
                calls: tuple[Call, ...] = (*_READY, guard, ("Page.getFrameTree", {}))
                *_, tree = await self.connection.call_many(calls, session=target.session)
                owner = self._by_session.get(target.session)
                if owner is not None:
                    owner.frames.seed(tree, target.session)
                    owner.frames.move(target.id, target.session)
            case _:
                self.connection.post("Target.setAutoAttach", ATTACH, session=target.session)

    async def _adopt_page(self, target: Target) -> None:
        name = self._names.get(target.id)
        if name is None:
            name = self._next_name(target)
        tab = Tab(self.connection, name, target, self._changed)
        tab.bars = self.bars
        tab.is_eager = self._is_ours
        self._by_session[target.session] = tab
        opener = self._by_target.get(target.opener)
        tab.opener = opener.id if opener is not None else ""
        try:
            focus = ("Emulation.setFocusEmulationEnabled", {"enabled": True})
            guard = input_guard.on_new_document()
            calls: tuple[Call, ...] = (*_READY, focus, guard, ("Page.getFrameTree", {}))
            *_, tree = await self.connection.call_many(calls, session=target.session)
            tab.frames.seed(tree, target.session)
            self._tabs[tab.id] = self._by_target[target.id] = tab
            self.active = self.active or tab.id
            tab.tell()
            self._tasks.start_soon(settle, tab)
        finally:
            self._coming.discard(target.id)
            self._event(target.id).set()

    def _next_name(self, target: Target) -> str:
        if self.wanted and not target.opener:
            return self.wanted.popleft()
        self._number += 1
        return f"tab_{self._number - 1}"

    def _lost(self, target: Target) -> None:
        tab = self._by_session.pop(target.session, None)
        self._ready.pop(target.id, None)
        if tab is None or target.session != tab.session:
            return
        self._tabs.pop(tab.id, None)
        self._by_target.pop(target.id, None)
        if self.active == tab.id:
            self.active = next(reversed(self._tabs), "")
        tab.close_down()

    def _changed(self, tab: Tab) -> None:
        facts = tab.facts
        for listener in tuple(self._listeners):
            listener(facts)


@asynccontextmanager
async def opened(
    channel: Channel, *, own_context: bool = False, max_tabs: int = MAX_TABS
) -> AsyncGenerator[Tabs]:
    """The tabs over an open channel; with ``own_context`` those of a new browser context only.

    At the end of the block the own context and its tabs are gone; other tabs stay as they are.
    """
    async with connected(channel) as connection, anyio.create_task_group() as tasks:
        tabs = Tabs(connection, tasks, max_tabs=max_tabs)
        if own_context:
            tabs.context = await tabs.new_context()
        try:
            await tabs.begin()
            yield tabs
        finally:
            tasks.cancel_scope.cancel()
            with anyio.CancelScope(shield=True), anyio.move_on_after(5.0):
                if tabs.context and not connection.lost.is_set():
                    await tabs.end_context(tabs.context)
