"""Serves an editor over two descriptors until it is gone."""

import os
import stat
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol

import anyio
from anyio import CancelScope, create_task_group, to_thread

from ouroboros.core.ipc.lines import Lines, TooLong
from ouroboros.faces.acp import frames
from ouroboros.faces.acp.agent import Agent
from ouroboros.faces.acp.buffers import READ_SECONDS
from ouroboros.faces.acp.peer import Peer

if TYPE_CHECKING:
    from ouroboros.app.hub import Hub

LINE_BYTES = 64 * 1_048_576
"""The longest frame; of a longer one only is said that it is too long."""

_PIECE = 65_536
_LAST_SECONDS = 5.0


class WayOut(Protocol):
    """Lines on their way to the editor."""

    @property
    def gone(self) -> anyio.Event:
        """Set when nobody reads any more."""
        ...

    def write(self, text: str | bytes) -> None:
        """Takes a line and returns at once."""
        ...

    async def drain(self) -> None:
        """Carries lines out until cancelled."""
        ...

    async def flush(self) -> None:
        """Returns when all is out, or nobody reads."""
        ...


async def serve(hub: "Hub", stdin: int, out: WayOut, *, patience: float = READ_SECONDS) -> None:
    """Does what each line asks for; returns when there are no more, or nobody reads the answers.

    ``patience`` is how many seconds the editor has to say what is in a file.
    """
    peer = Peer(out.write)
    async with create_task_group() as tasks:
        tasks.start_soon(out.drain)
        tasks.start_soon(_end_when_gone, out, tasks.cancel_scope)
        async with create_task_group() as serving:
            agent = Agent(hub, peer, serving, patience=patience)
            async with aclosing(lines(stdin)) as found:
                async for line in found:
                    await agent.take(frames.step(line) if line else frames.TOO_LONG)
            peer.leave()
            serving.cancel_scope.cancel()
        with anyio.move_on_after(_LAST_SECONDS):
            await out.flush()
        tasks.cancel_scope.cancel()


async def _end_when_gone(out: WayOut, scope: CancelScope) -> None:
    await out.gone.wait()
    scope.cancel()


async def lines(fd: int, limit: int = LINE_BYTES) -> AsyncGenerator[bytes]:
    """Each line that is not blank, without its end; an empty one stands for one that was too long."""
    mode = os.fstat(fd).st_mode
    is_file = stat.S_ISREG(mode) or stat.S_ISBLK(mode)
    cut = Lines(limit)
    while piece := await _piece(fd, is_file=is_file):
        for line in cut.feed(piece):
            yield b"" if isinstance(line, TooLong) else line.strip()
    if cut.is_broken_off:
        for line in cut.feed(b"\n"):
            yield b"" if isinstance(line, TooLong) else line.strip()


async def _piece(fd: int, *, is_file: bool) -> bytes:
    while True:
        if not is_file:
            await anyio.wait_readable(fd)
        try:
            return await to_thread.run_sync(os.read, fd, _PIECE)
        except BlockingIOError:
            continue
        except OSError:
            return b""
