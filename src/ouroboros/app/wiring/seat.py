"""The seat of a session's browser tools: its browser, its REPL and its scripts, by their first use."""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio.to_thread
import msgspec

from ouroboros.app.browsing.browser import Browser
from ouroboros.app.wiring.repls import Repls, StandingRepl, Wish
from ouroboros.browser.capture.viewport import set_viewport
from ouroboros.browser.errors import BrowserFailed
from ouroboros.browser.live.live import Live
from ouroboros.browser.tab import TabFacts
from ouroboros.browser.tabs import Tabs
from ouroboros.core.errors import ToolFailed
from ouroboros.repl.getters import freshen
from ouroboros.repl.metadata import Entry
from ouroboros.repl.taint import patterns_of
from ouroboros.repl.tools.seat import Kit, Standing, Wishes
from ouroboros.safety.guard import Guard
from ouroboros.safety.origins import origin_of

_TABS = 20


class BrowserSeat:
    """Made by ``seated`` only."""

    def __init__(
        self, repls: Repls, repl: StandingRepl, guard: Guard, *, script_seconds: float
    ) -> None:
        """Opens nothing; what is opened later is closed with ``repl``, or by ``guard``."""
        self._repls, self._repl, self._guard = repls, repl, guard
        self._script_seconds = script_seconds

    async def run_block(self, code: str, *, call_id: str, seconds: float | None = None) -> Entry:
        """Runs a block in the session's REPL, which is opened by the first."""
        await self._guard.on_duty()
        repl = await self._repl.get()
        return await repl.run_block(code, call_id=call_id, seconds=seconds)

    async def run_script(self, code: str, *, call_id: str, kit: Kit) -> Entry:
        """Runs a script in an isolate of its own."""
        await self._guard.on_duty()
        async with self._repls.script(kit) as repl:
            return await repl.run_block(code, call_id=call_id, seconds=self._script_seconds)

    @property
    def live(self) -> Live | None:
        """The tabs for people; None without a browser."""
        browser = self._repls.base.browser
        return browser.live if browser is not None else None

    async def tabs(self) -> Tabs:
        """All tabs; starts the browser."""
        return await self._browser.tabs()

    def facts(self) -> tuple[TabFacts, ...]:
        """All tabs, without starting a browser."""
        browser = self._repls.base.browser
        known = browser.known() if browser is not None else None
        return tuple(known.all()) if known is not None else ()

    def counted(self) -> str:
        """How many tabs there are and which is in front, without starting a browser."""
        browser = self._repls.base.browser
        known = browser.known() if browser is not None else None
        tabs = len(known.all()) if known is not None else 0
        if known is None or not tabs:
            return ""
        return f"{tabs} open, {known.active or 'none'} in front"

    def url(self, tab: str) -> str:
        """Where a tab is, as far as is known."""
        known = self._browser.known()
        if known is None:
            return ""
        wanted = tab or known.active
        return next((facts.url for facts in known.all() if facts.id == wanted), "")

    async def looked(self, tab: str) -> None:
        """From now on the session has read what is there, and the titles of all tabs."""
        known = self._browser.known()
        await freshen(known)
        told = known.all() if known is not None else ()
        await self._repls.taint.read(
            *(origin_of(url) for url in (self.url(tab), *(f.url for f in told)))
        )

    def standing(self) -> Standing:
        """How the browser stands, without starting it."""
        status = self._browser.session.status()
        lines = [f"mode: {status.mode}{'' if status.headless else ', with a window'}"]
        lines += [f"program: {status.version} at {status.place}"] if status.version else []
        lines += [f"profile: {status.profile}"] if status.profile else []
        lines += [f"why: {status.why}"] if status.why else []
        if status.sandboxed is False:
            lines.append("its own sandbox is off: it runs as root")
        lines.append(f"{len(status.tabs)} tabs, {status.active or 'none'} in front")
        for facts in status.tabs[:_TABS]:
            dialog = f", {facts.dialog} dialog waits" if facts.dialog else ""
            lines.append(f"{facts.id}: {facts.status}, {origin_of(facts.url) or 'blank'}{dialog}")
        kept = self._browser.artifacts.all()
        lines += [f"{one.id}: {one.kind}, {one.name}, {one.bytes:,} bytes" for one in kept[-10:]]
        state = "not started" if status.state == "off" else status.state
        return Standing(state=state, lines=tuple(lines))

    async def recover(self) -> Sequence[str]:
        """Brings a browser that is gone back."""
        recovery = await self._browser.recover()
        lines = [f"it was {recovery.was}{f': {recovery.why}' if recovery.why else ''}"]
        lines.append(f"restored: {', '.join(recovery.restored) or 'nothing was to be restored'}")
        lines += [f"{tab} could not be had back: {why}" for tab, why in recovery.failed.items()]
        lines += [f"lost: {', '.join(recovery.lost)}"] if recovery.lost else []
        if recovery.was != "running":
            lines.append("whether an action that was under way took effect is unknown")
        return lines

    async def stop(self, tab: str) -> Sequence[str]:
        """Ends loading, code and downloads."""
        known = self._browser.known()
        if known is None:
            return []
        stopped: list[str] = []
        if tab:
            known.tab(tab)  # raises for one that is not there
        for facts in known.all():
            if facts.id == tab or (not tab and facts.status == "loading"):
                try:
                    await known.tab(facts.id).call_many([
                        ("Page.stopLoading", {}),
                        ("Runtime.terminateExecution", {}),
                    ])
                    stopped.append(f"{facts.id}: loading and code stopped")
                except BrowserFailed as failed:
                    stopped.append(f"{facts.id}: {failed.message}")
        for download in self._browser.downloads.all():
            if download.state == "in_progress" and tab in {"", download.tab}:
                await self._browser.downloads.cancel(download.id)
                stopped.append(f"{download.id}: download cancelled")
        return stopped

    async def configure(self, wishes: Wishes) -> Sequence[str]:
        """Changes the settings of a place, or the window's."""
        lines: list[str] = []
        if self._repls.taint.is_tainted and not _tells_nothing(wishes):
            raise ToolFailed(
                "a user agent or locale is sent to every place that a page asks: it can be chosen "
                "only before pages were read"
            )
        changes = self._changes(wishes)
        if wishes.domain and changes:
            sites = self._browser.sites
            await sites.load()
            await self._browser.requests.enforce()  # the file may name passwords by now
            site = await sites.configure(wishes.domain, **changes)
            kept = msgspec.json.encode(site).decode()
            lines.append(f"{wishes.domain}, from its next visit on: {kept}")
        elif not wishes.domain and (wishes.width or wishes.height):
            width, height = wishes.width or 1280, wishes.height or 720
            known = await self.tabs()
            await set_viewport(known.tab(), width, height)
            lines.append(f"{known.active} is {width} by {height} pixels")
        if wishes.headless is not None:
            lines.append(self._shown(headless=wishes.headless))
        return lines

    def allow(self, domain: str) -> None:
        """The person has agreed to this place: one host and what is below it, never a whole ending."""
        patterns = patterns_of(domain)
        if not patterns:
            raise ToolFailed(f"{domain[:80]!r} is no domain; write it like shop.example")
        self._repls.taint.allow(*patterns)

    async def screenshot(self, tab: str) -> tuple[bytes, str]:
        """A picture of a tab."""
        known = await self.tabs()
        await self._browser.drivers.turn(known.tab(tab).id, acts=False)
        taken = await self._browser.screenshots.take(known.tab(tab))
        data = await anyio.to_thread.run_sync(Path(taken.path).read_bytes)
        return data, taken.mime

    def artifact(self, id: str) -> str:
        """The path of a kept file."""
        return self._browser.artifacts.get(id).path

    def _changes(self, wishes: Wishes) -> dict[str, object]:
        given: dict[str, object | None] = {
            "user_agent": wishes.user_agent,
            "locale": wishes.locale,
            "zoom": wishes.zoom,
            "dialogs": wishes.dialogs,
            "width": wishes.width,
            "height": wishes.height,
        }
        changes = {name: value for name, value in given.items() if value is not None}
        if wishes.permissions is not None:
            had = self._browser.sites.sites.get(wishes.domain)
            kept = dict.fromkeys(had.permissions if had is not None else (), "grant")
            kept |= wishes.permissions
            changes["permissions"] = tuple(name for name, how in kept.items() if how == "grant")
        return changes

    def _shown(self, *, headless: bool) -> str:
        session = self._browser.session
        if session.status().state != "off":
            raise ToolFailed("whether it is shown can be chosen only before it is started")
        session.plan = msgspec.structs.replace(session.plan, headless=headless)
        return "it will run without a window" if headless else "it will be shown in a window"

    @property
    def _browser(self) -> Browser:
        browser = self._repls.base.browser
        if browser is None:
            raise ToolFailed("this session has no browser")
        return browser


def _tells_nothing(wishes: Wishes) -> bool:
    """No words that were read can be in it: no user agent, and a locale such as ``de`` or ``de-CH``."""
    locale = wishes.locale or ""
    return not wishes.user_agent and re.fullmatch(r"([a-z]{2,3}(-[A-Z]{2})?)?", locale) is not None


@asynccontextmanager
async def seated(
    repls: Repls, guard: Guard, *, script_seconds: float
) -> AsyncGenerator[BrowserSeat]:
    """The seat until the end of the block, which closes the REPL if one was opened."""
    opening = partial(repls.open, Wish(name="tools"))
    async with StandingRepl(repls.base.state, opening) as repl:
        yield BrowserSeat(repls, repl, guard, script_seconds=script_seconds)
