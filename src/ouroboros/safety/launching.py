"""Starts a child so that nothing of it is left behind when we are broken off, or killed, meanwhile."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

import anyio.to_thread
from msgspec import Struct

from ouroboros.safety.guard import Guard
from ouroboros.safety.sandbox.begin import begin
from ouroboros.safety.sandbox.cage import Confined, Started


class Ends(Struct, frozen=True, kw_only=True):
    """What a child's three streams are joined to, as ``subprocess`` takes it."""

    stdin: IO[bytes] | int
    stdout: IO[bytes] | int = subprocess.PIPE
    stderr: IO[bytes] | int = subprocess.PIPE


type Opening = Callable[[], AbstractContextManager[Ends]]
"""Opens the ends that the child is given; what is ours of them is closed after the start."""


async def launch(
    confined: Confined,
    *,
    cwd: Path,
    environment: Mapping[str, str],
    ends: Opening,
    watched: tuple[str, Guard],
) -> Started:
    """Starts it in a thread; ``watched`` is its mark, and the guard that hears of it beforehand.

    Raises:
        OSError: The cage could not be made, or the program or folder cannot be used.
    """
    mark, guard = watched
    started: list[Started] = []
    abandoned = False

    def start() -> Started:
        guard.expect(mark)
        try:
            with ends() as given:
                popen = begin(
                    confined,
                    cwd=cwd,
                    environment=environment,
                    stdin=given.stdin,
                    stdout=given.stdout,
                    stderr=given.stderr,
                )
        except BaseException:
            guard.release(mark)
            raise
        guard.hold(mark, popen.pid)
        started.append(popen)
        if abandoned:
            discard()
        return popen

    def discard() -> None:
        with contextlib.suppress(IndexError):  # the other thread may be quicker
            popen = started.pop()
            _discard(popen, confined)
            guard.release(mark, popen.pid)

    try:
        return await anyio.to_thread.run_sync(start)
    except BaseException:
        # Ctrl-C may break off the wait while the thread still starts the child.
        abandoned = True
        discard()
        raise


def _discard(popen: Started, confined: Confined) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(popen.pid, signal.SIGKILL)
    popen.wait()
    for pipe in (popen.stdin, popen.stdout, popen.stderr):
        if pipe is not None:
            pipe.close()
    if confined.finish is not None:
        confined.finish()


def cast_off(command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Runs a program of the person's that outlives us and never has our terminal; blocks while it runs."""
    quiet = subprocess.DEVNULL
    with contextlib.suppress(OSError):
        subprocess.Popen(
            command,
            env=dict(environment),
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
        ).wait()
