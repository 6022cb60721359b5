"""A child process to talk with over pipes: a browser, or a worker that runs model-written code.

It hears us on its standard input and answers on its standard output; what it says on standard error
is kept, the last of it. It ends with the block that started it, and by the guard when we are killed.
"""

import contextlib
import os
import signal
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import anyio
import anyio.lowlevel

from ouroboros.safety.guard import Guard
from ouroboros.safety.sandbox import Confined
from ouroboros.safety.spawn import Process, start_talking

PIECE_BYTES = 65_536
"""Largest piece read at once."""

GOODBYE_SECONDS = 2.0
"""How long a child may take to end by itself once nobody talks to it any more."""

_COMPLAINTS = 200


class CompanionGone(Exception):
    """The child has ended, or does not listen any more."""


class Companion:
    """A running child; made by ``companion`` only."""

    def __init__(
        self,
        process: Process,
        ears: IO[bytes],
        mouth: IO[bytes],
        goodbye_seconds: float = GOODBYE_SECONDS,
    ) -> None:
        """Takes over the process and both pipes."""
        self._goodbye_seconds = goodbye_seconds
        self._process, self._ears, self._mouth = process, ears, mouth
        self._complaints: deque[bytes] = deque(maxlen=_COMPLAINTS)
        # A message is whole before the next one begins, also when its sender was cancelled.
        self._speaking = anyio.Lock(fast_acquire=True)
        self._unsaid = b""
        self._is_drained = False
        for pipe in (ears, mouth):
            os.set_blocking(pipe.fileno(), False)

    @property
    def pid(self) -> int:
        """The child's number, also that of its process group."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs, as far as ``watch`` has seen."""
        return self._process.exit_code

    @property
    def complaints(self) -> str:
        """The last of what it said on standard error."""
        return b"".join(self._complaints).decode("utf-8", "replace")

    async def send(self, message: bytes) -> None:
        """Says all of ``message``; what a cancel leaves unsaid is said before the next one.

        Raises:
            CompanionGone: It does not listen any more.
        """
        async with self._speaking:
            rest = memoryview(self._unsaid + message if self._unsaid else message)
            begun = bool(self._unsaid)
            try:
                while rest:
                    try:
                        rest = rest[os.write(self._ears.fileno(), rest) :]
                        begun = True
                    except BlockingIOError:
                        await anyio.wait_writable(self._ears)
            except (OSError, ValueError) as gone:
                raise CompanionGone(str(gone)) from gone
            finally:
                self._unsaid = bytes(rest) if begun else b""

    async def receive(self) -> bytes:
        """The next bytes it says; empty when it has said its last."""
        while True:
            try:
                if self._is_drained:  # a short piece was all there was: asking again is for nothing
                    await anyio.wait_readable(self._mouth)
                piece = os.read(self._mouth.fileno(), PIECE_BYTES)
                self._is_drained = len(piece) < PIECE_BYTES
                return piece
            except BlockingIOError:
                self._is_drained = True
            except (OSError, ValueError):
                return b""

    async def watch(self) -> int:
        """Keeps standard error flowing until the child has ended; its exit code."""
        while (piece := await self._process.read()) is not None:
            self._complaints.append(piece.data)
        return self._process.exit_code or 0

    def hang_up(self) -> None:
        """Closes its standard input, by which a polite child knows that it is to end."""
        self._ears.close()

    async def kill(self) -> None:
        """Ends it and its process group at once, also while another task watches."""
        # It is reaped only by ``close``, so its number cannot have gone to a stranger.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        await anyio.lowlevel.checkpoint()

    async def close(self) -> None:
        """Hangs up, waits a little, then ends what is left."""
        with anyio.CancelScope(shield=True):
            with contextlib.suppress(OSError):
                self.hang_up()
            with anyio.move_on_after(self._goodbye_seconds):
                await self.watch()
            self._mouth.close()
            await self._process.close()


@asynccontextmanager
async def companion(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    guard: Guard | None = None,
    goodbye_seconds: float = GOODBYE_SECONDS,
    confined: Confined | None = None,
) -> AsyncGenerator[Companion]:
    """Starts ``command``; at the end of the block nothing of it is left running.

    ``goodbye_seconds`` is how long it may take to end by itself; ``confined`` is what a cage made of
    the command, run in its place.

    Raises:
        OSError: The program or the folder does not exist, or may not be used.
    """
    process, ears, mouth = await start_talking(
        command, cwd=cwd, environment=environment, guard=guard, confined=confined
    )
    child = Companion(process, ears, mouth, goodbye_seconds)
    try:
        yield child
    finally:
        await child.close()
