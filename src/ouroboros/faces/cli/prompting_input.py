"""Reads the person's words from a file descriptor without holding up the loop."""

import codecs
import os
import stat
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

import anyio
import anyio.to_thread

from ouroboros.faces.cli.prompting import Desk, Intent, Left
from ouroboros.faces.cli.prompting_keys import Key, Keys

_ESCAPE_SECONDS = 0.05
_CHUNK = 65_536

type Give = Callable[[Intent], Awaitable[None]]


async def read_keys(fd: int, desk: Desk, touched: Callable[[], None], give: Give) -> None:
    """Feeds keys to the desk and gives on its intents, until input ends."""
    keys = Keys()
    while True:
        with anyio.move_on_after(_ESCAPE_SECONDS if keys.waiting else None) as waiting:
            await _readable(fd)
        pressed: list[Key]
        if waiting.cancelled_caught:
            pressed = keys.settle()
        else:
            content = await anyio.to_thread.run_sync(_read, fd)
            if not content:
                break
            pressed = keys.feed(content)
        for key in pressed:
            intents = desk.press(key)
            touched()
            for intent in intents:
                await give(intent)
    await _end(desk, give)


async def read_lines(fd: int, desk: Desk, give: Give) -> None:
    """Feeds whole lines to the desk and gives on its intents, until input ends."""
    async with aclosing(lines(fd)) as found:
        async for line in found:
            intent = desk.enter(line)
            if intent is not None:
                await give(intent)
    await _end(desk, give)


async def lines(fd: int) -> AsyncGenerator[str]:
    """The lines of a file descriptor, the last one also without its end."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    held: list[str] = []
    while True:
        await _readable(fd)
        content = await anyio.to_thread.run_sync(_read, fd)
        head, *rest = decoder.decode(content, final=not content).split("\n")
        held.append(head)
        for piece in rest:
            yield "".join(held).rstrip("\r")
            held = [piece]
        if not content:
            break
    if any(held):
        yield "".join(held)


async def _readable(fd: int) -> None:
    mode = os.fstat(fd).st_mode
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(fd):
        await anyio.wait_readable(fd)


def _read(fd: int) -> bytes:
    # A terminal that was hung up answers with an error: that is the end of input.
    try:
        return os.read(fd, _CHUNK)
    except OSError:
        return b""


async def _end(desk: Desk, give: Give) -> None:
    while True:
        intent = desk.end()
        await give(intent)
        if isinstance(intent, Left):
            return
