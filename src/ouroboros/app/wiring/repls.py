"""Opens REPLs for a session: its own, those of its children, and scripts; all share one taint.

Imported only by sessions that run code.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio
from msgspec import Struct

from ouroboros.app import kit as kits
from ouroboros.app.browsing.browser import Browser
from ouroboros.browser.tabs import TabFacts
from ouroboros.core.events import Event
from ouroboros.core.state import State
from ouroboros.repl.api import reference
from ouroboros.repl.capabilities import Capabilities, Watcher
from ouroboros.repl.checkpoints import Checkpoints
from ouroboros.repl.functions.catalogue import page_groups
from ouroboros.repl.functions.own import Own
from ouroboros.repl.functions.pages import Pages, Parts
from ouroboros.repl.functions.session import RecipeFunction, Recipes, session_functions
from ouroboros.repl.functions.workspace import workspace_functions
from ouroboros.repl.getters import TabGetters
from ouroboros.repl.hiding import Hide, nothing
from ouroboros.repl.keepsakes import Keepsakes
from ouroboros.repl.ledger import Ledger
from ouroboros.repl.recipes import Shelf
from ouroboros.repl.seams import Isolates, Performer
from ouroboros.repl.seeds import Seeds
from ouroboros.repl.session import Notes, Repl
from ouroboros.repl.taint import Taint
from ouroboros.repl.tools.execute import BrowserCommandTool, BrowserExecuteTool, ScriptTool
from ouroboros.repl.tools.seat import Kit
from ouroboros.tools.builtin.session import DoneTool
from ouroboros.tools.registry import AnyTool

_NOT_WITHIN = (ScriptTool, BrowserExecuteTool, BrowserCommandTool, DoneTool)
"""Tools that run code or end the run are not for code."""


class Base(Struct, frozen=True, kw_only=True):
    """What every REPL of a session stands on.

    Attributes:
        home: Folder of ours.
        cwd: The workspace.
        state: Of the session: it names checkpoints, and knows where the conversation stands.
        performer: Carries calls out by the rules.
        record: Puts events on record.
        browser: None for a session without one.
        recipes: None where none are shipped.
        seconds: Running time of a block.
        risks: What is asked before it is done in a page.
        hide: Takes secrets out of what is told of a block.
        tools: Those of the mind that calls tools, for scripts that call them.
    """

    home: Path
    cwd: Path
    state: State
    performer: Performer
    record: Callable[[Event], None]
    isolates: Isolates
    browser: Browser | None
    recipes: Recipes | None
    seconds: float
    risks: frozenset[str]
    hide: Hide = nothing
    tools: Callable[[], tuple[AnyTool, ...]] = tuple


def base(
    kit: kits.Kit,
    isolates: Isolates,
    performer: Performer,
    browser: Browser | None,
    *,
    tools: Callable[[], tuple[AnyTool, ...]] = tuple,
) -> Base:
    """What the REPLs of a session stand on; ``tools`` as in ``Base``."""
    return Base(
        home=kit.home,
        cwd=kit.cwd,
        state=kit.state,
        performer=performer,
        record=kit.journal.record,
        isolates=isolates,
        browser=browser,
        recipes=Shelf(),
        seconds=kit.settings.rlm.block_timeout,
        risks=frozenset(kit.settings.browser.confirm),
        hide=kit.leaks.redacted_cut,
        tools=tools,
    )


class Wish(Struct, frozen=True, kw_only=True):
    """One REPL.

    Attributes:
        name: Of its checkpoint; empty keeps none.
        tools: Functions besides, such as ``llm_query``.
        withheld: Functions that answer with these words instead of doing anything.
        is_child: It may act in its own tabs only, and writes no file.
        performer: Carries its calls out; None leaves it to whoever does for all.
    """

    name: str = ""
    seeds: Seeds = Seeds()
    tools: tuple[AnyTool, ...] = ()
    withheld: Mapping[str, str] = {}
    is_child: bool = False
    performer: Performer | None = None


class Open(Struct, frozen=True, kw_only=True):
    """An open REPL and what a prompt says of its functions."""

    repl: Repl
    api: str


class Repls:
    """Opens REPLs."""

    def __init__(self, base: Base) -> None:
        """Opens none yet."""
        self.base = base
        self.taint = base.browser.taint if base.browser is not None else Taint()
        self.own = Own(
            taint=self.taint,
            ledger=Ledger(base.home),
            keepsakes=Keepsakes(base.home, str(base.cwd)),
        )

    @asynccontextmanager
    async def open(self, wish: Wish) -> AsyncGenerator[Open]:
        """A REPL until the end of the block; tabs that a child opened are closed with it."""
        base, browser = self.base, self.base.browser
        notes = Notes()
        capabilities = Capabilities(
            is_child=wish.is_child,
            withheld=wish.withheld,
            tabs=self._facts,
        )
        groups = self._groups(wish, capabilities, notes)
        made = Repl(
            base.isolates,
            performer=wish.performer or base.performer,
            functions=[tool for _, tools in groups for tool in tools],
            record=base.record,
            taint=self.taint,
            capabilities=capabilities,
            notes=notes,
            getters=TabGetters(browser.known) if browser is not None else None,
            seeds=wish.seeds,
            checkpoints=self._checkpoints(wish.name),
            close_tab=self._close_tab,
            seconds=base.seconds,
            hide=base.hide,
        )
        if base.browser is not None:
            words = [seed.source for seed in wish.seeds.seeds if "\0" not in seed.source]
            named = [word.partition("=")[2] for word in words if "=" in word]
            await self.own.has_found([base.cwd / file for file in (*words, *named)])
        async with made as repl:
            yield Open(repl=repl, api=reference(groups, has_browser=browser is not None))

    @asynccontextmanager
    async def script(self, kit: Kit) -> AsyncGenerator[Repl]:
        """A fresh isolate without a browser, whose code may use files, or the session's tools."""
        base = self.base
        if kit == "files":
            functions = workspace_functions(self.own)
        else:
            functions = tuple(tool for tool in base.tools() if not isinstance(tool, _NOT_WITHIN))
        made = Repl(
            base.isolates,
            performer=base.performer,
            functions=functions,
            record=base.record,
            taint=self.taint,
            seconds=base.seconds,
            hide=base.hide,
        )
        async with made as repl:
            yield repl

    def api(self, wish: Wish) -> str:
        """What a prompt says of the functions of such a REPL, without opening it."""
        groups = self._groups(wish, Capabilities(is_child=wish.is_child), Notes())
        return reference(groups, has_browser=self.base.browser is not None)

    def _groups(
        self, wish: Wish, capabilities: Capabilities, notes: Notes
    ) -> list[tuple[str, tuple[AnyTool, ...]]]:
        base = self.base
        groups: list[tuple[str, tuple[AnyTool, ...]]] = []
        if wish.tools:
            groups.append(("Models", wish.tools))
        if base.browser is not None:
            pages = self._pages(base.browser, capabilities)
            groups += page_groups(pages)
        groups.append(("Workspace", workspace_functions(self.own, may_write=not wish.is_child)))
        kept = session_functions(self.own)
        if base.recipes is not None and base.browser is not None:
            kept = (*kept, RecipeFunction(base.recipes, notes.show))
        groups.append(("Kept", kept))
        return groups

    def _pages(self, browser: Browser, capabilities: Capabilities) -> Pages:
        parts = Parts(
            dialogs=browser.dialogs,
            downloads=browser.downloads,
            uploads=browser.uploads,
            artifacts=browser.artifacts,
            screenshots=browser.screenshots,
            console=browser.console,
            network=browser.network,
            touch=browser.requests.touch,
            turn=browser.drivers.turn,
        )
        watch = Watcher(self.taint, capabilities)
        return Pages(browser, watch=watch, risks=self.base.risks, parts=parts)

    def _facts(self) -> tuple[TabFacts, ...]:
        known = self.base.browser.known() if self.base.browser is not None else None
        return known.all() if known is not None else ()

    def _checkpoints(self, name: str) -> Checkpoints | None:
        return Checkpoints.of(self.base.home, self.base.state, name) if name else None

    async def _close_tab(self, tab: str) -> None:
        known = self.base.browser.known() if self.base.browser is not None else None
        if known is not None:
            await known.close(tab)


class StandingRepl:
    """Opens it when it is needed, and anew where the conversation went on from elsewhere."""

    def __init__(
        self, state: State, opening: Callable[[], AbstractAsyncContextManager[Open]]
    ) -> None:
        """``opening`` may be entered and left by any task: nothing in it belongs to one."""
        self._state, self._opening = state, opening
        self._lock = anyio.Lock()
        self._stack = AsyncExitStack()
        self._repl: Repl | None = None
        self._moves = state.moves

    async def get(self) -> Repl:
        """The REPL with the variables of where the conversation stands."""
        async with self._lock:
            if self._repl is not None and self._moves != self._state.moves:
                self._repl = None
                await self._stack.aclose()
            if self._repl is None:
                self._moves = self._state.moves
                self._repl = (await self._stack.enter_async_context(self._opening())).repl
            return self._repl

    async def __aenter__(self) -> Self:
        """Opens nothing yet."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Closes what is open."""
        return await self._stack.__aexit__(kind, error, trace)
