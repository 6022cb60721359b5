"""Follows what was read of pages through every tool of a session, whichever mind calls it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import anyio

from ouroboros.core.errors import ToolFailed
from ouroboros.repl.ledger import Ledger
from ouroboros.repl.taint import Taint
from ouroboros.safety.origins import origin_of
from ouroboros.tools.tool import Effect

_PAGE = "page "


class Hands(Protocol):
    """Where effects are let through; an ``Orchestrator`` is one."""

    def watch(self, watcher: Callable[[Effect], Awaitable[None]]) -> None: ...
    async def admit(self, effect: Effect, *, name: str, call_id: str) -> None: ...


def follow(hands: Hands, taint: Taint, ledger: Ledger) -> None:
    """Lets the taint hear of all that a session's tools do, and ask about what pages do by themselves."""

    async def admit(effect: Effect) -> None:
        await hands.admit(effect, name="browser", call_id=taint.within)

    taint.admit = admit
    hands.watch(Following(taint, ledger).admitted)


class Following:
    """Hears of every effect that is let through; one for each session with a browser."""

    def __init__(self, taint: Taint, ledger: Ledger) -> None:
        """Both are those of the session's REPL."""
        self._taint, self._ledger = taint, ledger

    async def admitted(self, effect: Effect) -> None:
        """A marked file taints its reader; what a tainted writer writes is marked before it is written."""
        match effect.kind:
            case "risk" | "origin":
                self._taint.confirmed(effect)
            case "read" if effect.paths:
                found = await anyio.to_thread.run_sync(self._marks, effect)
                await self._taint.read(*found)
            case "write" if effect.paths and self._taint.is_tainted:
                await anyio.to_thread.run_sync(self._mark, effect)
            case _:
                pass

    def _marks(self, effect: Effect) -> tuple[str, ...]:
        found = (self._ledger.of(path, b"") for path in effect.paths)
        return tuple(origin for by in found for origin in by)

    def _mark(self, effect: Effect) -> None:
        try:
            for path in effect.paths:
                self._ledger.mark(path, b"", self._taint.by)
        except OSError as failed:
            raise ToolFailed(f"what it writes cannot be noted: {failed.strerror}") from failed


class Elsewhere:
    """Hears of every effect of a session: its browser may carry away what was read by other tools."""

    def __init__(self, taint: Taint, sources: Callable[[], Sequence[str]], *, is_new: bool) -> None:
        """``sources`` are what the session has read; in one that is new, pages tell of themselves."""
        self._taint, self._sources, self._is_new = taint, sources, is_new

    async def admitted(self, effect: Effect) -> None:
        """Counts as read what was read of files and outputs, before a restart, and is fetched now."""
        sources = [
            source.removeprefix(_PAGE)
            for source in self._sources()
            if not (self._is_new and source.startswith(_PAGE))
        ]
        if effect.kind == "fetch":  # no tab of the browser's tells of it
            sources.append(origin_of(effect.url) or effect.url)
        await self._taint.read(*sources)
