"""Where rooms are joined into one open session."""

import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from anyio import CancelScope, to_thread

from ouroboros.app import secrecy
from ouroboros.app.kit import Kit
from ouroboros.app.permission import policies
from ouroboros.app.providers.speakers import Speakers
from ouroboros.app.rewind.late import kept
from ouroboros.app.settings import Settings
from ouroboros.app.wiring import living
from ouroboros.app.wiring.minds import tools
from ouroboros.app.wiring.minds.prompts import prompts_of
from ouroboros.app.wiring.session.beginning import built
from ouroboros.app.wiring.session.hooking import heard, hooked
from ouroboros.app.wiring.session.joining import folder_of, kit_of
from ouroboros.app.wiring.session.opening import Built, Opening, Parts
from ouroboros.app.wiring.session.past import Past, as_before, had, snap
from ouroboros.app.wiring.session.shelf import shelf
from ouroboros.core.clock import SystemClock
from ouroboros.core.ids import TimeOrderedIds


@asynccontextmanager
async def opened(opening: Opening, *, resume: str, latest: bool) -> AsyncGenerator[Built]:
    """Builds a session, and takes it down again in the opposite order.

    The order is that of the start: what waits on the disk begins first, and the first request
    waits for nothing that it does not need.
    """
    clock = SystemClock()
    # Logins are kept in the session's home, wherever the variables would look for one.
    variables = {**opening.environment, "OUROBOROS_HOME": str(opening.home)}
    leaks = secrecy.secrets(opening.environment, opening.settings)
    ids = TimeOrderedIds(clock, os.urandom)
    goes_on = bool(resume or latest)

    async def connected(settings: Settings) -> Speakers:
        return await to_thread.run_sync(Speakers, settings, variables, clock, opening.tap, leaks)

    speakers = None if goes_on else await connected(opening.settings)
    past = Past(id=ids.new("ses"))
    async with shelf(opening, past, resume, goes_on=goes_on) as place:
        if goes_on:
            opening = await to_thread.run_sync(as_before, opening, past)
        with had(opening, past):
            speakers = speakers or await connected(opening.settings)
        try:
            with had(opening, past):
                leader = await speakers.leader()
            parts = Parts(
                log=place.log,
                leader=leader,
                speakers=speakers,
                prompts=await to_thread.run_sync(prompts_of, opening.settings, opening.cwd),
                ids=ids,
                clock=clock,
                leaks=leaks,
            )
            async with _joined(opening, past, parts) as session:
                yield session
        finally:
            async with AsyncExitStack() as ending:
                ending.push_async_callback(_snapped, opening, past)
                if opening.tap is not None:
                    ending.push_async_callback(opening.tap.close)
                ending.push_async_callback(speakers.close)
                ending.push_async_callback(place.close)


async def _snapped(opening: Opening, past: Past) -> None:
    """The last thing: all is on the disk, and nothing changes any more."""
    if opening.ephemeral:
        return
    with CancelScope(shield=True):
        await to_thread.run_sync(snap, opening.home, past)


@asynccontextmanager
async def _joined(opening: Opening, past: Past, parts: Parts) -> AsyncGenerator[Built]:
    """A session with the mind that was asked for; one that goes on keeps its own."""
    folder = await to_thread.run_sync(folder_of, opening, past)
    book, told = await to_thread.run_sync(policies.book, opening.home, folder)
    past.warnings.extend(told)
    kit = kit_of(opening, past, parts, book)
    if past.state.visited:
        past.warnings.extend(await to_thread.run_sync(kit.visited.read))
    try:
        kit = await hooked(kit, opening, past.warnings, resumed=past.resumed)
        async with (
            kept(kit.keeping, past.warnings),
            heard(kit),
            _with_mind(opening, past, parts, kit) as session,
        ):
            yield session
    finally:
        with CancelScope(shield=True):
            await to_thread.run_sync(kit.cages.close)


@asynccontextmanager
async def _with_mind(opening: Opening, past: Past, parts: Parts, kit: Kit) -> AsyncGenerator[Built]:
    wanted = opening.mind or (past.state.mind if past.resumed else "tools")
    if wanted == "tools":
        tooled = tools.Wish(browser=opening.browser, logins=opening.logins)
        async with (
            living.opened(kit, past.warnings) as processes,
            tools.joined(kit, tooled, parts.prompts, processes) as joined,
        ):
            yield await built(opening, past, parts, kit, joined)
        return
    from ouroboros.app.wiring.minds import rlm  # a run without it never loads the REPL

    wish = rlm.Wish(
        browser=opening.browser, seeds=opening.seeds, way=opening.way, logins=opening.logins
    )
    async with rlm.joined(kit, wish) as joined:
        yield await built(opening, past, parts, kit, joined)
