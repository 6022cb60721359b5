"""Joins the hooks of a session with all that asks them; a session without any pays nothing."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from msgspec.structs import replace

from ouroboros.agent.context.cut import Cut, Flush
from ouroboros.app.config.layers import MANAGED
from ouroboros.app.kit import Kit
from ouroboros.app.wiring.session.opening import Opening

if TYPE_CHECKING:
    from ouroboros.app.config.layers import Loaded
    from ouroboros.app.hooks.judging import ModelJudge


async def hooked(kit: Kit, opening: Opening, warnings: list[str], *, resumed: bool) -> Kit:
    """The kit with the hooks that may run; ``warnings`` tell of those that may not."""
    if opening.apart:
        return kit
    if not kit.settings.hooks and not await to_thread.run_sync(_has_files, opening.hooks):
        return kit
    from ouroboros.app.config.trust import project_folder
    from ouroboros.app.hooks import standing
    from ouroboros.app.hooks.around import Around
    from ouroboros.app.hooks.facts import Facts
    from ouroboros.app.hooks.files import files, of_settings
    from ouroboros.plugins.hooks.running import Hooks, World

    def read() -> standing.Reading:
        own = of_settings(kit.settings.hooks)
        return standing.read(
            kit.home,
            files(opening.hooks) if opening.hooks else own,
            only_managed=kit.settings.managed_hooks_only,
        )

    reading = await to_thread.run_sync(read)
    warnings += reading.warnings
    if not reading.active:
        return kit
    project = project_folder(kit.cwd, kit.home)
    is_mirrored = kit.settings.sessions.mirror
    world = World(
        record=kit.journal.record,
        clock=kit.clock,
        ids=kit.ids,
        cwd=kit.cwd,
        environment=kit.environment,
        keep=kit.spill.keep,
        barred=partial(to_thread.run_sync, partial(standing.barred, kit.home, project)),
        judge=_judge(kit, opening),
    )
    facts = Facts(
        state=kit.state,
        cwd=str(kit.cwd),
        transcript=str(kit.home / "mirror" / f"{kit.state.session}.jsonl") if is_mirrored else None,
        never_asks=kit.settings.approval_policy == "never",
        model=lambda: kit.lineup.speaker.name,
        ids=kit.ids,
        stop=kit.stop.send,
        beginning="resume" if resumed else "startup",
    )
    around = Around(Hooks(reading.active, world), facts, kit.asker)
    kit.journal.listen(around.listen)
    return replace(
        kit,
        hooks=around,
        calls=around.calls,
        children=around.children,
        asker=around.asker,
        around=around.summaries,
        flush=_both(kit.flush, around.summaries.flush),
    )


def _both(first: Flush, second: Flush) -> Flush:
    """Both at once: neither takes the time of the other."""

    async def flushed(cut: Cut) -> None:
        async def one(flush: Flush) -> None:
            await flush(cut)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(one, first)
            tasks.start_soon(one, second)

    return flushed


def _judge(kit: Kit, opening: Opening) -> "ModelJudge":
    from ouroboros.app.hooks.judging import Ground, ModelJudge

    return ModelJudge(
        Ground(
            settings=kit.settings,
            home=kit.home,
            record=kit.journal.record,
            clock=kit.clock,
            ids=kit.ids,
            speaker=lambda: kit.lineup.speaker,
            another=kit.speakers.another,
            redact=kit.leaks.redacted,
            rooms=opening.rooms,
        )
    )


def _has_files(loaded: "Loaded | None") -> bool:
    """Whether there is a file of hooks besides the settings; blocking."""
    if loaded is None:
        return False
    own = (loaded.home, loaded.project / ".ouroboros", MANAGED.parent)
    return any((folder / "hooks.json").exists() for folder in own)


@asynccontextmanager
async def heard(kit: Kit) -> AsyncGenerator[None]:
    """For as long as the block runs hooks may run beside it; at its end they hear of that."""
    if kit.hooks is None:
        yield
        return
    async with kit.hooks.kept():
        yield
