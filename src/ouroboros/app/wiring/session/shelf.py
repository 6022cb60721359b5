"""Where the events of a session go: into the home folder by one thread, or nowhere."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from anyio import lowlevel, to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.journal import Log
from ouroboros.app.settings import Settings
from ouroboros.app.wiring.session.opening import LogOf, Opening, Show, Warn
from ouroboros.app.wiring.session.past import Past, load_past, resolve
from ouroboros.store import EventLog, Lease, Writer


class Shelf(Struct, frozen=True, kw_only=True):
    """The place of one session.

    Attributes:
        log: Makes its log.
        close: Returns when all that was handed in is kept.
    """

    log: LogOf
    close: Callable[[], Awaitable[None]]


def shelf(
    opening: Opening, past: Past, resume: str, *, goes_on: bool
) -> AbstractAsyncContextManager[Shelf]:
    """The place of a session until the end of the block; what is on record of it is in ``past`` then."""
    return _nowhere() if opening.ephemeral else _home(opening, past, resume, goes_on=goes_on)


@asynccontextmanager
async def _home(
    opening: Opening, past: Past, resume: str, *, goes_on: bool
) -> AsyncGenerator[Shelf]:
    async with Writer(opening.home, mirrors=opening.settings.sessions.mirror) as writer:
        if goes_on:
            past.id = await to_thread.run_sync(resolve, opening.home, opening.cwd, resume)
        with await to_thread.run_sync(Lease.take, opening.home, past.id) as lease:
            writer.watch(lease)
            if lease.before:
                past.warnings.append(
                    f"process {lease.before} had this session and gave no sign any more; it was taken over"
                )
            if goes_on:
                await to_thread.run_sync(load_past, opening.home, lease, past)

            def log(after: int, show: Show, warn: Warn) -> Log:
                return EventLog(writer, lease, after=after, on_durable=show, on_warning=warn)

            yield Shelf(log=log, close=writer.close)


@asynccontextmanager
async def _nowhere() -> AsyncGenerator[Shelf]:
    from ouroboros.store.unkept import Unkept  # nearly all sessions are kept

    def log(after: int, show: Show, warn: Warn) -> Log:
        del after, warn
        return Unkept(on_durable=show)

    yield Shelf(log=log, close=lowlevel.checkpoint)


def unkept(settings: Settings) -> Settings:
    """The settings of a session that is not kept: without all that keeps files of ours beside it."""
    off = (*settings.tools.disabled, "create_tool", "python", "repo_map")
    return replace(
        settings,
        cache_replies=False,
        checkpoints=replace(settings.checkpoints, enabled=False),
        sessions=replace(settings.sessions, mirror=False),
        tools=replace(settings.tools, scripts=False, disabled=tuple(dict.fromkeys(off))),
        browser=replace(settings.browser, tools=False),
    )
