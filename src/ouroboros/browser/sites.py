"""What a person has settled for single sites: kept in ``home/browser/domains.toml``, applied at the next visit."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio.to_thread
import msgspec
from msgspec import Meta, Struct, field, structs

from ouroboros.browser.connection import Connection
from ouroboros.browser.errors import BrowserFailed, TabGone
from ouroboros.browser.prompts.dialogs import DialogRule
from ouroboros.browser.prompts.permissions import PERMISSIONS, Permissions
from ouroboros.browser.tabs import Tab, TabFacts, Tabs
from ouroboros.safety.origins import address, place
from ouroboros.safety.private_file import replacing

FILE_BYTES = 1_048_576
"""A larger file is none of ours."""

MOST_SITES = 2_000


class Site(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The settings of one place, such as ``shop.example`` or ``localhost:8080``.

    Attributes:
        permissions: What its pages may use, such as ``geolocation``.
        user_agent: How the browser calls itself there.
        width: Of the viewport in CSS pixels; with ``height``.
        locale: Such as ``de-DE``.
        timezone: Such as ``Europe/Berlin``.
        zoom: 1 is the usual size.
        dialogs: What becomes of its confirm and prompt dialogs.
        credentials: Where the user and password for its HTTP login are: ``env:NAME`` holds
            ``user:password``; ``vault:NAME`` too. Never the words themselves.
    """

    permissions: tuple[str, ...] = ()
    user_agent: str = ""
    width: Annotated[int, Meta(ge=0, le=8000)] = 0
    height: Annotated[int, Meta(ge=0, le=8000)] = 0
    locale: str = ""
    timezone: str = ""
    zoom: Annotated[float, Meta(ge=0.25, le=5)] = 1.0
    dialogs: Literal["ask", "accept", "dismiss"] = "ask"
    credentials: Annotated[str, Meta(pattern=r"^((env|vault):[A-Za-z0-9_.\-]{1,64})?$")] = ""


class _File(Struct, frozen=True, kw_only=True):
    sites: dict[str, Site] = field(default_factory=dict[str, Site])


class Sites:
    """Reads, changes and applies the settings."""

    def __init__(self, path: Path) -> None:
        """``path`` need not exist; it is read with ``load``."""
        self._path = path
        self.sites: dict[str, Site] = {}
        self._shaped: dict[str, Site] = {}

    async def load(self) -> None:
        """Reads the file again.

        Raises:
            BrowserFailed: It is broken; the words say where.
        """

        def read() -> bytes:
            if not self._path.exists():
                return b""
            if self._path.stat().st_size > FILE_BYTES:
                raise BrowserFailed(f"{self._path} is too large")
            return self._path.read_bytes()

        try:
            content = await anyio.to_thread.run_sync(read)
            found = msgspec.toml.decode(content, type=_File) if content.strip() else _File()
        except OSError as refused:
            raise BrowserFailed(f"cannot read {self._path}: {refused.strerror}") from refused
        except (msgspec.MsgspecError, UnicodeDecodeError) as odd:
            raise BrowserFailed(f"{self._path}: {odd}", hint="repair or remove it") from odd
        for word, site in found.sites.items():
            _check(word, site)
        self.sites = dict(found.sites)

    def of(self, url: str) -> Site:
        """The settings for an address: those of the narrowest place that names it."""
        named = [word for word in self.sites if (found := place(word)) and found.names(url)]
        return self.sites[max(named, key=len)] if named else Site()

    async def configure(self, where: str, **changes: object) -> Site:
        """Changes some settings of a place and keeps them; they hold from its next visit on.

        Raises:
            BrowserFailed: No such place or setting, or the file cannot be written.
        """
        before = self.sites.get(where, Site())
        unknown = set(changes) - set(Site.__struct_fields__)
        if unknown:
            known = ", ".join(Site.__struct_fields__)
            raise BrowserFailed(f"no setting {', '.join(sorted(unknown))}; there are {known}")
        try:
            site = msgspec.convert({**structs.asdict(before), **changes}, type=Site)
        except msgspec.MsgspecError as odd:
            raise BrowserFailed(f"{where}: {odd}") from odd
        _check(where, site)
        sites = {**self.sites, where: site}
        if site == Site():
            del sites[where]
        if len(sites) > MOST_SITES:
            raise BrowserFailed(f"settings for more than {MOST_SITES} sites")
        await self._write(sites)
        self.sites = sites
        return site

    async def _write(self, sites: dict[str, Site]) -> None:
        def write() -> None:
            import tomlkit

            content: dict[str, Any] = msgspec.to_builtins(_File(sites=sites))
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with replacing(self._path) as file:
                file.write(tomlkit.dumps(content).encode())

        try:
            await anyio.to_thread.run_sync(write)
        except OSError as full:
            raise BrowserFailed(
                f"cannot write {self._path}: {full.strerror}", hint="free some of the disk"
            ) from full

    def dialog_rule(self, url: str) -> DialogRule:
        """For ``Dialogs``."""
        return self.of(url).dialogs

    async def begin(self, connection: Connection, tabs: Tabs) -> None:
        """Applies the settings at every visit from now on.

        Raises:
            BrowserFailed: The file is broken.
        """
        await self.load()
        self._tabs = tabs
        self._shaped.clear()  # a browser that was started anew knows nothing of them
        self._permissions = Permissions()
        await self._permissions.begin(connection, tabs)
        tabs.listen(self._moved)

    async def visit(self, tab: Tab, url: str) -> None:
        """Makes a tab ready for an address; awaited before one of ours goes there."""
        site = self.of(url)
        if self._shaped.get(tab.id, Site()) == site:
            return
        before = self._shaped.get(tab.id, Site())
        for method, params in _overrides(before, site):
            await tab.call(method, params)
        self._shaped[tab.id] = site
        read = address(url)
        if read is not None and read.host:
            for name in site.permissions:
                await self._permissions.grant(read.origin, name)
            for name in set(before.permissions) - set(site.permissions):
                await self._permissions.deny(read.origin, name)

    def _moved(self, facts: TabFacts) -> None:
        if facts.status == "closed":
            self._shaped.pop(facts.id, None)
            return
        with suppress(TabGone):  # told of before it is one
            self._tabs.tab(facts.id).before = self.visit


def _check(where: str, site: Site) -> None:
    if place(where) is None:
        raise BrowserFailed(f"{where!r} names no place; write it like shop.example")
    unknown = set(site.permissions) - set(PERMISSIONS)
    if unknown:
        raise BrowserFailed(
            f"{where}: no permission {', '.join(sorted(unknown))}; known: {', '.join(PERMISSIONS)}"
        )
    if bool(site.width) != bool(site.height):
        raise BrowserFailed(f"{where}: give the width and the height of the viewport together")


def _overrides(before: Site, site: Site) -> list[tuple[str, dict[str, Any]]]:
    """The calls that turn one site's shape into another's."""
    calls: list[tuple[str, dict[str, Any]]] = []
    if (before.user_agent, before.locale) != (site.user_agent, site.locale):
        agent: dict[str, Any] = {"userAgent": site.user_agent}
        if site.locale:
            agent["acceptLanguage"] = site.locale
        calls.append(("Emulation.setUserAgentOverride", agent))
        calls.append(("Emulation.setLocaleOverride", {"locale": site.locale}))
    if before.timezone != site.timezone:
        calls.append(("Emulation.setTimezoneOverride", {"timezoneId": site.timezone}))
    shape = (site.width, site.height, site.zoom)
    if (before.width, before.height, before.zoom) != shape:
        if site.width or site.zoom != 1.0:
            metrics = {"width": site.width, "height": site.height, "mobile": False}
            calls.append((
                "Emulation.setDeviceMetricsOverride",
                {**metrics, "deviceScaleFactor": site.zoom},
            ))
        else:
            calls.append(("Emulation.clearDeviceMetricsOverride", {}))
    return calls
