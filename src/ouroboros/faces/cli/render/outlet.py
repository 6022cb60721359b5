"""Writes to a file descriptor in batches, without ever holding up the loop.

A thread writes only when the reader has room, so that leaving never waits for a stuck one.
"""

import os
import select
import stat

import anyio
import anyio.to_thread

BEHIND_BYTES = 4 * 1_048_576
"""With more than this unread, what may be lost (deltas) is no longer added."""


class Outlet:
    """Text on its way out; ``drain`` carries it while its task runs.

    A reader that went away is not an error here: ``broken`` is set, ``gone`` fires, and what is
    written later is dropped.
    """

    def __init__(self, fd: int, *, encoding: str = "utf-8") -> None:
        """Opens nothing and writes nothing yet."""
        self.fd = fd
        self.broken = False
        self.failure: OSError | None = None
        self.gone = anyio.Event()
        self._encoding = encoding
        self._pending = bytearray()
        self._wake = anyio.Event()
        self._empty = anyio.Event()
        mode = os.fstat(fd).st_mode
        queue = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
        self._pollable = queue or os.isatty(fd)
        self._step = select.PIPE_BUF if self._pollable else 1_048_576

    @property
    def is_behind(self) -> bool:
        """Whether the reader is so slow that deltas should be left out."""
        return len(self._pending) > BEHIND_BYTES

    def write(self, text: str | bytes) -> None:
        """Adds to what will be written."""
        if self.broken or not text:
            return
        self._pending += text if isinstance(text, bytes) else text.encode(self._encoding, "replace")
        self._wake.set()

    async def drain(self) -> None:
        """Carries text out until cancelled."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            while self._pending:
                await self._carry()
            self._empty.set()
            self._empty = anyio.Event()

    async def flush(self) -> None:
        """Waits until all is out, or the reader is gone; ``drain`` must be running."""
        while self._pending and not self.broken:
            await self._empty.wait()

    async def _carry(self) -> None:
        if self._pollable:
            await anyio.wait_writable(self.fd)
        try:
            written = await anyio.to_thread.run_sync(
                os.write, self.fd, bytes(self._pending[: self._step]), abandon_on_cancel=True
            )
        except BlockingIOError:
            await anyio.sleep(0.01)
            return
        except OSError as failure:
            self.failure = failure
            self.broken = True
            self._pending.clear()
            self.gone.set()
            return
        del self._pending[:written]
