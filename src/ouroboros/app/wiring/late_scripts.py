"""Scripts for a session that did not ask for them: found by a search, loaded by their first use."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

from ouroboros.app.kit import Kit
from ouroboros.app.settings import Settings
from ouroboros.core.errors import OuroborosError, ToolFailed
from ouroboros.tools.orchestrator import Orchestrator
from ouroboros.tools.registry import AnyTool, Registry

if TYPE_CHECKING:
    from ouroboros.repl.metadata import Entry
    from ouroboros.repl.tools.seat import Blocks
    from ouroboros.repl.tools.seat import Kit as ScriptKit


class Late:
    """Runs scripts; what runs them is opened by the first, in a task that lives with the session."""

    def __init__(self) -> None:
        """Loads nothing, and opens nothing before ``keep``."""
        self._needed, self._ready = anyio.Event(), anyio.Event()
        self._seat: Blocks | None = None
        self._problem = ""

    def join(self, registry: Registry) -> None:
        """Lets a model find both tools."""
        registry.register_late("js", self.js)
        registry.register_late("call_tools", self.call_tools)

    async def keep(self, kit: Kit, registry: Registry, hands: Orchestrator) -> None:
        """Opens what runs scripts once it is needed, and keeps it until it is cancelled."""
        await self._needed.wait()
        from ouroboros.app.wiring import tool_family

        try:
            async with tool_family.seat_of(kit, registry, hands, browser=False) as self._seat:
                self._ready.set()
                await anyio.sleep_forever()
        except (OuroborosError, OSError, ImportError) as failed:
            self._problem = f"{type(failed).__name__}: {failed}"
        finally:
            self._seat = None
            self._ready.set()

    async def run_script(self, code: str, *, call_id: str, kit: "ScriptKit") -> "Entry":
        """Runs a whole script in a fresh isolate."""
        return await (await self._opened()).run_script(code, call_id=call_id, kit=kit)

    async def run_block(self, code: str, *, call_id: str, seconds: float | None = None) -> "Entry":
        """Runs a block in the session's REPL."""
        return await (await self._opened()).run_block(code, call_id=call_id, seconds=seconds)

    def js(self) -> AnyTool:
        """Scripts over files."""
        from ouroboros.repl.tools.execute import js_tool

        return js_tool(self, exposure="deferred")

    def call_tools(self) -> AnyTool:
        """Scripts over the session's tools."""
        from ouroboros.repl.tools.execute import code_tool

        return code_tool(self, exposure="deferred")

    async def _opened(self) -> "Blocks":
        self._needed.set()
        await self._ready.wait()
        if self._seat is None:
            raise ToolFailed(f"scripts cannot be run here: {self._problem or 'the session ends'}")
        return self._seat


def wanted(settings: Settings, *, browser: bool = False) -> Late | None:
    """Nothing where scripts are among the tools that a model is told of."""
    return None if browser or settings.browser.tools or settings.tools.scripts else Late()


@asynccontextmanager
async def kept(
    late: Late, kit: Kit, registry: Registry, hands: Orchestrator
) -> AsyncGenerator[None]:
    """Lets scripts run until the end of the session."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(late.keep, kit, registry, hands)
        yield
        tasks.cancel_scope.cancel()
