"""The tabs of a session for people: who looks, what they are told, and what they do."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self

import anyio
from anyio.abc import TaskGroup

from ouroboros.browser.connection import Connection
from ouroboros.browser.live import messages as ask
from ouroboros.browser.live.ground import Ground
from ouroboros.browser.live.viewer import Viewer
from ouroboros.browser.live.window import Every, Window
from ouroboros.browser.tabs import Tab, TabFacts, Tabs

GRACE_SECONDS = 120.0
"""How long a person holds a tab after their last window is gone: a page that is loaded again comes back."""

_WHAT = {"mousePressed": "down", "mouseReleased": "up", "mouseWheel": "wheel"}


class Live:
    """One for each session with a browser; also an extension of the browser, which it follows."""

    def __init__(self, ground: Ground, *, grace_seconds: float = GRACE_SECONDS) -> None:
        """Nobody looks yet."""
        self.ground = ground
        self._grace_seconds = grace_seconds
        self._viewers: list[Viewer] = []
        self._tasks: TaskGroup | None = None
        self._active = ""
        self._drawn: dict[str, Tab] = {}
        self._left_at: dict[str, float] = {}
        ground.drivers.listen(self._note)

    async def __aenter__(self) -> Self:
        """As long as the block goes on, people may look."""
        self._tasks = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """What they hold is the agent's again."""
        tasks, self._tasks = self._tasks, None
        self.ground.drivers.give_all("closed")
        if tasks is not None:
            tasks.cancel_scope.cancel()
            await tasks.__aexit__(None, None, None)

    async def begin(self, connection: Connection, tabs: Tabs) -> None:
        """A browser has been started, or attached to."""
        del connection
        self.ground.present.tabs = tabs
        tabs.listen(self._moved)

    def stood(self) -> None:
        """The browser was started, or is gone."""
        status, is_theirs = self.ground.status(), self.ground.is_theirs
        if status.state != "running":
            self.ground.present.tabs = None
            self._drawn.clear()
            self.ground.drivers.give_all("closed")
        for viewer in self._viewers:
            viewer.say(ask.Standing(state=status.state, why=status.why, attached=is_theirs))

    def tabs(self) -> tuple[TabFacts, ...]:
        """The open tabs, without starting a browser."""
        known = self.ground.present.tabs
        return known.all() if known is not None else ()

    @asynccontextmanager
    async def viewer(self, id: str) -> AsyncGenerator[Window]:
        """A window of a person's, by a name that stays the same when it is loaded again."""
        async with anyio.create_task_group() as tasks:
            viewer = Viewer(id, self.ground.casts, tasks, self._told)
            window = Window(self.ground, viewer, tasks, lambda: self.all(id))
            self._viewers.append(viewer)
            viewer.say(self._hello(id))
            try:
                yield window
            finally:
                self._viewers.remove(viewer)
                tasks.cancel_scope.cancel()
                with anyio.CancelScope(shield=True):
                    await viewer.close()
                self._left(id)

    def state(self, facts: TabFacts, viewer: str) -> ask.TabState:
        """A tab as a viewer is told of it."""
        ground = self.ground
        holder = ground.drivers.holder(facts.id)
        dialog, chooser = ground.dialogs.of(facts.id), ground.choosers.of(facts.id)
        waits = ask.Waiting(kind=facts.dialog) if facts.dialog else None
        if dialog is not None:
            waits = ask.Waiting(kind=dialog.kind, message=dialog.message, default=dialog.default)
        return ask.TabState(
            id=facts.id,
            url=facts.url,
            title=facts.title,
            status=facts.status,
            opener=facts.opener,
            driver="person" if holder else "agent",
            mine=bool(holder) and holder == viewer,
            awaited=ground.drivers.is_awaited(facts.id),
            dialog=waits,
            chooser=ask.Asking(multiple=chooser.multiple) if chooser is not None else None,
        )

    def all(self, viewer: str) -> Every:
        """Every open tab as this viewer is told of it, and which is active."""
        known = self.ground.present.tabs
        states = tuple(self.state(facts, viewer) for facts in self.tabs())
        return Every(states, known.active if known is not None else "")

    def give_all(self) -> None:
        """The person has given the agent something to do: the tabs are the agent's again."""
        self.ground.drivers.give_all("new task")

    def _hello(self, id: str) -> ask.Hello:
        status, is_theirs = self.ground.status(), self.ground.is_theirs
        tabs, active = self.all(id)
        return ask.Hello(
            viewer=id,
            state=status.state,
            why=status.why,
            attached=is_theirs,
            tabs=tabs,
            active=active,
        )

    def _told(self, tab: str, viewer: str) -> ask.Told:
        facts = next((facts for facts in self.tabs() if facts.id == tab), None)
        if facts is None:
            return ask.TabClosed(tab=tab)
        return ask.TabUpdated(tab=self.state(facts, viewer))

    def _note(self, tab: str) -> None:
        for viewer in self._viewers:
            viewer.note(tab)

    def _moved(self, facts: TabFacts) -> None:
        known = self.ground.present.tabs
        if known is None:
            return
        if not known.has(facts.id) and facts.status != "closed":
            return  # it is not ready yet, and tells of itself when it is
        is_drawn = facts.status not in {"closed", "crashed"}
        tab = known.tab(facts.id) if is_drawn else None
        if facts.status == "closed":
            self.ground.drivers.forget(facts.id)
            self.ground.casts.forget(facts.id)
        self._note(facts.id)
        if known.active != self._active:
            self._active = known.active
            for viewer in self._viewers:
                viewer.say(ask.TabActiveChanged(tab=known.active))
        if self._drawn.get(facts.id) is tab:
            return
        if tab is None:
            self._drawn.pop(facts.id)
        else:
            self._drawn[facts.id] = tab
            tab.pointed = self._pointed
        for viewer in self._viewers:
            if self._tasks is not None and viewer.sees(facts.id):
                self._tasks.start_soon(viewer.settle, known)

    def _pointed(self, tab: Tab, method: str, params: dict[str, Any]) -> None:
        if not self._viewers or not method.startswith("Input."):
            return
        x, y = params.get("x"), params.get("y")
        what = str(params.get("type", ""))
        for viewer in self._viewers:
            if x is not None and y is not None:
                viewer.point(tab.id, _WHAT.get(what, "move"), float(x), float(y))

    def _left(self, viewer: str) -> None:
        """The tabs of one who does not come back are the agent's again."""
        if self._tasks is not None and self.ground.drivers.held(viewer):
            self._left_at[viewer] = anyio.current_time()
            self._tasks.start_soon(self._release, viewer)

    async def _release(self, viewer: str) -> None:
        until = self._left_at[viewer] + self._grace_seconds
        await anyio.sleep_until(until)
        has_left_later = self._left_at.get(viewer, 0) + self._grace_seconds > until
        if has_left_later or any(one.id == viewer for one in self._viewers):
            return
        for tab in self.ground.drivers.held(viewer):
            self.ground.drivers.give(tab, "left")
