"""The sandbox that needs no program: a process of ours starts each command in namespaces of its own.

Inside hold mounts, Landlock, a filter of system calls, and no capability; see ``locking.launcher``.
"""

import atexit
import json
import os
import platform
import socket
import struct
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from ouroboros.safety.locking import kernel, seccomp
from ouroboros.safety.locking.launcher import LaunchRequest
from ouroboros.safety.sandbox.begin import begin
from ouroboros.safety.sandbox.cage import CommandLaunch, Confined, Started
from ouroboros.safety.sandbox.denial import ObservedRefusals
from ouroboros.safety.sandbox.floor import limits, variables
from ouroboros.safety.sandbox.kept import Placeholders, aside
from ouroboros.safety.sandbox.landlock import CHANGE, planned, ruleset_of
from ouroboros.safety.sandbox.mounts import mounts_of, needs_user_namespace
from ouroboros.safety.sandbox.policy import Policy

_PACKAGES = Path(__file__).parents[3]
_SERVE = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from ouroboros.safety.locking.launcher import serve; serve(int(sys.argv[2]))"
)


class Namespaces:
    """Namespaces of users, mounts, processes and network, made by our own launcher."""

    name = "namespaces"

    def __init__(self, policy: Policy) -> None:
        """Starts nothing yet."""
        self._policy, self._placeholders = policy, Placeholders(policy)
        self._filter, self._observing = (
            seccomp.refusing(
                platform.machine(),
                policy.network,
                local_sockets=policy.local_sockets,
                is_observed=is_observed,
            )
            for is_observed in (False, True)
        )

    @property
    def hides(self) -> bool:
        """Whether there are places that may not be read."""
        return bool(self._policy.hidden)

    def confine(self, command: Sequence[str], *, cwd: Path) -> Confined:
        """The command, to be started by the launcher."""
        del cwd
        notes: list[str] = []
        set_aside, is_begun = aside(self._policy, notes), False
        observed = ObservedRefusals(self._policy)

        def launch(start: CommandLaunch) -> int:
            nonlocal is_begun
            self._placeholders.begin()
            is_begun = True
            with observed.writing() as refusals:
                return self._launch(start, refusals)

        def finish() -> None:
            nonlocal is_begun
            observed.end()
            if is_begun:
                is_begun = False
                self._placeholders.end()
            if set_aside is not None:
                set_aside()

        return Confined(
            command=tuple(command),
            environment=variables(self.name, self._policy),
            launch=launch,
            finish=finish,
            notes=notes,
            refusals=observed,
        )

    def _launch(self, start: CommandLaunch, refusals: int) -> int:
        policy = self._policy
        request = LaunchRequest(
            command=list(map(_spelled, start.command)),
            environment={_spelled(n): _spelled(v) for n, v in start.environment.items()},
            cwd=_spelled(start.cwd),
            places=[(_spelled(place), kind) for place, kind in mounts_of(policy)],
            is_read_only=policy.reach != "full-access",
            is_user=needs_user_namespace(policy),
            is_network=policy.network == "on",
            limits=list(limits(policy).items()),
            rights=CHANGE & kernel.landlock_rights(kernel.landlock_version()),
            filter=self._filter.hex(),
            observing=self._observing.hex(),
            machine=platform.machine(),
            ports=list(policy.ports) if policy.network == "proxy" else None,
            targets=list(start.descriptors),
        )
        passed = [*start.descriptors.values(), start.told, refusals]
        if not kernel.landlock_version():
            return _launcher().start(request, passed)
        ports = () if policy.network == "off" else None
        ruleset = ruleset_of(planned(policy, masked=True), ports=ports)
        try:
            return _launcher().start(request, [*passed, ruleset])
        finally:
            os.close(ruleset)


def _spelled(text: str | Path) -> str:
    """The same bytes in the launcher, which always reads names as UTF-8, whatever our locale is."""
    return os.fsencode(text).decode("utf-8", "surrogateescape")


class _Launcher:
    """Our end of the process that starts commands; it is started anew where it has ended."""

    def __init__(self) -> None:
        self._once = threading.Lock()
        self._process: Started | None = None
        self._ours: socket.socket | None = None

    def start(self, request: LaunchRequest, descriptors: list[int]) -> int:
        """The number of the new process, which is a child of ours.

        Raises:
            OSError: The kernel refuses.
        """
        body = json.dumps(request).encode()
        with self._once:
            for is_last in (False, True):
                try:
                    return self._asked(body, descriptors)
                except (BrokenPipeError, ConnectionResetError, EOFError):
                    self.end()
                    if is_last:
                        raise OSError(
                            5, "the program that starts commands does not answer"
                        ) from None
            raise AssertionError

    def _asked(self, body: bytes, descriptors: list[int]) -> int:
        ours = self._ours or self._begun()
        socket.send_fds(ours, [struct.pack("=Q", len(body))], descriptors)
        ours.sendall(body)
        answer = ours.recv(4)
        if len(answer) < 4:
            raise EOFError
        (number,) = struct.unpack("=i", answer)
        if number < 0:
            raise OSError(-number, f"the sandbox could not be made: {os.strerror(-number)}")
        return number

    def _begun(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            words = (sys.executable, "-I", "-S", "-c", _SERVE, str(_PACKAGES), str(theirs.fileno()))
            quiet = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            try:
                # The kernel ends it, and what it starts, with the thread that it was started by.
                self._process = begin(
                    Confined(command=words, ends_with_thread=True),
                    cwd=Path("/"),
                    environment={},
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
        """Lets it end, and what it started with it; the next start begins another one."""
        if self._ours is not None:
            self._ours.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._ours = self._process = None


_launchers: dict[int, _Launcher] = {}


def _launcher() -> _Launcher:
    """That of this process: what a copy of us starts are no children of ours."""
    return _launchers.setdefault(os.getpid(), _Launcher())


@atexit.register
def end_launcher() -> None:
    """Ends the process that starts commands, where there is one."""
    found = _launchers.pop(os.getpid(), None)
    if found is not None:
        found.end()
