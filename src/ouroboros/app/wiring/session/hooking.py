"""Joins the hooks of a session with all that asks them; a session without any pays nothing."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

from anyio import to_thread
from msgspec.structs import replace

from ouroboros.app.kit import Kit
from ouroboros.app.wiring.session.opening import Opening


async def hooked(kit: Kit, opening: Opening, warnings: list[str], *, resumed: bool) -> Kit:
    """The kit with the hooks that may run; ``warnings`` tell of those that may not."""
    if not opening.hooks and not kit.settings.hooks:
        return kit
    from ouroboros.app.config.trust import project_folder
    from ouroboros.app.hooks import standing
    from ouroboros.app.hooks.around import Around, AskedFirst, Cuts, Facts
    from ouroboros.app.hooks.files import of_settings
    from ouroboros.app.wiring.toolbox import Outputs
    from ouroboros.plugins.hooks.running import Hooks, World

    files = of_settings(kit.settings.hooks) if opening.hooks is None else opening.hooks
    reading = await to_thread.run_sync(standing.read, kit.home, files)
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
        keep=Outputs(kit.home, kit.leaks).keep,
        barred=partial(to_thread.run_sync, partial(standing.barred, kit.home, project)),
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
    around = Around(Hooks(reading.active, world), facts)
    kit.journal.listen(around.listen)
    return replace(kit, hooks=around, asker=AskedFirst(around, kit.asker), around=Cuts(around))


@asynccontextmanager
async def heard(kit: Kit) -> AsyncGenerator[None]:
    """For as long as the block runs hooks may run beside it; at its end they hear of that."""
    if kit.hooks is None:
        yield
        return
    async with kit.hooks.kept():
        yield
