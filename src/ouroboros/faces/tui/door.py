"""Opens the full-screen face: the screen first, then the engine, and the terminal as it was at the end."""

import signal

import anyio
from anyio import create_task_group

from ouroboros.app.hub import hub
from ouroboros.core.errors import OuroborosError
from ouroboros.faces.tui.app import OuroApp
from ouroboros.faces.tui.start import Left, Start

_INTERRUPTED = 130


async def show(start: Start) -> Left:
    """Shows the application until the person leaves.

    Raises:
        OuroborosError: Something that no session can do without failed.
    """
    app = OuroApp(start)
    left: Left | None = None
    async with create_task_group() as tasks:
        tasks.start_soon(_engine, app)
        tasks.start_soon(_signals, app)
        try:
            left = await app.run_async()
        finally:
            app.over.set()
            tasks.cancel_scope.cancel()
    if app.failure is not None:
        raise app.failure
    return left or Left(0)


async def _engine(app: OuroApp) -> None:
    await app.drawn.wait()
    start = app.start
    if start.outfit is None:
        return
    async with hub(start.outfit) as opened:
        try:
            room = await opened.open(
                cwd=start.cwd,
                resume=start.resume,
                latest=start.latest,
                at=start.at,
                mind=start.mind,
                browser=start.browser,
            )
            app.opened(opened, room)
        except OuroborosError as problem:
            app.hub = opened
            app.complain(problem)
        await app.over.wait()


async def _signals(app: OuroApp) -> None:
    """A signal that ends programs ends this one, with the terminal as it was."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGHUP) as received:
        async for _ in received:
            app.leave(_INTERRUPTED)
            return
