"""A REPL over a guarded browser context, judged by the taint that its own reading sets."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from ouroboros.browser.capture.screenshots import Screenshots
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
from ouroboros.repl.capabilities import Capabilities, Watcher
from ouroboros.repl.following import follow
from ouroboros.repl.functions.catalogue import page_functions
from ouroboros.repl.functions.pages import RISKS, Pages, Parts
from ouroboros.repl.functions.session import SleepFunction
from ouroboros.repl.getters import TabGetters
from ouroboros.repl.ledger import Ledger
from ouroboros.repl.session import Repl
from ouroboros.repl.taint import Taint
from ouroboros.tools.approval import Answer, Asker
from tests.browser.chromium import Chromium
from tests.browser.guarded import Guarded, guarded
from tests.unit.tools.spine import Spine


class Held:
    """A session's browser under guard."""

    def __init__(self, held: Guarded, spine: Spine, taint: Taint, folder: Path) -> None:
        self.held, self.spine, self.taint, self.folder = held, spine, taint, folder

    async def tabs(self) -> Tabs:
        return self.held.tabs

    async def recover(self) -> Recovery:
        return await revive(self.held.tabs)

    @asynccontextmanager
    async def repl(self, *, is_child: bool = False) -> AsyncGenerator[Repl]:
        publish = self.spine.journal.record
        artifacts = Artifacts(self.folder / "artifacts", publish)
        parts = Parts(
            dialogs=Dialogs(publish),
            downloads=Downloads(artifacts, publish),
            uploads=Uploads((self.folder,)),
            artifacts=artifacts,
            screenshots=Screenshots(artifacts),
            console=ConsoleLog(),
            network=NetworkLog(),
            touch=self.held.guard.touch,
        )
        capabilities = Capabilities(is_child=is_child, tabs=self.held.tabs.all)
        pages = Pages(self, watch=Watcher(self.taint, capabilities), risks=RISKS, parts=parts)
        async with (
            Isolates(environment={}, clock=SystemClock()) as isolates,
            Repl(
                isolates,
                performer=self.spine.orchestrator,
                functions=[*page_functions(pages), SleepFunction()],
                record=publish,
                taint=self.taint,
                capabilities=capabilities,
                getters=TabGetters(lambda: self.held.tabs),
                close_tab=self.held.tabs.close,
            ) as repl,
        ):
            yield repl


@asynccontextmanager
async def tainted(
    chromium: Chromium,
    folder: Path,
    *,
    mode: Mode = "full-auto",
    known: Sequence[str] = (),
    answers: Sequence[Answer] = (),
    asker: Asker | None = None,
) -> AsyncGenerator[Held]:
    """The person gives ``answers``, then no."""
    spine = Spine(folder, mode=mode, answers=answers, asker=asker)
    taint = Taint(known=known, confirms=RISKS)
    follow(spine.orchestrator, taint, Ledger(folder.parent / "home"))
    async with guarded(chromium, taint) as held:
        taint.enforce = held.guard.enforce
        yield Held(held, spine, taint, folder)
