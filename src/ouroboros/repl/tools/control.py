"""Tools that change how the browser is: stop what goes on, set it up, bring it back."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.state import State
from ouroboros.repl.taint import patterns_of
from ouroboros.repl.tools.seat import Seat, Wishes
from ouroboros.tools.arguments import BadArguments, decode
from ouroboros.tools.tool import Effect, Result, ToolContext

type Side = Annotated[int, Meta(ge=200, le=7680)]
type Permission = Literal["grant", "deny"]


class CancelArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which tab; all without it."""

    tab: str = ""


class ConfigureArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be different; what is left out stays."""

    domain: str = ""
    allow: bool = False
    permissions: dict[str, Permission] | None = None
    user_agent: str | None = None
    locale: str | None = None
    zoom: Annotated[float, Meta(ge=0.25, le=5)] | None = None
    dialogs: Literal["ask", "accept", "dismiss"] | None = None
    width: Side | None = None
    height: Side | None = None
    headless: bool | None = None


class RecoverArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Nothing."""


class BrowserCancelTool:
    """Stops loading, downloads and code that goes on in pages; variables stay."""

    name = "browser_cancel"
    description = "Stop loading, code and downloads in a tab, or in all of them."
    arguments = CancelArguments
    parallel_safe = False

    def __init__(self, seat: Seat) -> None:
        """Starts nothing."""
        self._seat = seat

    def effect(self, arguments: CancelArguments, cwd: Path) -> Effect:
        """Takes nothing away that is there."""
        del cwd
        return Effect(kind="none", action=f"Stop what goes on in {arguments.tab or 'every tab'}")

    async def run(self, arguments: CancelArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """What was stopped."""
        del context
        stopped = await self._seat.stop(arguments.tab)
        yield Result.of("\n".join(stopped) or "nothing was going on")


class BrowserConfigureTool:
    """Settings of a domain, which are kept, and of the window."""

    name = "browser_configure"
    description = (
        "Change settings of a domain (kept: permissions such as {geolocation: grant}, user agent, "
        "locale, zoom, dialogs; allow asks the user to let you go there), or the window's size and "
        "whether it is shown."
    )
    arguments = ConfigureArguments
    parallel_safe = False

    def __init__(self, seat: Seat) -> None:
        """Starts nothing."""
        self._seat = seat

    def effect(self, arguments: ConfigureArguments, cwd: Path) -> Effect:
        """To open a place, or to loosen what a place may do, is asked about."""
        del cwd
        if arguments.allow:
            url = f"https://{arguments.domain}/"
            return Effect(kind="origin", action=f"Open {arguments.domain} from now on", url=url)
        loosens = arguments.permissions or arguments.dialogs == "accept"
        if arguments.domain and loosens:
            granted = ", ".join(
                f"{name}: {how}" for name, how in (arguments.permissions or {}).items()
            )
            words = granted or "accept its dialogs"
            url = f"https://{arguments.domain}/"
            return Effect(kind="risk", action=f"For {arguments.domain}: {words}", url=url)
        return Effect(kind="none", action=f"Configure {arguments.domain or 'the window'}")

    async def run(
        self, arguments: ConfigureArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """What is different now."""
        del context
        of_domain = (
            arguments.permissions,
            arguments.user_agent,
            arguments.locale,
            arguments.zoom,
            arguments.dialogs,
        )
        is_of_domain = any(given is not None for given in of_domain) or arguments.allow
        if is_of_domain and not arguments.domain:
            raise ToolFailed("name the domain that this is for")
        lines: list[str] = []
        if arguments.allow:
            self._seat.allow(arguments.domain)
            lines.append(_opened(arguments.domain))
        wishes = Wishes(
            domain=arguments.domain,
            permissions=None if arguments.permissions is None else dict(arguments.permissions),
            user_agent=arguments.user_agent,
            locale=arguments.locale,
            zoom=arguments.zoom,
            dialogs=arguments.dialogs,
            width=arguments.width,
            height=arguments.height,
            headless=arguments.headless,
        )
        lines += await self._seat.configure(wishes)
        if not lines:
            raise ToolFailed("say what is to be different")
        yield Result.of("\n".join(lines))


def agreed(state: State) -> Iterator[str]:
    """Patterns of places that the person let the session go to, as far as its history tells.

    What the person changed before saying yes is not among them: a call shows what the model wished.
    """
    for call in (call for message in state.history for call in message.calls):
        result = state.results.get(call.id)
        if result is None or not result.ok or result.name != BrowserConfigureTool.name:
            continue
        with suppress(BadArguments):
            wished = decode(ConfigureArguments, call.arguments)
            if wished.allow and result.text.partition("\n")[0] == _opened(wished.domain):
                yield from patterns_of(wished.domain)


def _opened(domain: str) -> str:
    return f"{domain} may be opened"


class BrowserRecoverTool:
    """Brings a browser that is gone back, with its tabs at their last addresses."""

    name = "browser_recover"
    description = "After the browser was lost: bring it and its tabs back; says what was lost."
    arguments = RecoverArguments
    parallel_safe = False

    def __init__(self, seat: Seat) -> None:
        """Starts nothing."""
        self._seat = seat

    def effect(self, arguments: RecoverArguments, cwd: Path) -> Effect:
        """Opens what was open."""
        del arguments, cwd
        return Effect(kind="none", action="Recover the browser")

    async def run(
        self, arguments: RecoverArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """What is back and what is lost."""
        del arguments, context
        yield Result.of("\n".join(await self._seat.recover()))
