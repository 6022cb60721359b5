"""Reads the person's words from a file descriptor without holding up the loop."""

import codecs
import os
import stat
from collections import deque
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager

import anyio
import anyio.to_thread

from ouroboros.faces.cli.prompting.desk import Desk
from ouroboros.faces.cli.prompting.intents import Intent, Left
from ouroboros.faces.cli.prompting.keys import Key, Keys
from ouroboros.faces.cli.prompting.line import Line

_ESCAPE_SECONDS = 0.05
_CHUNK = 65_536

type Give = Callable[[Intent], Awaitable[None]]


async def read_keys(
    fd: int,
    desk: Desk,
    touched: Callable[[], None],
    give: Give,
    interrupt: Callable[[], Awaitable[None]],
    *,
    attach: Callable[[Key], Awaitable[Key]] | None = None,
    complete: Callable[[Line], Awaitable[None]] | None = None,
) -> None:
    """Feeds keys to the desk and gives on its intents, until input ends; Ctrl-C goes its own way.

    ``attach`` puts names in the place of pictures that are pasted, ``complete`` ends names for Tab.
    """
    keys = Keys()
    with _own_reader(fd) as reader:
        while True:
            with anyio.move_on_after(_ESCAPE_SECONDS if keys.waiting else None) as waiting:
                await _readable(reader)
            content = None if waiting.cancelled_caught else await _read(reader)
            if content == b"":
                break
            for key in keys.settle() if content is None else keys.feed(content):
                if key.name == "interrupt":
                    await interrupt()
                    continue
                if attach is not None and key.name in {"paste", "attach"} and desk.question is None:
                    key = await attach(key)
                elif complete is not None and key.name == "tab" and desk.question is None:
                    await complete(desk.line)
                intents = desk.press(key)
                touched()
                for intent in intents:
                    await give(intent)
    await _end(desk, give)


class Lines:
    """The lines of a file descriptor; what one conversation left of them is for the next."""

    def __init__(self, fd: int) -> None:
        """Reads nothing yet."""
        self.fd = fd
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._whole: deque[str] = deque()
        self._held: list[str] = []

    async def next(self, reader: int) -> str | None:
        """The next line, the same one until it is taken; None at the end of input."""
        while not self._whole:
            await _readable(reader)
            content = await _read(reader)
            if content is None:
                continue
            head, *rest = self._decoder.decode(content, final=not content).split("\n")
            self._held.append(head)
            for piece in rest:
                self._whole.append("".join(self._held).rstrip("\r"))
                self._held = [piece]
            if not content:
                if not any(self._held):
                    return None
                self._whole.append("".join(self._held))
                self._held = []
        return self._whole[0]

    def taken(self) -> None:
        """The line was given on."""
        self._whole.popleft()


async def read_lines(found: Lines, desk: Desk, give: Give) -> None:
    """Feeds whole lines to the desk and gives on its intents, until input ends."""
    with _own_reader(found.fd) as reader:
        while (line := await found.next(reader)) is not None:
            intent = desk.enter(line)
            if intent is not None:
                await give(intent)
            found.taken()
    await _end(desk, give)


@contextmanager
def _own_reader(fd: int) -> Generator[int]:
    """The terminal opened once more, without blocking.

    Ctrl-C throws away what was typed, so a read can find nothing although input was announced;
    and the blocking mode of the given file belongs to the shell as well.
    """
    try:
        reader = os.open(os.ttyname(fd), os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        yield fd
        return
    try:
        yield reader
    finally:
        os.close(reader)


async def _readable(fd: int) -> None:
    mode = os.fstat(fd).st_mode
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(fd):
        await anyio.wait_readable(fd)


async def _read(fd: int) -> bytes | None:
    """What is there: None for nothing after all, empty for the end of input."""
    try:
        if os.get_blocking(fd):
            return await anyio.to_thread.run_sync(os.read, fd, _CHUNK)
        return os.read(fd, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        # A terminal that was hung up answers with an error.
        return b""


async def _end(desk: Desk, give: Give) -> None:
    while True:
        intent = desk.end()
        await give(intent)
        if isinstance(intent, Left):
            return
