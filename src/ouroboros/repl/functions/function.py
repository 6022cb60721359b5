"""A page function as a tool: its words for the model, its effect for the rules, its work."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, structs

from ouroboros.browser.errors import BrowserFailed
from ouroboros.core.errors import ToolFailed
from ouroboros.repl.functions.pages import Pages
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext

LONGEST = 120_000.0
"""Milliseconds that a call may wait for something of a page."""


class Spec(Struct, frozen=True, kw_only=True):
    """What there is to say of a function.

    Attributes:
        usage: How it is called and what it gives, such as ``getText(tab, sel?): string|null``.
        description: One sentence for the model; empty where ``usage`` says it all.
        kind: ``look`` reads a page, ``act`` works in one, ``risk`` is asked for each time.
        says: One readable line for the person.
        url: Where it would go, if not where its tab is.
        longest: Milliseconds that its ``timeout`` may be; a longer one is cut to this.
        reads: What it gives holds words of the page; a wait's answer does not.
    """

    name: str
    usage: str
    arguments: type[Struct]
    work: Callable[[Pages, Any, ToolContext], Awaitable[Result]]
    kind: Literal["look", "act", "risk", "none"] = "look"
    description: str = ""
    says: Callable[[Any], str] | None = None
    url: Callable[[Any], str] | None = None
    risk: str = ""
    longest: float = LONGEST
    reads: bool = True


class Function:
    """One function that code may call with positional arguments, options last."""

    def __init__(self, spec: Spec, pages: Pages) -> None:
        """``pages`` is what it works on."""
        self._spec, self._pages = spec, pages
        self.name, self.usage, self.arguments = spec.name, spec.usage, spec.arguments
        self.description = spec.description or spec.usage
        self.parallel_safe = spec.kind in {"look", "none"}

    def effect(self, arguments: Struct, cwd: Path) -> Effect:
        """What it would do, on the page where its tab is now."""
        del cwd
        tab = getattr(arguments, "tab", "")
        action = self._spec.says(arguments) if self._spec.says else f"{self.name} {tab}".strip()
        url = self._spec.url(arguments) if self._spec.url else self._pages.url(tab)
        return Effect(kind=self._spec.kind, action=action, url=url, risk=self._spec.risk)

    async def run(
        self, arguments: Struct, context: ToolContext
    ) -> AsyncIterator[Progress | Result]:
        """Does it; the session counts as a reader before any word of the page can reach its code."""
        tab: str = getattr(arguments, "tab", "")
        wish = bounded(arguments, self._spec.longest)
        try:
            if tab:
                await self._pages.parts.turn(tab, self._spec.kind in {"act", "risk"})
            if self._spec.reads:
                await self._pages.looked(tab)
            result = await self._spec.work(self._pages, wish, context)
        except BrowserFailed as failed:
            if not failed.hint:
                raise
            raise ToolFailed(f"{failed.message}; {failed.hint}") from failed
        if self._spec.reads:  # the page may be another one by now
            await self._pages.looked(tab)
        yield result


def bounded(arguments: Struct, longest: float) -> Struct:
    """The arguments with an end to what they wait for; what did not come in time says how long that was."""
    timeout: float = getattr(arguments, "timeout", 0.0)
    if 0 <= timeout <= longest:
        return arguments
    return structs.replace(arguments, timeout=min(max(timeout, 0.0), longest))
