"""A person's terminal, lent to a program of theirs until it ends.

It runs on a terminal of its own, between which and the person's bytes go to and fro, so that it has
Ctrl-C and job control to itself, and ends with us whatever happens.
"""

import os
import signal
import termios
import tty
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
from anyio import to_thread

from ouroboros.safety.terminal import Terminal, start_terminal

_CHUNK = 65_536
_TYPE_SECONDS = 10.0


async def lend(
    command: list[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    reveal: Collection[str] = (),
    keyboard: int = 0,
) -> int:
    """Runs a program on the person's terminal and gives its exit code.

    Args:
        command: Program and arguments.
        cwd: Where it runs.
        environment: What it may see; credentials are taken out.
        reveal: Names of variables that pass although they look like credentials.
        keyboard: The descriptor of the terminal.

    Raises:
        OSError: The program cannot be started, or there is no terminal.
    """
    columns, rows = os.get_terminal_size(keyboard)
    terminal = await start_terminal(
        command, cwd=cwd, environment=environment, reveal=reveal, columns=columns, rows=rows
    )
    try:
        async with _raw(keyboard), anyio.create_task_group() as tasks:
            tasks.start_soon(_typed, terminal, keyboard)
            tasks.start_soon(_sized, terminal, keyboard)
            while (piece := await terminal.process.read()) is not None:
                with suppress(OSError):  # who closed the window sees nothing any more
                    await to_thread.run_sync(_say, keyboard, piece.data)
            tasks.cancel_scope.cancel()
    finally:
        await terminal.process.close()
    return terminal.process.exit_code or 0


async def _typed(terminal: Terminal, keyboard: int) -> None:
    while True:
        await anyio.wait_readable(keyboard)
        try:
            data = os.read(keyboard, _CHUNK)
        except OSError:
            data = b""
        if not data:  # the window was closed: so is the program
            return await terminal.process.stop()
        with suppress(BrokenPipeError), anyio.move_on_after(_TYPE_SECONDS):
            await terminal.type(data)


async def _sized(terminal: Terminal, keyboard: int) -> None:
    with anyio.open_signal_receiver(signal.SIGWINCH) as received:
        async for _ in received:
            with suppress(OSError):
                terminal.resize(*os.get_terminal_size(keyboard))


@asynccontextmanager
async def _raw(keyboard: int) -> AsyncGenerator[None]:
    """Keys go to the program as they are pressed; afterwards the terminal is as before."""
    before = termios.tcgetattr(keyboard)
    try:
        tty.setraw(keyboard)
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


def _say(keyboard: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(keyboard, rest) :]
