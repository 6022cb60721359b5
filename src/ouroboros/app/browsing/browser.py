"""Joins a session's browser with what watches it; nothing of it runs before it is used.

Imported only by sessions that may use a browser.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from pathlib import Path

import anyio
from msgspec import Struct

from ouroboros.app.browsing import vault as browser_vault
from ouroboros.app.kit import Kit
from ouroboros.app.settings import Browser as BrowserSettings
from ouroboros.browser.capture.casting import Casts
from ouroboros.browser.capture.screenshots import Screenshots
from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.guard.gate import Gate, gate
from ouroboros.browser.guard.policy import AllowList, Apart, Together
from ouroboros.browser.guard.requests import Guard as Requests
from ouroboros.browser.live import ground as live_ground
from ouroboros.browser.live.driver import Drivers
from ouroboros.browser.live.live import Live
from ouroboros.browser.log.console import ConsoleLog
from ouroboros.browser.log.network import NetworkLog
from ouroboros.browser.prompts.dialogs import Dialogs
from ouroboros.browser.recovery import Recovery
from ouroboros.browser.session import BrowserSession, Plan
from ouroboros.browser.sites import Sites
from ouroboros.browser.storage.state import StorageState, import_state
from ouroboros.browser.tabs import Tabs
from ouroboros.browser.transfer.artifacts import Artifacts
from ouroboros.browser.transfer.choosers import Choosers
from ouroboros.browser.transfer.downloads import Downloads
from ouroboros.browser.transfer.uploads import Uploads
from ouroboros.core.errors import Misuse
from ouroboros.core.events import Event
from ouroboros.core.events.browser import BrowserLost, BrowserStarted
from ouroboros.llm.transport.http import Proxies
from ouroboros.repl.taint import Taint
from ouroboros.safety.environment import apart
from ouroboros.safety.guard import Guard
from ouroboros.safety.own_servers import OwnServers
from ouroboros.safety.paths import Places


class Ground(Struct, frozen=True, kw_only=True):
    """What a session's browser stands on.

    Attributes:
        home: Folder of ours: profiles, artifacts, the vault.
        cwd: The workspace, from which files may be uploaded.
        environment: Of the person, without the keys of providers.
        session: Id of the session, which names the folder of its artifacts.
        publish: Puts events on record.
        logins: Names of sealed states that the browser begins with.
        may_stand_in: Another profile may stand in for one that is used.
        rest: Is entered while the agent waits for a tab that a person drives.
    """

    settings: BrowserSettings
    home: Path
    cwd: Path
    environment: Mapping[str, str]
    session: str
    publish: Callable[[Event], None]
    logins: tuple[str, ...] = ()
    may_stand_in: bool = False
    rest: AbstractContextManager[None] = nullcontext()


class Browser:
    """The browser of one session with everything that watches it."""

    def __init__(
        self, ground: Ground, way_out: Gate | None, states: tuple[StorageState, ...] = ()
    ) -> None:
        """Starts nothing.

        Args:
            ground: What it stands on.
            way_out: The proxy that a browser of ours has to use.
            states: Put into the browser before anybody has a tab of it.
        """
        self._states, self._joining = list(states), anyio.Lock()
        settings, publish = ground.settings, ground.publish
        self.ground = ground
        self.guard = Guard()
        self._tabs: Tabs | None = None
        self.unstarted: BrowserFailed | None = None
        """Why a browser of ours did not start when it was needed; None once it has."""
        self.artifacts = Artifacts(ground.home / "artifacts" / ground.session, publish)
        self.casts, self.drivers = Casts(), Drivers(publish, rest=ground.rest)
        self.screenshots = Screenshots(self.artifacts, self.casts)
        self.sites = Sites(ground.home / "browser" / "domains.toml")
        self.choosers = Choosers()
        self.dialogs = Dialogs(publish, self.sites.dialog_rule)
        self.downloads = Downloads(self.artifacts, publish, most_bytes=settings.download_max)
        self.folders = (ground.cwd, self.artifacts.folder, *map(Path, settings.uploads))
        places = Places(roots=(ground.cwd,), home=ground.home)
        self.uploads = Uploads(self.folders, places)
        self.console, self.network = ConsoleLog(), NetworkLog()
        self.taint = Taint(
            known=settings.allow_domains,
            enforce=self._enforce,
            confirms=frozenset(settings.confirm),
        )
        own = OwnServers(ground.home)
        self.requests = Requests(
            Together(
                Apart(own, is_theirs=settings.mode != "managed"), _listed(settings), self.taint
            ),
            publish,
            gate=way_out,
            credentials=self._credentials,
            locked=lambda: any(site.credentials for site in self.sites.sites.values()),
            own=own,
        )
        self.live = Live(
            live_ground.Ground(
                tabs=self.tabs,
                recover=self.recover,
                status=lambda: self.session.status(),
                named=self.taint.hear,
                is_theirs=settings.mode != "managed",
                casts=self.casts,
                drivers=self.drivers,
                dialogs=self.dialogs,
                choosers=self.choosers,
                uploads=self.uploads,
            )
        )
        self.session = BrowserSession(
            plan(
                settings,
                way_out.flags if way_out is not None else (),
                may_stand_in=ground.may_stand_in,
            ),
            environment=ground.environment,
            home=ground.home,
            guard=self.guard,
            publish=self._tell,
            extensions=(
                self.requests,
                self.sites,
                self.dialogs,
                self.choosers,
                self.downloads,
                self.console,
                self.network,
                self.live,
            ),
        )

    async def tabs(self) -> Tabs:
        """All tabs; starts the browser, and what ends it when we are killed."""
        await self.guard.on_duty()
        try:
            tabs = await self.session.tabs()
        except BrowserFailed as failed:
            if self._tabs is None and self.ground.settings.mode == "managed":
                self.unstarted = failed
            raise
        async with self._joining:
            while self._states:
                connection = tabs.connection
                await import_state(connection, tabs, self._states[0], guard=self.requests)
                del self._states[0]
        self._tabs, self.unstarted = tabs, None
        return tabs

    async def join(self) -> bool:
        """Connects to the person's own browser; one of ours starts with its first use, not here."""
        is_theirs = self.ground.settings.mode != "managed"
        if is_theirs:
            await self.tabs()
        return is_theirs

    def known(self) -> Tabs | None:
        """The tabs without starting a browser; None while there is none."""
        return self._tabs if self.session.status().state == "running" else None

    async def recover(self) -> Recovery:
        """Brings a browser that is gone back; raises ``BrowserFailed``."""
        recovery = await self.session.recover()
        self._tabs = await self.session.tabs()
        return recovery

    def _tell(self, event: Event) -> None:
        self.ground.publish(event)
        if isinstance(event, BrowserStarted | BrowserLost):
            self.live.stood()

    async def _enforce(self) -> None:
        await self.requests.enforce()

    async def _credentials(self, origin: str) -> tuple[str, str] | None:
        """User and password that the person has settled for a place; they are shown to nobody."""
        kind, _, name = self.sites.of(origin).credentials.partition(":")
        match kind:
            case "env":
                found = self.ground.environment.get(name, "")
            case "vault":
                found = await browser_vault.password(self.ground.home, name)
            case _:
                return None
        user, sign, password = found.partition(":")
        return (user, password) if sign else None


def ground(kit: Kit, logins: tuple[str, ...] = ()) -> Ground:
    """What the browser of a session stands on; ``logins`` as in ``Ground``."""
    return Ground(
        settings=kit.settings.browser,
        home=kit.home,
        cwd=kit.cwd,
        environment=apart(kit.environment, kit.cwd),
        session=kit.state.session,
        publish=kit.journal.record,
        logins=logins,
        may_stand_in=kit.desk.is_interactive,
        rest=kit.rest,
    )


@asynccontextmanager
async def opened(ground: Ground) -> AsyncGenerator[Browser]:
    """A browser that starts with its first use and is gone at the end of the block.

    Raises:
        Misuse: A domain of the settings is none, or a login cannot be had.
    """
    states = [await browser_vault.state(ground.home, name) for name in ground.logins]
    is_ours = ground.settings.mode == "managed"
    proxies = Proxies.of(ground.environment)
    async with gate(proxies.proxy_for) if is_ours else nullcontext() as way_out:
        browser = Browser(ground, way_out, tuple(states))
        async with browser.session, browser.live:
            yield browser


def plan(
    settings: BrowserSettings, flags: tuple[str, ...] = (), *, may_stand_in: bool = False
) -> Plan:
    """Which browser the settings wish for; ``flags`` besides theirs."""
    return Plan(
        mode=settings.mode,
        profile=settings.profile,
        may_stand_in=may_stand_in,
        program=settings.program,
        headless=settings.headless,
        size=(settings.width, settings.height),
        flags=(*settings.flags, *flags),
        url=settings.url,
        max_tabs=settings.max_tabs,
    )


def _listed(settings: BrowserSettings) -> AllowList:
    try:
        listed = AllowList(settings.allow_domains, settings.block_domains)
        return listed if settings.only_allowed else AllowList((), settings.block_domains)
    except ValueError as wrong:
        raise Misuse(
            f"the settings of [browser] name a domain that is none: {wrong}",
            hint="write example.com, *.example.com or example.com:8443",
        ) from wrong
