"""Opens the full-screen face: a first screen, then what draws, then the engine."""

import logging
import signal
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from anyio import create_task_group

from ouroboros.faces.tui.first import first_screen
from ouroboros.faces.tui.start import Left, Start

if TYPE_CHECKING:
    from ouroboros.faces.tui.app import OuroApp

_log = logging.getLogger(__name__)
_INTERRUPTED = 130
_QUICK_SECONDS = 0.7


def show(start: Start, run: Callable[[Callable[[], Awaitable[Left]]], Left]) -> Left:
    """Shows the application until the person leaves; ``run`` runs the event loop.

    Raises:
        OuroborosError: Something that no session can do without failed.
    """
    with first_screen(start):
        from ouroboros.faces.tui.app import OuroApp

        return run(partial(_shown, OuroApp(start)))


async def _shown(app: "OuroApp") -> Left:
    left: Left | None = None
    async with create_task_group() as tasks:
        closed = anyio.Event()
        tasks.start_soon(_engine, app, closed)
        tasks.start_soon(_signals, app)
        try:
            left = await app.run_async(mouse=app.loaded.settings.tui.mouse)
        finally:
            app.over.set()
            if not app.drawn.is_set():
                tasks.cancel_scope.cancel()
        with anyio.move_on_after(_QUICK_SECONDS):
            await closed.wait()
        if not closed.is_set() and sys.stderr is not None:
            sys.stderr.write("Stopping what runs; Ctrl-C leaves at once\r\n")
            sys.stderr.flush()
        await closed.wait()
        tasks.cancel_scope.cancel()
    _log.info("the screen is left: %s", left)
    if app.failure is not None:
        raise app.failure
    return left or Left(0)


async def _engine(app: "OuroApp", closed: anyio.Event) -> None:
    await app.drawn.wait()
    start = app.start
    _log.info("the screen is there: %d by %d, TERM=%s, %s", *app.size, *_looks(app))
    try:
        if start.outfit is None:
            return
        await anyio.to_thread.run_sync(_load)
        from ouroboros.app.hub import hub

        async with hub(start.outfit()) as opened, create_task_group() as tasks:
            tasks.start_soon(anyio.to_thread.run_sync, _warm)
            app.beside.begin(tasks, opened)
            app.call_later(app.opening.open, opened)
            await app.over.wait()
            app.beside.end()
    finally:
        closed.set()


def _looks(app: "OuroApp") -> tuple[str, str]:
    return app.environment.get("TERM", ""), app.palette.name


def _load() -> None:
    """Reads the engine's modules in a thread, while the screen is alive."""
    import_module("ouroboros.app.hub")
    import_module("ouroboros.app.wiring.session")


def _warm() -> None:
    """Reads what draws text and code, before the first of it comes."""
    from ouroboros.faces.tui.transcript import colouring
    from ouroboros.faces.wording.text import markdown

    markdown.warm()
    colouring.warm()


async def _signals(app: "OuroApp") -> None:
    """A signal that ends programs ends this one, with the terminal as it was."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGHUP) as received:
        async for _ in received:
            app.leave(_INTERRUPTED)
            return
