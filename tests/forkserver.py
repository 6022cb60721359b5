"""A process that has imported the program once and forks it for each start; see ``tests/forked.py``.

Run as a script with the number of a socket. A request is one message: the words of the command line, the
folder, the environment and what its file descriptors, which come along, are to be called. The answer
is the process id at once, and the wait status when the process has ended, over a socket of its own.
"""

import gc
import importlib
import io
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from fcntl import F_DUPFD_CLOEXEC, fcntl, ioctl
from pathlib import Path
from termios import TIOCSCTTY
from types import FrameType
from typing import TextIO

import msgspec

ERRORS = sys.stdin.errors if sys.stdin is not None else "strict"
"""How Python takes what is no text where it runs now."""

LARGEST_REQUEST = 4 << 20
HIGH = 600
"""Descriptors of the server and of requests lie above, where no program looks for its own."""

PROGRAM = "ouroboros"
SLOW_TO_IMPORT = ("rich.console", "rich.markdown", "tree_sitter_bash", "anyio._backends._asyncio")
LEFT_OUT = (
    "ouroboros.__main__",
    "ouroboros.faces.tui",
    "ouroboros.faces.web",
    "ouroboros.testing",
    "ouroboros.tools.own.runner",  # a script that reads its input when it is imported
)


class Request(msgspec.Struct, frozen=True):
    """A start of the program, or of a module of the tests that drives it."""

    module: str
    words: tuple[bytes, ...]
    cwd: bytes
    environment: dict[bytes, bytes]
    descriptors: tuple[int, ...]
    """What the descriptors that come along are called in the program: 0, 1 and 2 among them."""
    new_session: bool = False
    terminal: bool = False
    """Whether descriptor 0 becomes its controlling terminal."""


def serve(asked: socket.socket) -> Request | None:
    """Forks for each request; returns in the child with the request, and at the end with nothing."""
    reports: dict[int, socket.socket] = {}
    readable, written = os.pipe()
    os.set_blocking(written, False)
    signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _wake)
    while True:
        ready, _, _ = select.select([asked, readable], [], [])
        if readable in ready:
            os.read(readable, 4096)
            _report(reports)
        if asked not in ready:
            continue
        received, descriptors, _, _ = socket.recv_fds(asked, LARGEST_REQUEST, 64)
        if not received:
            return None
        request = msgspec.msgpack.decode(received, type=Request)
        descriptors = [_high(number) for number in descriptors]
        report = socket.socket(fileno=descriptors.pop())
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _become(request, descriptors)
            return request
        for number in descriptors:
            os.close(number)
        reports[pid] = report
        report.send(b"%d\n" % pid)


def _wake(number: int, frame: FrameType | None) -> None:
    """Does nothing: that there is a handler lets a signal wake the server."""


def _high(number: int) -> int:
    moved = fcntl(number, F_DUPFD_CLOEXEC, HIGH)
    os.close(number)
    return moved


def _report(reports: dict[int, socket.socket]) -> None:
    """Tells of every child that has ended."""
    while reports:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with reports.pop(pid) as report, suppress(BrokenPipeError):  # nobody waits for it any more
            report.send(b"%d\n" % status)


def _become(request: Request, descriptors: Sequence[int]) -> None:
    """Makes the child what a new process would be: its descriptors, folder, environment and streams."""
    if request.new_session:
        os.setsid()
    for number, name in zip(descriptors, request.descriptors, strict=True):
        os.dup2(number, name)
    kept = {0, 1, 2, *request.descriptors}
    for entry in [*Path("/proc/self/fd").iterdir()]:
        if int(entry.name) not in kept:
            with suppress(OSError):  # the listing's own is closed already
                os.close(int(entry.name))
    if request.terminal:
        ioctl(0, TIOCSCTTY, 0)
    os.chdir(request.cwd)
    os.environ.clear()
    os.environb.update(request.environment)
    words = [os.fsdecode(word) for word in request.words]
    sys.argv = ["ouro", *words]
    sys.orig_argv = [sys.executable, "-m", request.module, *words]
    sys.stdin = sys.__stdin__ = _stream(0, "r")
    sys.stdout = sys.__stdout__ = _stream(1, "w")
    sys.stderr = sys.__stderr__ = _stream(2, "w")


def _stream(number: int, mode: str) -> TextIO:
    """A standard stream as Python opens it."""
    raw = io.FileIO(number, mode, closefd=False)
    raw.name = ("<stdin>", "<stdout>", "<stderr>")[number]
    file = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
    return io.TextIOWrapper(
        file,
        encoding="utf-8",
        errors="backslashreplace" if number == 2 else ERRORS,
        newline=None if mode == "r" else "\n",
        line_buffering=number == 2 or os.isatty(number),
    )


def load() -> None:
    """Imports what a start of the program may need."""
    package = importlib.import_module("ouroboros")
    for module in pkgutil.walk_packages(package.__path__, "ouroboros."):
        if not module.name.startswith(LEFT_OUT):
            importlib.import_module(module.name)
    for name in SLOW_TO_IMPORT:
        importlib.import_module(name)
    # What the kernel lets us do is tried once here, and not by each start again.
    importlib.import_module("ouroboros.safety.sandbox.features").features()
    importlib.import_module("ouroboros.safety.sandbox.starting").end_launcher()
    begin = importlib.import_module("ouroboros.safety.sandbox.begin")
    begin.lasting().shutdown()  # no thread is there after a fork
    begin.lasting.cache_clear()
    tempfile.tempdir = None  # each start has an environment of its own
    gc.collect()
    gc.freeze()


def main() -> int:
    """Serves until the socket is closed; in a child, runs the program."""
    asked = socket.socket(fileno=_high(int(sys.argv[1])))
    load()
    request = serve(asked)
    if request is None:
        return 0
    if request.module != PROGRAM:
        runpy.run_module(request.module, run_name="__main__", alter_sys=True)
        return 0
    program = importlib.import_module("ouroboros.__main__")
    code: int = program.main()
    return code


if __name__ == "__main__":
    sys.exit(main())
