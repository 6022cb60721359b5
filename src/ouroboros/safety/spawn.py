"""The only door to a process.

Every child gets a session of its own, an empty standard input, a cleaned environment and pipes that
are always drained. Leaving the ``async with`` block, also by a cancel, ends the child and what it
started: TERM to the group, then KILL.
"""

import contextlib
import errno
import os
import selectors
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Collection, Generator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import IO, Literal

import anyio
import anyio.to_thread
from msgspec import Struct

from ouroboros.core.limits import STREAM_BYTES
from ouroboros.safety.capture import Capture
from ouroboros.safety.environment import cleaned
from ouroboros.safety.guard import Guard
from ouroboros.safety.launching import Ends, launch
from ouroboros.safety.marks import marked, strays_of
from ouroboros.safety.sandbox.cage import Confined, Started

GRACE_SECONDS = 0.8
"""Between the polite signal and the other one."""

DRAIN_SECONDS = 2.0
"""How long a grandchild may hold the pipes open after its parent ended."""

CHUNK_BYTES = 8192
"""Largest piece of output handed on at once."""

_POLL_SECONDS = 0.02

type Stream = Literal["stdout", "stderr"]


class Piece(Struct, frozen=True, kw_only=True):
    """Bytes a process wrote, as they arrived."""

    data: bytes
    stream: Stream = "stdout"


class Finished(Struct, frozen=True, kw_only=True):
    """How a process ended; ``exit_code`` is 128 + the number of a signal, 124 after a time-out."""

    exit_code: int
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: bool = False


class Process:
    """A running child; made by ``spawn`` only."""

    def __init__(
        self,
        popen: Started,
        mark: str,
        guard: Guard,
        finish: Callable[[], None] | None = None,
    ) -> None:
        """Takes over ``popen``, whose environment carries ``mark`` and which ``guard`` holds.

        ``finish`` is called once it has ended.
        """
        self._popen, self._finish = popen, finish
        self._mark, self._guard = mark, guard
        self._selector = selectors.DefaultSelector()
        self._exit_code: int | None = None
        self._drain_until: float | None = None
        self._open = 0
        self._ready: list[Piece] = []
        self._watch: int | None = None
        for pipe, name in ((popen.stdout, "stdout"), (popen.stderr, "stderr")):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                self._selector.register(pipe.fileno(), selectors.EVENT_READ, name)
                self._open += 1
        if sys.platform == "linux":
            self._watch = os.pidfd_open(popen.pid)
            self._selector.register(self._watch, selectors.EVENT_READ, "exit")

    @property
    def pid(self) -> int:
        """The child's number, also that of its process group."""
        return self._popen.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._exit_code

    async def read(self) -> Piece | None:
        """The next piece of output, or None once the process ended and its pipes are closed.

        A pipe that a grandchild holds open is given up ``DRAIN_SECONDS`` after the end.
        """
        while not self._ready:
            if self._exit_code is not None and self._open == 0:
                return None
            if not await self._wait():
                return None
            self._collect()
        return self._ready.pop(0)

    async def stop(self) -> None:
        """Ends the process and everything it started; returns when it is gone."""
        with anyio.CancelScope(shield=True):
            strays = await anyio.to_thread.run_sync(strays_of, self._mark)
            self._signal(signal.SIGTERM, strays)
            if strays or self._exit_code is None:
                with anyio.move_on_after(GRACE_SECONDS):
                    while await self.read() is not None:
                        pass
                # What was on its way to be one, or was started in the meantime, is one now.
                strays = await anyio.to_thread.run_sync(strays_of, self._mark)
            self._signal(signal.SIGKILL, strays)
            await self._reap()

    async def close(self, *, survivors: bool = False) -> None:
        """Ends what still runs and reaps; after a regular end ``survivors`` may go on.

        A survivor is a background process that let go of the pipes.
        """
        is_closed = False
        try:
            with anyio.CancelScope(shield=True):
                if self._exit_code is None or self._open or not survivors:
                    await self.stop()
                else:
                    await self._reap()
                self._release()
                self._guard.release(self._mark, self.pid)
                finish, self._finish = self._finish, None
                if finish is not None:
                    await anyio.to_thread.run_sync(finish)
            is_closed = True
        finally:
            if not is_closed:
                # asyncio's own cancel comes through a shield: the rest is done without this task.
                self._signal(signal.SIGKILL, ())
                self._release()
                threading.Thread(target=self._end_rest, daemon=True).start()

    def _end_rest(self) -> None:
        self._popen.wait()
        for stray in strays_of(self._mark):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(stray, signal.SIGKILL)
        self._guard.release(self._mark, self.pid)
        if self._finish is not None:
            self._finish()

    async def _wait(self) -> bool:
        """Waits for output or the end; False when the drain time is over."""
        deadline = self._drain_until if self._drain_until is not None else float("inf")
        if self._watch is None:
            deadline = min(deadline, anyio.current_time() + _POLL_SECONDS)
        with anyio.CancelScope(deadline=deadline):
            await anyio.wait_readable(self._selector.fileno())
            return True
        return self._drain_until is None or anyio.current_time() < self._drain_until

    def _collect(self) -> None:
        for key, _ in self._selector.select(0):
            if key.data == "exit":
                self._note_exit()
            else:
                self._take(key.fd, "stderr" if key.data == "stderr" else "stdout")
        if self._watch is None:
            self._note_exit()

    def _take(self, descriptor: int, stream: Stream) -> None:
        try:
            data = os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError as gone:  # how a terminal says that nobody has it open any more
            if gone.errno != errno.EIO:
                raise
            data = b""
        if data:
            self._ready.append(Piece(data=data, stream=stream))
        else:
            self._selector.unregister(descriptor)
            self._open -= 1

    def _note_exit(self) -> None:
        if self._exit_code is None:
            self._exit_code = _peek(self._popen)
            if self._exit_code is not None:
                self._drain_until = anyio.current_time() + DRAIN_SECONDS
                if self._watch is not None:
                    self._selector.unregister(self._watch)

    def _signal(self, number: signal.Signals, strays: Collection[int]) -> None:
        # The leader is reaped last, so its number cannot have gone to a stranger.
        if self._popen.returncode is None or sys.platform != "linux":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)
        for stray in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(stray, number)

    async def _reap(self) -> None:
        with anyio.CancelScope(shield=True):
            while self._exit_code is None:
                await self._wait()
                self._collect()
            self._popen.wait()

    def _release(self) -> None:
        self._selector.close()
        if self._watch is not None:
            os.close(self._watch)
            self._watch = None
        for pipe in (self._popen.stdout, self._popen.stderr):
            if pipe is not None:
                pipe.close()


async def start(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    reveal: Collection[str] = (),
    stdin: bytes = b"",
    guard: Guard | None = None,
    confined: Confined | None = None,
) -> Process:
    """Starts ``command``; whoever calls this must ``close`` the process in a ``finally``.

    Args:
        command: Program and arguments; use ``shell_command`` for shell text.
        cwd: Where it runs.
        environment: What it may see; credentials are taken out.
        reveal: Names of variables that pass although they look like credentials.
        stdin: What it reads; nothing by default.
        guard: Ends it when we are killed, however early.
        confined: What a cage made of the command, run in its place.

    Raises:
        OSError: The program or the folder does not exist, or may not be used, or the cage could not
            be made.
    """
    mark = os.urandom(8).hex()
    visible = cleaned(environment, reveal=reveal) | marked(environment, mark)
    guard = guard or Guard()
    caged = confined or Confined(command=tuple(command))
    popen = await launch(
        caged,
        cwd=cwd,
        environment=visible,
        ends=partial(_reading, stdin),
        watched=(mark, guard),
    )
    return Process(popen, mark, guard, caged.finish)


@asynccontextmanager
async def spawn(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    reveal: Collection[str] = (),
    stdin: bytes = b"",
    guard: Guard | None = None,
    confined: Confined | None = None,
) -> AsyncGenerator[Process]:
    """Starts ``command`` like ``start``; at the end of the block nothing of it is left running."""
    process = await start(
        command,
        cwd=cwd,
        environment=environment,
        reveal=reveal,
        stdin=stdin,
        guard=guard,
        confined=confined,
    )
    try:
        yield process
    finally:
        await process.close()


async def run(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    timeout_seconds: float,
    stdin: bytes = b"",
    limit: int = STREAM_BYTES,
    guard: Guard | None = None,
) -> Finished:
    """Runs ``command`` to its end and gives what it said, at most ``limit`` bytes a stream.

    ``guard`` ends it when we are killed.

    Raises:
        OSError: The program or the folder does not exist, or may not be used.
    """
    capture = Capture(limit)
    exit_code: int | None = None
    async with spawn(
        command, cwd=cwd, environment=environment, stdin=stdin, guard=guard
    ) as process:
        with anyio.move_on_after(timeout_seconds) as scope:
            while (piece := await process.read()) is not None:
                capture.add(piece.data, piece.stream)
            exit_code = process.exit_code
    return Finished(
        exit_code=124 if exit_code is None else exit_code,
        stdout=capture.bytes_of("stdout"),
        stderr=capture.bytes_of("stderr"),
        timed_out=scope.cancelled_caught,
    )


def shell_command(text: str, shell: str = "/bin/sh") -> tuple[str, ...]:
    """The program and arguments that run shell text, without any profile."""
    return (shell, "-c", text)


async def start_talking(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    guard: Guard | None = None,
    confined: Confined | None = None,
) -> tuple[Process, IO[bytes], IO[bytes]]:
    """Starts a child to talk with: the process, what it reads and what it says, as raw pipes.

    The process itself reads only the child's standard error. ``safety.companion`` owns the three.

    Raises:
        OSError: The program or the folder does not exist, or may not be used.
    """
    mark = os.urandom(8).hex()
    visible = cleaned(environment) | marked(environment, mark)
    guard = guard or Guard()
    caged = confined or Confined(command=tuple(command))
    popen = await launch(
        caged,
        cwd=cwd,
        environment=visible,
        ends=lambda: contextlib.nullcontext(Ends(stdin=subprocess.PIPE)),
        watched=(mark, guard),
    )
    ears, mouth = popen.stdin, popen.stdout
    assert ears is not None
    assert mouth is not None
    popen.stdin = popen.stdout = None
    return Process(popen, mark, guard, caged.finish), ears, mouth


@contextlib.contextmanager
def _reading(data: bytes) -> Generator[Ends]:
    """The child reads these bytes, and nothing else."""
    if not data:
        with Path(os.devnull).open("rb") as nothing:
            yield Ends(stdin=nothing)
        return
    from tempfile import TemporaryFile

    with TemporaryFile() as source:
        source.write(data)
        source.seek(0)
        yield Ends(stdin=source)


def _peek(popen: Started) -> int | None:
    """The exit code of an ended child, which stays a zombie so that its number stays taken."""
    if sys.platform == "linux":
        ended = os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else 128 + ended.si_status
    code = popen.poll()
    return code if code is None or code >= 0 else 128 - code
