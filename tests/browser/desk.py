"""A REPL of real parts over a test's tabs: isolate, spine, page functions, and what watches a browser."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from ouroboros.browser.capture.screenshots import Screenshots
from ouroboros.browser.live.driver import Drivers
from ouroboros.browser.log.console import ConsoleLog
from ouroboros.browser.log.network import NetworkLog
from ouroboros.browser.prompts.dialogs import Dialogs
from ouroboros.browser.recovery import Recovery, revive
from ouroboros.browser.tabs import Tabs
from ouroboros.browser.transfer.artifacts import Artifacts
from ouroboros.browser.transfer.downloads import Downloads
from ouroboros.browser.transfer.uploads import Uploads
from ouroboros.code.pool import Isolates
from ouroboros.core.clock import SystemClock
from ouroboros.core.commands import Mode
from ouroboros.core.events import PermissionRequested
from ouroboros.repl.capabilities import Capabilities, Watcher
from ouroboros.repl.functions.catalogue import page_functions
from ouroboros.repl.functions.pages import RISKS, Pages, Parts
from ouroboros.repl.functions.session import SleepFunction
from ouroboros.repl.getters import TabGetters
from ouroboros.repl.metadata import Entry
from ouroboros.repl.session import Repl
from ouroboros.repl.taint import Taint
from ouroboros.tools.approval import Answer
from ouroboros.tools.registry import AnyTool
from tests.browser.stage import Stage
from tests.unit.tools.spine import Spine


class OwnTabs:
    """The tabs of the stage, as a session's browser gives them."""

    def __init__(self, tabs: Tabs) -> None:
        self._tabs = tabs

    async def tabs(self) -> Tabs:
        return self._tabs

    async def recover(self) -> Recovery:
        return await revive(self._tabs)


class Desk:
    """Runs blocks and hands out what came of them."""

    def __init__(self, repl: Repl, spine: Spine, stage: Stage, parts: Parts, taint: Taint) -> None:
        self.repl, self.spine, self.stage = repl, spine, stage
        self.parts, self.taint = parts, taint
        self._calls = 0

    async def block(self, code: str, *, seconds: float = 30.0) -> Entry:
        """Runs one block."""
        self._calls += 1
        return await self.repl.run_block(code, call_id=f"block_{self._calls}", seconds=seconds)

    async def run(self, code: str, *, seconds: float = 30.0) -> Any:
        """What the code gives to ``setFinal``; a block that fails, fails the test."""
        entry = await self.block(code, seconds=seconds)
        assert entry.ok, entry.text
        return None if entry.outcome.final is None else msgspec.json.decode(entry.outcome.final)

    async def fails(self, code: str) -> str:
        """The words of the error that ended the code."""
        entry = await self.block(code)
        assert entry.outcome.thrown is not None, entry.text
        return entry.outcome.thrown.message

    @property
    def questions(self) -> list[PermissionRequested]:
        """What the person was asked."""
        return self.spine.asker.questions


@asynccontextmanager
async def desk(
    stage: Stage,
    folder: Path,
    *,
    mode: Mode = "full-auto",
    answers: Sequence[Answer] = (),
    rules: Sequence[tuple[str, str]] = (),
    risks: frozenset[str] = RISKS,
    is_child: bool = False,
    noting: Callable[[AnyTool], AnyTool] | None = None,
    drivers: Drivers | None = None,
) -> AsyncGenerator[Desk]:
    """A REPL whose person gives ``answers``; files may be uploaded from ``folder``."""
    spine = Spine(folder, mode=mode, answers=answers, rules=rules)
    taint = Taint()
    publish = spine.journal.record
    artifacts = Artifacts(folder.parent / "artifacts", publish)
    dialogs, downloads = Dialogs(publish), Downloads(artifacts, publish)
    console, network = ConsoleLog(), NetworkLog()
    for watching in (dialogs, downloads, console, network):
        await watching.begin(stage.connection, stage.tabs)
    parts = Parts(
        dialogs=dialogs,
        downloads=downloads,
        uploads=Uploads((folder,)),
        artifacts=artifacts,
        screenshots=Screenshots(artifacts),
        console=console,
        network=network,
        turn=(drivers or Drivers(publish)).turn,
    )
    capabilities = Capabilities(is_child=is_child, tabs=stage.tabs.all)
    pages = Pages(OwnTabs(stage.tabs), watch=Watcher(taint, capabilities), risks=risks, parts=parts)
    functions: list[AnyTool] = [*page_functions(pages), SleepFunction()]
    if noting is not None:
        functions = [noting(function) for function in functions]
    async with (
        Isolates(environment={}, clock=SystemClock()) as isolates,
        Repl(
            isolates,
            performer=spine.orchestrator,
            functions=functions,
            record=publish,
            taint=taint,
            capabilities=capabilities,
            getters=TabGetters(lambda: stage.tabs),
        ) as repl,
    ):
        yield Desk(repl, spine, stage, parts, taint)
