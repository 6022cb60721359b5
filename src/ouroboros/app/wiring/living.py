"""The commands of a session that outlive the calls that started them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from ouroboros.app.kit import Kit
from ouroboros.tools.exec.processes import Processes


@asynccontextmanager
async def opened(kit: Kit, warnings: list[str]) -> AsyncGenerator[Processes]:
    """The table of them; ``warnings`` tell which ended with the program that had this session before."""
    state, lost = kit.state, dict(kit.state.processes)
    warnings.extend(
        f"the command {command!r} ended with the program that had this session before"
        for command in lost.values()
    )
    processes = Processes(is_paused=lambda: bool(state.approvals or state.asked), lost=lost)
    async with processes.opened():
        yield processes
