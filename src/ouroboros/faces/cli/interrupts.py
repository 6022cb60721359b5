"""Signals as wishes: the first one stops the run, the second one leaves."""

import asyncio
import atexit
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress

import anyio
from anyio.abc import ObjectReceiveStream

INTERRUPTED = 130

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACE_SECONDS = 5.0
_MOST_WAITING = 8


def run[T](main: Callable[[], Awaitable[T]]) -> T:
    """As ``anyio.run``; SIGTERM or SIGHUP that nobody watches for ends the program at once, as interrupted.

    What it leaves open is what a killed one leaves. At the very end of the program no signal counts.
    Under ``nohup`` SIGHUP never does.
    """
    if threading.current_thread() is threading.main_thread():
        _take(_leave, *(number for number in _counting() if number != signal.SIGINT))
        atexit.register(_take, signal.SIG_IGN, *_STOPPING)
    return anyio.run(main)


async def watch(stop: Callable[[str], Awaitable[bool]], leave: Callable[[], None]) -> None:
    """Calls ``stop`` for a signal, and ``leave`` when that gave False.

    ``stop`` is told the signal's name and says whether there was something to stop for the first
    time. A signal that was not typed ends the program, also if the run does not end by itself.
    """
    with _heard() as signals:
        async for number in signals:
            if not await stop(number.name):
                leave()
                return
            if number != signal.SIGINT:
                with anyio.move_on_after(_GRACE_SECONDS):
                    await signals.receive()
                leave()
                return


async def at_once(name: str) -> bool:
    """For ``watch``, where the first signal is to leave: there is nothing that is stopped before."""
    del name
    return False


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


def _counting() -> list[signal.Signals]:
    """The signals that stop; one that whoever started us has made us deaf to is left alone."""
    is_deaf = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [number for number in _STOPPING if number != signal.SIGHUP or not is_deaf]


@contextmanager
def _heard() -> Generator[ObjectReceiveStream[signal.Signals]]:
    """Each stopping signal; at the end they do again what they did before, without a moment between.

    The event loop's own handlers would be the system's in that moment, which ends the program with
    another code.
    """
    loop = asyncio.get_running_loop()
    send, receive = anyio.create_memory_object_stream[signal.Signals](_MOST_WAITING)

    def tell(number: int) -> None:
        with suppress(anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
            send.send_nowait(signal.Signals(number))

    def hear(number: int, _: object) -> None:
        loop.call_soon_threadsafe(tell, number)

    # Which thread gets a signal is the system's choice; a loop with a receiver is woken by any.
    with send, receive, anyio.open_signal_receiver(signal.SIGURG):
        before = {number: signal.signal(number, hear) for number in _counting()}
        try:
            yield receive
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _take(handler: Callable[[int, object], None] | int, *numbers: signal.Signals) -> None:
    for number in numbers:
        signal.signal(number, handler)


def _leave(*_: object) -> None:
    os._exit(INTERRUPTED)
