"""Starts ``ouro`` as a process of its own that need not import the program again.

``forked.run`` and ``forked.Popen`` are those of ``subprocess``. A command ``[sys.executable, "-m", "ouroboros", ...]``,
or one with a module of the tests in that place, is forked from a process of this worker that has imported everything
(``tests/forkserver.py``): it has its own process id, folder, environment, descriptors and signals, and can be killed.
Anything else, and what only a new interpreter can show, such as other variables for Python itself, is started as
``subprocess`` does.
"""

import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSCTTY
from typing import Any

import msgspec

from tests.forkserver import PROGRAM, Request

OF_THE_INTERPRETER = ("PYTHON", "TEXTUAL", "MALLOC_")
HARMLESS = frozenset({"PYTHON_KEYRING_BACKEND", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"})
PLAIN_LOCALES = frozenset({"", "C", "POSIX", "C.UTF-8", "C.utf8"})
"""Python makes the same of all of them."""

_servers: dict[int, tuple[socket.socket, "subprocess.Popen[bytes]"]] = {}
"""The server of this process, by its id: a fork of the tests has none."""


class Popen(subprocess.Popen[Any]):
    """A process, forked where that is the same. ``terminal`` makes its input its controlling terminal."""

    _report: socket.socket | None = None
    _told = b""
    _waitpid_lock: threading.Lock
    returncode: int | None

    def __init__(
        self, args: Sequence[str | Path], *, terminal: bool = False, **options: Any
    ) -> None:
        self._terminal = terminal
        super().__init__(args, **options)

    def _execute_child(self, *given: Any) -> None:
        (args, executable, preexec, _close, pass_fds, cwd, env, _info, _flags, shell) = given[:10]
        (p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite) = given[10:16]
        (_restore, gid, gids, uid, umask, new_session, group) = given[16:]
        module, words = _words(args)
        plain = not shell and executable is None and preexec is None and umask == -1 and group == -1
        variables: Mapping[str, str] = os.environ if env is None else env
        alone = "-I" in args[1:2]
        same = _environment(os.environ, alone=alone) == _environment(variables, alone=alone)
        if not module or not plain or not same or (gid, gids, uid) != (None, None, None):
            preexec = _take_terminal if self._terminal else preexec
            real: Any = super()
            real._execute_child(*given[:2], preexec, *given[3:])
            return
        sys.audit("subprocess.Popen", sys.executable, args, cwd, variables)
        inner = {0: p2cread, 1: c2pwrite, 2: errwrite}
        inner = {name: number if number != -1 else name for name, number in inner.items()}
        inner |= {number: number for number in pass_fds}
        request = Request(
            module=module,
            words=tuple(os.fsencode(word) for word in words),
            cwd=os.fsencode(cwd or Path.cwd()),
            environment={os.fsencode(k): os.fsencode(v) for k, v in variables.items()},
            descriptors=tuple(inner),
            new_session=new_session,
            terminal=self._terminal,
        )
        self._report, theirs = socket.socketpair()
        with theirs:
            numbers = [*inner.values(), theirs.fileno()]
            socket.send_fds(_server(), [msgspec.msgpack.encode(request)], numbers)
        self.pid = int(self._line())
        self._child_created = True
        mine: Any = self
        mine._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)

    def _line(self) -> bytes:
        assert self._report is not None
        while b"\n" not in self._told:
            received = self._report.recv(64)
            assert received, "the server of forked programs has gone"
            self._told += received
        line, _, self._told = self._told.partition(b"\n")
        return line

    def _is_ready(self, seconds: float | None) -> bool:
        assert self._report is not None
        return b"\n" in self._told or bool(select.select([self._report], [], [], seconds)[0])

    def _end(self) -> int:
        code = self.returncode = os.waitstatus_to_exitcode(int(self._line()))
        assert self._report is not None
        self._report.close()
        return code

    def _internal_poll(self, *given: Any, **named: Any) -> int | None:
        if self._report is None:
            real: Any = super()
            return real._internal_poll(*given, **named)
        with self._waitpid_lock:
            if self.returncode is None and self._is_ready(0):
                self._end()
        return self.returncode

    def _wait(self, timeout: float | None) -> int:
        if self._report is None:
            real: Any = super()
            return real._wait(timeout)
        with self._waitpid_lock:
            if self.returncode is not None:
                return self.returncode
            if not self._is_ready(timeout):
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            return self._end()


def run(
    args: Sequence[str | Path],
    *,
    input: Any = None,
    capture_output: bool = False,
    timeout: float | None = None,
    check: bool = False,
    **options: Any,
) -> subprocess.CompletedProcess[Any]:
    """As ``subprocess.run``."""
    if input is not None:
        options["stdin"] = subprocess.PIPE
    if capture_output:
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with Popen(args, **options) as process:
        try:
            out, error = process.communicate(input, timeout=timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(process.args, process.wait(), out, error)
    if check:
        done.check_returncode()
    return done


def close() -> None:
    """Ends the server of this process."""
    if (server := _servers.pop(os.getpid(), None)) is not None:
        server[0].close()
        server[1].wait()


def _take_terminal() -> None:
    ioctl(0, TIOCSCTTY, 0)


def _words(args: Sequence[str | Path] | str | bytes | Path) -> tuple[str, list[str]]:
    """The module and the words after ``python -m``, where it is the program or one of the tests."""
    if isinstance(args, str | bytes | Path):
        return "", []
    words = [str(word) for word in args]
    start = 1 + (words[1:2] == ["-I"])
    if [*words[:1], *words[start : start + 1]] != [sys.executable, "-m"]:
        return "", []
    module = words[start + 1]
    return (
        (module, words[start + 2 :])
        if module == PROGRAM or module.startswith("tests.")
        else ("", [])
    )


def _environment(variables: Mapping[str, str], *, alone: bool = False) -> dict[str, str]:
    """The part that an interpreter reads at its start; one that is ``alone`` reads no variables of Python's."""
    found = {
        name: value
        for name, value in variables.items()
        if name.startswith(OF_THE_INTERPRETER)
        and name not in HARMLESS
        and not (alone and name.startswith("PYTHON"))
    }
    said = (variables.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next(filter(None, said), "")
    return found if locale in PLAIN_LOCALES else found | {"LC_ALL": locale}


def _server() -> socket.socket:
    if (known := _servers.get(os.getpid())) is not None:
        return known[0]
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    size = 4 << 20
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.forkserver", str(theirs.fileno())],
            cwd=Path(__file__).parents[1],
            # Not of the test that happens to come first: it outlives that, and is nothing left behind.
            env=_environment(os.environ) | {"PATH": os.environ["PATH"]},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    _servers[os.getpid()] = ours, process
    return ours
