"""One line from standard input, waited for without a thread that could keep the program from ending."""

import os
import stat
import sys
import termios
from contextlib import suppress

import anyio

LARGEST_BYTES = 65_536


async def typed_line() -> str:
    """The next line; where the input ends without one it waits for ever."""
    content = await _read()
    if not content.strip():
        await anyio.sleep_forever()
    return content.partition(b"\n")[0].decode(errors="replace")


async def typed_answer() -> str:
    """The next line of a terminal, with its end; empty where the input has ended."""
    return (await _read()).decode(errors="replace")


def forget_typed() -> None:
    """Lets go of what was typed on a terminal before anything was asked."""
    with suppress(termios.error):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


async def _read() -> bytes:
    descriptor = sys.stdin.fileno()
    mode = os.fstat(descriptor).st_mode
    may_wait = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)
    content = b""
    while b"\n" not in content and len(content) < LARGEST_BYTES:
        if may_wait:
            await anyio.wait_readable(descriptor)
        piece = os.read(descriptor, 4096)
        if not piece:
            break
        content += piece
    return content
