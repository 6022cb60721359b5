"""Signals as wishes: the first one stops the run, the second one leaves."""

import signal
from collections.abc import Awaitable, Callable

import anyio

INTERRUPTED = 130

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACE_SECONDS = 5.0


async def watch(stop: Callable[[str], Awaitable[bool]], leave: Callable[[], None]) -> None:
    """Calls ``stop`` for a signal, and ``leave`` when that gave False.

    ``stop`` is told the signal's name and says whether there was something to stop for the first
    time. A signal that was not typed ends the program, also if the run does not end by itself.
    """
    with anyio.open_signal_receiver(*_STOPPING) as signals:
        async for number in signals:
            if not await stop(number.name):
                leave()
                return
            if number != signal.SIGINT:
                with anyio.move_on_after(_GRACE_SECONDS):
                    async for _ in signals:
                        break
                leave()
                return


async def on_continue(again: Callable[[], None]) -> None:
    """Calls ``again`` each time the program was stopped (Ctrl-Z) and goes on."""
    with anyio.open_signal_receiver(signal.SIGCONT) as signals:
        async for _ in signals:
            again()


async def on_resize(tell: Callable[[], Awaitable[None]]) -> None:
    """Calls ``tell`` now, and each time the terminal has another size."""
    with anyio.open_signal_receiver(signal.SIGWINCH) as signals:
        await tell()
        async for _ in signals:
            await tell()
