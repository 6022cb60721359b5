"""Starts a confined command: everything that starts a process for a tool goes through here."""

import contextlib
import functools
import itertools
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from msgspec.structs import replace

from ouroboros.safety.sandbox.cage import CommandLaunch, Confined, Started

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
) -> Started:
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
        command, inherited = list(confined.command), {each: each for each in pass_fds}
        for place, opener in confined.descriptors.items():
            descriptor = opener()
            opened.callback(os.close, descriptor)
            number = descriptor if confined.launch is None else _free(inherited)
            inherited[number] = descriptor
            command[place] = str(number)
        seen = {**environment, **confined.environment}
        undo = opened.enter_context(contextlib.ExitStack())
        if confined.finish is not None:
            undo.callback(confined.finish)

        def start() -> Started:
            return subprocess.Popen(
                command,
                cwd=cwd,
                env=seen,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=list(inherited),
                start_new_session=True,
                bufsize=0,
            )

        if confined.launch is not None:
            wanted = CommandLaunch(
                command=tuple(command), environment=seen, cwd=cwd, descriptors=inherited
            )
            popen = _launched(confined.launch, wanted, (stdin, stdout, stderr))
        elif confined.ends_with_thread:
            popen = lasting().submit(start).result()
        else:
            popen = start()
        undo.pop_all()
    return popen


def _launched(
    launch: Callable[[CommandLaunch], int],
    start: CommandLaunch,
    streams: tuple[IO[bytes] | int, ...],
) -> "LaunchedProcess":
    """What the launcher started, once it runs.

    Raises:
        OSError: The sandbox could not be made, or the folder cannot be used.
    """
    with contextlib.ExitStack() as opened:
        ours: list[IO[bytes] | None] = []
        theirs: dict[int, int] = {}
        for number, wanted in enumerate(streams):
            mine, given = _joined(wanted, number, opened)
            ours.append(mine)
            theirs[number] = theirs[1] if given is None else given
        try:
            number = launch(replace(start, descriptors={**theirs, **start.descriptors}))
        except BaseException:
            _close(ours)
            raise
        return LaunchedProcess(number, start.command, ours[0], ours[1], ours[2])


def _free(taken: Mapping[int, int]) -> int:
    """The lowest number after those of the three streams."""
    return next(number for number in itertools.count(3) if number not in taken)


@functools.cache
def _unseen() -> None:
    """From now on no program of the same user looks into us, at our keys in memory and environment."""
    if sys.platform == "linux":
        from ouroboros.safety.locking import kernel

        kernel.not_dumpable()


@functools.cache
def lasting() -> "ThreadPoolExecutor":
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
    return popen.wait(), said.decode("utf-8", "replace")


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


def _joined(
    wanted: IO[bytes] | int, number: int, opened: contextlib.ExitStack
) -> tuple[IO[bytes] | None, int | None]:
    """Our end of a stream, and the child's; None for the child's is standard output once more."""
    if not isinstance(wanted, int):
        return None, wanted.fileno()
    match wanted:
        case subprocess.PIPE:
            reading, writing = os.pipe()
            ours, theirs = (writing, reading) if number == 0 else (reading, writing)
            opened.callback(os.close, theirs)
            return os.fdopen(ours, "wb" if number == 0 else "rb", buffering=0), theirs
        case subprocess.DEVNULL:
            nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            opened.callback(os.close, nothing)
            return None, nothing
        case subprocess.STDOUT:
            return None, None
        case _:
            return None, wanted


def _close(pipes: Sequence[IO[bytes] | None]) -> None:
    for pipe in pipes:
        if pipe is not None:
            pipe.close()


class LaunchedProcess:
    """A process that the launcher started and that is our child all the same; as ``subprocess.Popen``."""

    def __init__(
        self,
        pid: int,
        command: Sequence[str],
        stdin: IO[bytes] | None,
        stdout: IO[bytes] | None,
        stderr: IO[bytes] | None,
    ) -> None:
        """Takes over the process and our ends of its pipes."""
        self.pid, self.args = pid, tuple(command)
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self.returncode: int | None = None
        self._once = threading.Lock()

    def poll(self) -> int | None:
        """Its exit code, or minus the number of a signal; None while it runs."""
        with self._once:
            if self.returncode is None:
                ended, status = os.waitpid(self.pid, os.WNOHANG)
                if ended:
                    self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The same once it has ended; blocks.

        Raises:
            subprocess.TimeoutExpired: It still runs after so many seconds.
        """
        watch = os.pidfd_open(self.pid) if self.poll() is None else -1
        if watch >= 0:
            try:
                with selectors.DefaultSelector() as selector:
                    selector.register(watch, selectors.EVENT_READ)
                    if not selector.select(timeout):
                        raise subprocess.TimeoutExpired(self.args, timeout or 0)
            finally:
                os.close(watch)
        code = self.poll()
        assert code is not None
        return code

    def kill(self) -> None:
        """Ends it at once, and all that it started; nothing where it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)  # it begins a session of its own

    def communicate(
        self, data: bytes | None = None, /, timeout: float | None = None
    ) -> tuple[bytes, bytes]:
        """All that it says until its end; ``data`` is not for this kind of child.

        Raises:
            subprocess.TimeoutExpired: It still runs after so many seconds.
        """
        assert data is None
        until = None if timeout is None else time.monotonic() + timeout
        said: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
        with selectors.DefaultSelector() as selector:
            for name, pipe in (("stdout", self.stdout), ("stderr", self.stderr)):
                if pipe is not None:
                    selector.register(pipe, selectors.EVENT_READ, (name, pipe))
            while selector.get_map():
                ready = selector.select(None if until is None else until - time.monotonic())
                if not ready and until is not None and time.monotonic() >= until:
                    raise subprocess.TimeoutExpired(self.args, timeout or 0)
                for key, _ in ready:
                    name, pipe = key.data
                    if piece := os.read(key.fd, 1 << 16):
                        said[name].append(piece)
                    else:
                        selector.unregister(pipe)
                        pipe.close()
        self.wait(None if until is None else max(0.0, until - time.monotonic()))
        return b"".join(said["stdout"]), b"".join(said["stderr"])
