"""A REPL of real parts over a folder: a worker with an isolate, the spine, and what is kept."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from ouroboros.code.pool import Isolates
from ouroboros.core.clock import SystemClock
from ouroboros.repl.capabilities import Capabilities
from ouroboros.repl.checkpoints import Checkpoints
from ouroboros.repl.functions.own import Own
from ouroboros.repl.functions.session import session_functions
from ouroboros.repl.functions.workspace import workspace_functions
from ouroboros.repl.keepsakes import Keepsakes
from ouroboros.repl.ledger import Ledger
from ouroboros.repl.seeds import Seeds
from ouroboros.repl.session import Notes, Repl
from ouroboros.repl.taint import Taint
from ouroboros.tools.registry import AnyTool
from tests.unit.tools.spine import Spine


class Ground:
    """What outlives a REPL: the folder, the spine and the taint of a session."""

    def __init__(self, spine: Spine, home: Path, taint: Taint | None = None) -> None:
        self.spine, self.home = spine, home
        self.cwd = Path(spine.standing.cwd)
        self.taint = taint or Taint()
        self.own = Own(
            taint=self.taint, ledger=Ledger(home), keepsakes=Keepsakes(home, str(self.cwd))
        )
        self.notes = Notes()

    @asynccontextmanager
    async def repl(
        self,
        *,
        tools: Sequence[AnyTool] = (),
        capabilities: Capabilities | None = None,
        checkpoints: Checkpoints | None = None,
        seeds: Seeds | None = None,
        close_tab: Callable[[str], Awaitable[None]] | None = None,
    ) -> AsyncGenerator[Repl]:
        environment = {"PATH": os.environ["PATH"]}
        functions = (*workspace_functions(self.own), *session_functions(self.own), *tools)
        async with (
            Isolates(environment=environment, clock=SystemClock()) as isolates,
            Repl(
                isolates,
                performer=self.spine.orchestrator,
                functions=functions,
                record=self.spine.journal.record,
                taint=self.taint,
                capabilities=capabilities,
                notes=self.notes,
                seeds=seeds,
                checkpoints=checkpoints,
                close_tab=close_tab,
                seconds=60,
            ) as repl,
        ):
            yield repl
