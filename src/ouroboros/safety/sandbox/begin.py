"""Starts a confined command: everything that starts a process for a tool goes through here."""

import contextlib
import functools
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ouroboros.safety.sandbox.cage import Confined

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


def begin(
    confined: Confined,
    *,
    cwd: Path,
    environment: Mapping[str, str],
    stdin: IO[bytes] | int,
    stdout: IO[bytes] | int = subprocess.PIPE,
    stderr: IO[bytes] | int = subprocess.PIPE,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Starts it in a session of its own; blocks for a few milliseconds, so call it in a thread.

    Args:
        confined: What a cage made of the command.
        cwd: Where it runs.
        environment: All that it sees, those of the cage aside.
        stdin: As ``subprocess`` takes it, like the next two.
        stdout: Where its output goes.
        stderr: Where its complaints go.
        pass_fds: More descriptors that it inherits.

    Raises:
        OSError: The cage could not be made, or the program or folder cannot be used.
    """
    _unseen()
    with contextlib.ExitStack() as opened:
        command, inherited = list(confined.command), list(pass_fds)
        for place, opener in confined.descriptors.items():
            descriptor = opener()
            opened.callback(os.close, descriptor)
            inherited.append(descriptor)
            command[place] = str(descriptor)
        undo = opened.enter_context(contextlib.ExitStack())
        if confined.finish is not None:
            undo.callback(confined.finish)

        def start() -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                command,
                cwd=cwd,
                env={**environment, **confined.environment},
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=inherited,
                start_new_session=True,
                bufsize=0,
            )

        if confined.lock is not None:
            popen = _locked(confined.lock, start)
        elif confined.ends_with_thread:
            popen = _lasting().submit(start).result()
        else:
            popen = start()
        undo.pop_all()
    return popen


def _locked(
    lock: Callable[[], None], start: Callable[[], subprocess.Popen[bytes]]
) -> subprocess.Popen[bytes]:
    """Runs both in a thread that is thrown away: what it locked, it cannot unlock."""

    def run() -> subprocess.Popen[bytes]:
        lock()
        return start()

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="cage") as thrown_away:
        return thrown_away.submit(run).result()


@functools.cache
def _unseen() -> None:
    """From now on no program of the same user looks into us, at our keys in memory and environment."""
    if sys.platform == "linux":
        from ouroboros.safety.locking import kernel

        kernel.not_dumpable()


@functools.cache
def _lasting() -> "ThreadPoolExecutor":
    """A thread that lives as long as we do."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="cage")


def ended(confined: Confined, *, cwd: Path, seconds: float) -> tuple[int, str]:
    """Runs it to its end, or kills it after some seconds; its exit code and all that it said.

    Raises:
        OSError: As ``begin``.
    """
    popen = begin(
        confined, cwd=cwd, environment={}, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT
    )
    try:
        said, _ = popen.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        popen.kill()
        said, _ = popen.communicate()
    finally:
        if confined.finish is not None:
            confined.finish()
    return popen.returncode, said.decode("utf-8", "replace")


def carried_through(confined: Confined, *, cwd: Path, environment: Mapping[str, str]) -> int:
    """Runs it to its end on our own streams; its exit code, or 128 and the number of a signal.

    Raises:
        OSError: As ``begin``.
    """
    popen = begin(confined, cwd=cwd, environment=environment, stdin=0, stdout=1, stderr=2)
    try:
        code = popen.wait()
    finally:
        if popen.returncode is None:
            popen.kill()
            popen.wait()
        if confined.finish is not None:
            confined.finish()
    return code if code >= 0 else 128 - code
