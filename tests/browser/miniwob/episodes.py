"""Episodes of MiniWoB++: a page, a judge beside it, and a policy that has page functions only."""

import itertools
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import msgspec
from msgspec import Struct

from ouroboros.browser.tabs import Tab
from ouroboros.tools.registry import AnyTool
from ouroboros.tools.tool import Effect, Progress, Result, ToolContext
from tests.browser.chromium import Chromium
from tests.browser.desk import Desk, desk
from tests.browser.miniwob.judge import Judge, Verdict, cheats, is_honest, judging
from tests.browser.miniwob.pages import address, folder
from tests.browser.miniwob.policies import SHARED
from tests.browser.site import serving
from tests.browser.stage import Stage, staged

SETTLE_SECONDS = 60.0
POLICY_SECONDS = 60.0


class Ended(Struct, frozen=True, kw_only=True):
    """How one episode came out."""

    task: str
    seed: int
    raw: float
    done: bool
    foul: str = ""
    error: str = ""

    @property
    def solved(self) -> bool:
        """With the whole reward, and fairly; some tasks give a little for less."""
        return self.done and self.raw >= 1 and not self.foul


class Noted:
    """A function whose arguments are written down before it runs."""

    def __init__(self, function: AnyTool, log: list[str]) -> None:
        self.name, self.description = function.name, function.description
        self.arguments, self.parallel_safe = function.arguments, function.parallel_safe
        self._function, self._log = function, log

    def effect(self, arguments: Struct, cwd: Path) -> Effect:
        return self._function.effect(arguments, cwd)

    def run(self, arguments: Struct, context: ToolContext) -> AsyncIterator[Progress | Result]:
        self._log.append(f"{self.name} {msgspec.json.encode(arguments).decode()}")
        return self._function.run(arguments, context)


class Arena:
    """A browser with the pages, and a REPL for the policies."""

    def __init__(self, chromium: Chromium, stage: Stage, desk: Desk, log: list[str]) -> None:
        self.chromium, self.stage, self.desk, self.log = chromium, stage, desk, log

    async def play(
        self, task: str, seed: int, code: str, *, settles: float = SETTLE_SECONDS
    ) -> Ended:
        """One episode in a tab of its own; ``settles`` is how long its end is waited for."""
        async with self.seated(task) as (tab, judge):
            return await self.episode(tab, judge, task, seed, code, settles=settles)

    @asynccontextmanager
    async def seated(self, task: str) -> AsyncGenerator[tuple[Tab, Judge]]:
        """A tab that shows a task, and its judge."""
        tab = await self.stage.open(address(task))
        try:
            async with judging(self.chromium, tab.target) as judge:
                yield tab, judge
        finally:
            with anyio.CancelScope(shield=True):
                if not tab.is_closed:
                    await self.stage.tabs.close(tab.id)

    async def episode(
        self,
        tab: Tab,
        judge: Judge,
        task: str,
        seed: int,
        code: str,
        *,
        settles: float = SETTLE_SECONDS,
    ) -> Ended:
        """Resets, lets the policy act, and judges."""
        goal = await judge.reset(seed)
        self.log.clear()
        for name, value in (("goal", goal), ("tab", tab.id)):
            await self.desk.repl.define(name, msgspec.json.encode(value))
        entry = await self.desk.block(code, seconds=POLICY_SECONDS)
        verdict = await _settled(judge, settles) if entry.ok else await judge.verdict()
        foul = ", ".join(cheats([code, *self.log]))[:300]
        if not foul and not is_honest(verdict.stacks, self.stage.site.origin(), folder()):
            foul = "ended from outside the page: " + "; ".join(verdict.stacks)[:300]
        return Ended(
            task=task,
            seed=seed,
            raw=verdict.raw,
            done=verdict.done,
            foul=foul,
            error="" if entry.ok else entry.text[:300],
        )


async def _settled(judge: Judge, seconds: float) -> Verdict:
    verdict = await judge.verdict()
    with anyio.move_on_after(seconds):
        for pause in itertools.repeat(0.02):
            if verdict.done:
                break
            await anyio.sleep(pause)
            verdict = await judge.verdict()
    return verdict


@asynccontextmanager
async def arena(chromium: Chromium, scratch: Path) -> AsyncGenerator[Arena]:
    """Serves the pages and opens a REPL over a browser context of its own."""
    log: list[str] = []
    with serving(folder()) as site:
        async with (
            staged(chromium, site) as stage,
            desk(stage, scratch, noting=lambda function: Noted(function, log)) as opened,
        ):
            await opened.run(SHARED)
            yield Arena(chromium, stage, opened, log)
