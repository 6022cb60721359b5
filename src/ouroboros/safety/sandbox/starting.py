"""Our end of the process that starts commands; see ``locking.launcher``."""

import atexit
import contextlib
import errno
import json
import os
import platform
import select
import socket
import struct
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ouroboros.safety.locking import kernel, seccomp
from ouroboros.safety.locking.launcher import IS_READY, LaunchRequest
from ouroboros.safety.sandbox.begin import begin
from ouroboros.safety.sandbox.cage import CommandLaunch, Confined, Started, limits
from ouroboros.safety.sandbox.landlock import CHANGE
from ouroboros.safety.sandbox.policy import Policy

_MOST_TOLD = 4096
_TRIES = 3
_BROKEN = (BrokenPipeError, ConnectionResetError, EOFError, TimeoutError)
"""The launcher is gone, or nobody knows what its next answer is about."""
_ANSWER_SECONDS = 60.0
"""How long a copy may take to be made; a stopped launcher is given up then."""
_PACKAGES = Path(__file__).parents[3]
_SERVE = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from ouroboros.safety.locking.launcher import serve; serve(int(sys.argv[2]))"
)


def filters_of(policy: Policy, *, others: bool = True) -> tuple[bytes, bytes]:
    """The filter of system calls, and the one where refusals are told of."""
    plain, observing = (
        seccomp.refusing(
            platform.machine(),
            policy.network,
            local_sockets=policy.local_sockets,
            others=others,
            is_observed=is_observed,
        )
        for is_observed in (False, True)
    )
    return plain, observing


def start_by_launcher(
    start: CommandLaunch,
    policy: Policy,
    filters: tuple[bytes, bytes],
    *,
    flags: int,
    refusals: int,
    ruleset: Callable[[], int] | None,
    places: Sequence[tuple[Path, str]] = (),
    writable: Sequence[Path] | None = None,
) -> int:
    """The number of the process that the launcher starts, which is a child of ours.

    Args:
        start: The command with all that it gets.
        policy: What may be reached.
        filters: From ``filters_of``.
        flags: Those of ``locking.launcher``.
        refusals: Where refusals are told.
        ruleset: Opens the ruleset of Landlock; None where there is none.
        places: What is mounted where.
        writable: As in ``LaunchRequest``.

    Raises:
        OSError: The kernel refuses.
    """
    plain, observing = filters
    rights = CHANGE & kernel.landlock_rights(kernel.landlock_version())
    request = LaunchRequest(
        command=list(map(_spelled, start.command)),
        environment={_spelled(n): _spelled(v) for n, v in start.environment.items()},
        cwd=_spelled(start.cwd),
        places=[(_spelled(place), kind) for place, kind in places],
        is_read_only=policy.reach != "full-access",
        limits=list(limits(policy).items()),
        rights=rights if ruleset is not None else 0,
        filter=plain.hex(),
        observing=observing.hex(),
        machine=platform.machine(),
        ports=list(policy.ports) if policy.network == "proxy" else None,
        writable=None if writable is None else list(map(_spelled, writable)),
        targets=list(start.descriptors),
    )
    passed = [*start.descriptors.values(), refusals]
    if ruleset is None:
        return launcher().start(request, passed, flags)
    opened = ruleset()
    try:
        return launcher().start(request, [*passed, opened], flags)
    finally:
        os.close(opened)


def _spelled(text: str | Path) -> str:
    """The same bytes in the launcher, which always reads names as UTF-8, whatever our locale is."""
    return os.fsencode(text).decode("utf-8", "surrogateescape")


class _Waiting(NamedTuple):
    """A copy of the launcher that waits for its request; ``is_ahead`` if it was made before there was one."""

    number: int
    channel: socket.socket
    is_ahead: bool

    def started(self, body: bytes, descriptors: list[int]) -> int:
        """The number of the process, as its command is about to run.

        Raises:
            OSError: The sandbox could not be made, or the folder cannot be used.
            EOFError: Somebody ended it, and the command has not begun.
        """
        said = b""
        with self.channel as channel, contextlib.suppress(ConnectionResetError):
            # Where it is gone it may have said before why it gave up.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                socket.send_fds(channel, [struct.pack("=Q", len(body))], descriptors)
                channel.sendall(body)
            while said != IS_READY and (piece := channel.recv(_MOST_TOLD)):
                said += piece
        if said == IS_READY:
            return self.number
        os.waitpid(self.number, 0)
        if not said:
            raise EOFError
        code, _, why = said.decode("utf-8", "replace").partition(":")
        raise OSError(int(code), f"the sandbox could not be made: {why}")

    def end(self) -> None:
        """Lets it end without a command."""
        self.channel.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.number, 0)


class _Launcher:
    """Our end of the process that starts commands; it is started anew where it has ended."""

    def __init__(self) -> None:
        self._once = threading.Lock()
        self._process: Started | None = None
        self._ours: socket.socket | None = None
        self._coming: int | None = None
        """The flags of a copy that was asked for and not received yet."""
        self._mounts = _MountsWatch()

    def start(self, request: LaunchRequest, descriptors: list[int], flags: int) -> int:
        """The number of the new process, which is a child of ours.

        Raises:
            OSError: The kernel refuses.
        """
        body = json.dumps(request).encode()
        for _ in range(_TRIES):
            copy = self._copy(flags)
            try:
                # Mounting may take its time, and others start commands meanwhile.
                return copy.started(body, descriptors)
            except EOFError:
                continue
            except OSError:
                if not copy.is_ahead:
                    raise  # else it may have been made when there was no room for it
        raise OSError(errno.EIO, "the program that starts commands does not answer")

    def prepare(self, flags: int) -> None:
        """A command has ended: lets the next copy be made, which would have slowed down the end of this one."""
        with self._once, contextlib.suppress(OSError):
            if self._ours is not None and self._coming is None:
                self._mounts.changed()
                self._ask(flags)

    def _copy(self, flags: int) -> _Waiting:
        """A copy with these flags, which knows what is mounted by now."""
        with self._once:
            is_same = not self._mounts.changed()
            if self._coming is not None:
                is_right = is_same and self._coming == flags
                try:
                    coming = self._received(is_ahead=True)
                    if is_right:
                        return coming
                    coming.end()
                except _BROKEN:
                    self._end()  # a late answer would be taken for that to the next question
                except OSError:
                    pass  # none could be made then
            for _ in range(_TRIES):
                try:
                    self._ask(flags)
                    return self._received(is_ahead=False)
                except _BROKEN:
                    self._end()
        raise OSError(errno.EIO, "the program that starts commands does not answer")

    def _ask(self, flags: int) -> None:
        ours = self._ours or self._begun()
        ours.sendall(bytes([flags]))
        self._coming = flags

    def _received(self, *, is_ahead: bool) -> _Waiting:
        assert self._ours is not None
        self._coming = None
        answer, given, _, _ = socket.recv_fds(self._ours, 4, 1, socket.MSG_CMSG_CLOEXEC)
        if len(answer) < 4:
            raise EOFError
        (number,) = struct.unpack("=i", answer)
        if number < 0:
            raise OSError(-number, f"the sandbox could not be made: {os.strerror(-number)}")
        if not given:
            # It ends by itself, as nobody holds the other end of its socket.
            os.waitpid(number, 0)
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=given[0])
        return _Waiting(number, channel, is_ahead)

    def _begun(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        ours.settimeout(_ANSWER_SECONDS)
        with theirs:
            words = (sys.executable, "-I", "-S", "-c", _SERVE, str(_PACKAGES), str(theirs.fileno()))
            quiet = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            try:
                # The kernel ends it, and what it starts, with the thread that it was started by.
                self._process = begin(
                    Confined(command=words, ends_with_thread=True),
                    cwd=Path("/"),
                    # A process without variables is looked at again wherever one is searched for by them.
                    environment={"OUROBOROS_LAUNCHER": "1"},
                    stdin=quiet,
                    stdout=quiet,
                    stderr=quiet,
                    pass_fds=[theirs.fileno()],
                )
            except BaseException:
                ours.close()
                raise
            finally:
                os.close(quiet)
        self._ours = ours
        return ours

    def end(self) -> None:
        """Lets it end, and what waits for a command with it; the next start begins another one."""
        with self._once:
            self._end()

    def _end(self) -> None:
        if self._coming is not None:
            with contextlib.suppress(OSError, EOFError):
                self._received(is_ahead=True).end()
        if self._ours is not None:
            self._ours.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._ours = self._process = None


class _MountsWatch:
    """Whether anything was mounted or taken away where we are; what is copied does not follow it."""

    def __init__(self) -> None:
        """Opens nothing yet."""
        self._file = -1
        self._polled = select.poll()

    def changed(self) -> bool:
        """Whether there was since this was last asked; True the first time, and where nobody knows."""
        if self._file < 0:
            try:
                self._file = os.open("/proc/self/mounts", os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                return True
            self._polled.register(self._file, select.POLLPRI)
            self._polled.poll(0)
            return True
        return bool(self._polled.poll(0))

    def __del__(self) -> None:
        """An owner that forgets it leaves no descriptor open."""
        if self._file >= 0:
            os.close(self._file)


_launchers: dict[int, _Launcher] = {}


def launcher() -> _Launcher:
    """That of this process: what a copy of us starts are no children of ours."""
    return _launchers.setdefault(os.getpid(), _Launcher())


@atexit.register
def end_launcher() -> None:
    """Ends the process that starts commands, where there is one."""
    found = _launchers.pop(os.getpid(), None)
    if found is not None:
        found.end()
