"""One browser for one session of ours: started at the first need, watched, ended with the block."""

import contextlib
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio
from anyio.abc import TaskGroup, TaskStatus
from msgspec import Struct, field

from ouroboros.browser import attach, launch, profiles
from ouroboros.browser.channel.pipe import Pipe
from ouroboros.browser.channel.socket import shown, socket
from ouroboros.browser.connection import Channel, Connection, connected
from ouroboros.browser.errors import BrowserFailed, BrowserGone
from ouroboros.browser.plan import Extension, Plan, Status
from ouroboros.browser.recovery import RECONNECT_SECONDS, Left, Recovery, State, reopen, revive
from ouroboros.browser.tabs import TabFacts, Tabs
from ouroboros.core.errors import unwrapped
from ouroboros.core.events.browser import (
    BrowserLost,
    BrowserStarted,
    TabActivated,
    TabClosed,
    TabUpdated,
)
from ouroboros.core.events.envelope import Event
from ouroboros.safety.companion import Companion
from ouroboros.safety.guard import Guard

CLOSE_SECONDS, ENDING_SECONDS = 2.0, 10.0
"""To answer that it closes, and to have ended in its own way."""

_SHOWN = attrgetter("url", "title", "status")


class _Version(Struct, frozen=True):
    product: str = ""


class _Keeper(Struct, frozen=True):
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    over: anyio.Event = field(default_factory=anyio.Event)


class BrowserSession:
    """``async with`` it; the browser is started by the first ``tabs()`` and ends with the block."""

    def __init__(
        self,
        plan: Plan,
        *,
        environment: Mapping[str, str],
        home: Path,
        guard: Guard | None = None,
        publish: Callable[[Event], None] | None = None,
        extensions: Sequence[Extension] = (),
    ) -> None:
        """Starts nothing.

        Args:
            plan: Which browser, and how.
            environment: Of the person: PATH, HOME and DISPLAY matter; credentials are taken out.
            home: Folder of ours, in which profiles are.
            guard: Ends the browser when we are killed.
            publish: Takes events about the browser and its tabs.
            extensions: Begun with every start of a browser, in this order.
        """
        self.plan = plan
        self._environment, self._home, self._guard = environment, home, guard
        self._publish, self._extensions = publish, tuple(extensions)
        self._group: TaskGroup | None = None
        self._starting = anyio.Lock()
        self._end = anyio.Event()
        self._keeper: _Keeper | None = None
        self._moved = anyio.Event()
        self._state: State = "off"
        self._tabs: Tabs | None = None
        self._left = Left()
        self._place = self._version = self._why = self._profile = ""
        self._pid = 0
        self._told: dict[str, TabFacts] = {}
        self._active = ""

    async def __aenter__(self) -> Self:
        """Ready; nothing has started."""
        self._group = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends a browser of ours and lets go of another's."""
        group, self._group = self._group, None
        self._end.set()
        if group is not None:
            if error is not None:
                group.cancel_scope.cancel()
            await group.__aexit__(None, None, None)

    async def tabs(self) -> Tabs:
        """The tabs; starts the browser when it has not been.

        Raises:
            BrowserMissing: There is no program.
            BrowserGone: It was lost; ``recover`` starts it anew.
            BrowserFailed: It could not be started or attached to.
        """
        async with self._starting:
            if self._state == "off":
                await self._start()
        return await self._running()

    async def recover(self) -> Recovery:
        """Brings back what was lost: tabs at their last addresses under the same names.

        Raises:
            BrowserFailed: It could not be started or attached to again.
        """
        async with self._starting:
            await self._settled()
            was, why = self._state, self._why
            if was == "running" and self._tabs is not None:
                return await revive(self._tabs)
            if was == "socket-lost":
                with contextlib.suppress(BrowserGone):
                    tabs = await self._running()
                    names = tuple(facts.id for facts in tabs.all())
                    return Recovery(was=was, why=why, restored=names)
            left = self._left
            await self._start()
            tabs = await self._running()
            return await reopen(tabs, left, was=was, why=why, same=self.plan.mode != "managed")

    async def stop(self) -> None:
        """Ends the browser, or lets go of it; the next ``tabs()`` starts it again."""
        async with self._starting:
            await self._dismiss()
            self._state, self._left = "off", Left(number=self._left.number)

    def status(self) -> Status:
        """What is true now, without asking the browser."""
        managed = self.plan.mode == "managed"
        tabs = self._tabs
        return Status(
            state=self._state,
            mode=self.plan.mode,
            place=self._place,
            version=self._version,
            pid=self._pid if self._state == "running" else 0,
            profile=(self._profile or self.plan.profile) if managed else "",
            headless=self.plan.headless,
            sandboxed=launch.is_sandboxed() if managed else None,
            tabs=tabs.all() if tabs is not None else self._left.tabs,
            active=tabs.active if tabs is not None else self._left.active,
            refused=tabs.refused if tabs is not None else 0,
            why=self._why,
        )

    async def _running(self) -> Tabs:
        with anyio.move_on_after(sum(RECONNECT_SECONDS) + self.plan.start_seconds):
            while self._state == "socket-lost":
                await self._moved.wait()
        if self._tabs is None or self._state != "running":
            raise BrowserGone(
                f"the browser is gone: {self._why or 'it ended'}",
                hint="recover it to have the tabs back at their last addresses",
            )
        return self._tabs

    async def _settled(self) -> None:
        """A loss that calls have heard of already has become a state, or takes too long to."""
        with anyio.move_on_after(ENDING_SECONDS):
            while self._state == "running" and (
                self._tabs is None or self._tabs.connection.lost.is_set()
            ):
                await self._moved.wait()

    async def _start(self) -> None:
        if self._group is None:
            raise BrowserGone("the session has ended, and its browser with it")
        await self._dismiss()
        self._end = anyio.Event()
        try:
            await self._group.start(self._keep)
        except ExceptionGroup as group:
            raise unwrapped(group) from group

    async def _dismiss(self) -> None:
        """Nobody keeps a browser when this returns; one that waits for a lost socket stops at once."""
        self._end.set()
        keeper, self._keeper = self._keeper, None
        if keeper is None:
            return
        with anyio.move_on_after(ENDING_SECONDS):
            while self._state == "running":
                await self._moved.wait()
        keeper.scope.cancel()
        await keeper.over.wait()
        if self._state in {"running", "socket-lost"}:
            self._note("off")

    async def _keep(self, *, task_status: TaskStatus[None]) -> None:
        self._keeper = keeper = _Keeper()
        keep = self._keep_managed if self.plan.mode == "managed" else self._keep_attached
        try:
            with keeper.scope:
                await keep(task_status=task_status)
        finally:
            keeper.over.set()

    async def _keep_managed(self, *, task_status: TaskStatus[None]) -> None:
        plan = self.plan
        started = False
        self._place = launch.find(self._environment.get("PATH"), plan.program)
        with self._quiet_once(lambda: started):
            names = profiles.names(plan.profile, self._profile, stands_in=plan.may_stand_in)
            async with profiles.held(self._home, *names) as folder:
                self._profile = folder.name if plan.profile else ""
                order = launch.Launch(
                    profile=folder,
                    program=self._place,
                    headless=plan.headless,
                    size=plan.size,
                    flags=plan.flags,
                )
                starting = launch.launched(order, self._environment, guard=self._guard)
                async with starting as child, launch.watched(child) as ended:
                    self._pid = child.pid
                    async with self._live(Pipe(child), child, ended) as connection:
                        started = True
                        task_status.started()
                        await _first(connection.lost, ended, self._end)
                        await _goodbye(connection, child, ended)
        self._note("exited" if not self._end.is_set() else "off")

    async def _keep_attached(self, *, task_status: TaskStatus[None]) -> None:
        person = Path(self._environment.get("HOME") or "/")
        started = False
        delays = iter(RECONNECT_SECONDS)
        while True:
            try:
                url = await attach.address(self.plan.url, person)
                self._place = shown(url)
                async with (
                    socket(url, headers=self.plan.headers) as channel,
                    self._live(channel, None, anyio.Event()) as connection,
                ):
                    if not started:
                        started = True
                        task_status.started()
                    delays = iter(RECONNECT_SECONDS)
                    await _first(connection.lost, self._end)
            except (BrowserFailed, ExceptionGroup) as failed:
                if not started:
                    raise
                self._why = str(unwrapped(failed))
            delay = next(delays, None)
            if self._end.is_set() or delay is None:
                break
            self._note("socket-lost")
            with anyio.move_on_after(delay):
                await self._end.wait()
        self._note("off" if self._end.is_set() else "exited")

    @asynccontextmanager
    async def _live(
        self, channel: Channel, child: Companion | None, ended: anyio.Event
    ) -> AsyncGenerator[Connection]:
        """The browser, greeted, its extensions begun, its tabs attached to."""
        async with connected(channel) as connection, anyio.create_task_group() as tasks:
            left = self._left
            tabs = Tabs(
                connection,
                tasks,
                max_tabs=self.plan.max_tabs,
                known=left.names if child is None else None,
                first=left.number,
                is_ours=child is not None,
            )
            if child is not None and left.tabs:
                tabs.wanted.append(left.tabs[0].id)  # the window's first, blank tab
            self._version = await self._greeted(connection, child, ended)
            for extension in self._extensions:
                await extension.begin(connection, tabs)
            await tabs.begin()
            tabs.listen(self._tell)
            self._tabs, self._why = tabs, ""
            self._note("running")
            self._say(
                BrowserStarted(
                    mode=self.plan.mode,
                    version=self._version,
                    headless=self.plan.headless,
                    sandboxed=child is None or launch.is_sandboxed(),
                    profile=self._profile,
                    instead_of=self.plan.profile
                    if self._profile not in {"", self.plan.profile}
                    else "",
                )
            )
            for facts in tabs.all():
                self._tell(facts)
            try:
                yield connection
            finally:
                self._left = Left.of(tabs)
                self._tabs = None
                self._why = self._why or connection.why_lost
                tasks.cancel_scope.cancel()

    async def _greeted(
        self, connection: Connection, child: Companion | None, ended: anyio.Event
    ) -> str:
        try:
            found = await connection.ask(
                _Version, "Browser.getVersion", timeout_seconds=self.plan.start_seconds
            )
        except BrowserFailed as failed:
            if child is None:
                raise
            with anyio.move_on_after(CLOSE_SECONDS):
                await ended.wait()
            said = "".join(c for c in child.complaints if c.isprintable() or c == "\n").strip()
            words = said[-600:] or "it said nothing"
            raise BrowserFailed(
                f"{self._place} did not start (exit code {child.exit_code}): {words}",
                hint="start it by hand once to see why; another may be named in [browser] program",
            ) from failed
        return found.product

    @contextlib.contextmanager
    def _quiet_once(self, started: Callable[[], bool]) -> Generator[None]:
        """After the start a failure is a state of the browser, not an error of the session."""
        try:
            yield
        except (BrowserFailed, OSError, ExceptionGroup) as failed:
            if not started():
                raise
            self._why = self._why or str(failed)

    def _note(self, state: State) -> None:
        was, self._state = self._state, state
        if state in {"exited", "socket-lost"} and state != was:
            self._say(BrowserLost(state=state, why=self._why))
        moved, self._moved = self._moved, anyio.Event()
        moved.set()

    def _tell(self, facts: TabFacts) -> None:
        before = self._told.get(facts.id)
        if facts.status == "closed":
            self._told.pop(facts.id, None)
            self._say(TabClosed(tab=facts.id))
        elif before is None or _SHOWN(before) != _SHOWN(facts):
            self._told[facts.id] = facts
            self._say(
                TabUpdated(tab=facts.id, url=facts.url, title=facts.title, status=facts.status)
            )
        active = self._tabs.active if self._tabs is not None else ""
        if active and active != self._active:
            self._active = active
            self._say(TabActivated(tab=active))

    def _say(self, event: Event) -> None:
        if self._publish is not None:
            self._publish(event)


async def _first(*events: anyio.Event) -> None:
    """Returns when one of them is set."""
    async with anyio.create_task_group() as tasks:

        async def wait(event: anyio.Event) -> None:
            await event.wait()
            tasks.cancel_scope.cancel()

        for event in events:
            tasks.start_soon(wait, event)


async def _goodbye(connection: Connection, child: Companion, ended: anyio.Event) -> None:
    """Asks the browser to end; one that does not answer is ended at once."""
    if connection.lost.is_set() or ended.is_set():
        return
    try:
        await connection.call("Browser.close", timeout_seconds=CLOSE_SECONDS)
    except BrowserGone:
        return
    except BrowserFailed:
        await child.kill()
