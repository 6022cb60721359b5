"""Tells what a sandbox refuses, as the calls are made and not by what a program says of it.

The first process of a sandbox is notified by the kernel (``SECCOMP_RET_USER_NOTIF``) of calls that change
files or reach the network. It looks at the arguments, asks the kernel whether such a place may be written
at all, and lets the call go on. Mounts, Landlock and the filter refuse whatever is found out here: another
thread may change what is looked at meanwhile, so nothing is decided by it. Standard library only.

Source: https://man7.org/linux/man-pages/man2/seccomp_unotify.2.html.
"""

import contextlib
import errno
import fcntl
import json
import mmap
import os
import select
import signal
import socket
import struct
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from ouroboros.safety.locking import kernel
from ouroboros.safety.locking.seccomp import EPERM, MACHINES, FileCall, Machine

_RECEIVE, _SEND, _SET_FLAGS = 0xC0502100, 0xC0182101, 0x40082104
_NOTIFICATION, _ANSWER = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
_CONTINUE = 1
_MOST_NUMBER, _MOST_AFTER = (1 << 64) - 1, 1000
_SYNC_WAKE_UP = 1
_MOST_RECORDS, _MOST_CHARACTERS = 64, 1000
_MOST_PATH, _MOST_ADDRESS = 4096, 128
_UNIX_PATH = 108
_BLOCKED_SECONDS = 0.2
_MAKES, _EXCLUSIVE = 0o100, 0o200
_CURRENT = -100
_KERNEL_PLACES = ("/proc/", "/dev/", "/sys/")


class Observed(NamedTuple):
    """What there is to observe.

    Attributes:
        listener: Where the kernel's notifications are received.
        told: Where refusals are written, a line of JSON each: a right and a place.
        hidden: Places that may not even be read.
        mounted: Places with a mount of their own, which nobody can take away or put something over.
        ports: Where the proxy listens on loopback; None where there is no network at all.
        writable: What may be written; None where access of the kernel's own says so.
    """

    listener: int
    told: int
    machine: str
    hidden: tuple[str, ...]
    mounted: frozenset[str]
    ports: tuple[int, ...] | None
    writable: tuple[str, ...] | None = None

    @classmethod
    def silent(cls, listener: int, *, machine: str, ports: list[int] | None) -> "Observed":
        """Calls that are answered and of which nobody is told."""
        told = () if ports is not None else None
        return cls(listener, -1, machine, hidden=(), mounted=frozenset(), ports=told)


class Observer:
    """Answers notifications, and writes down what is refused."""

    def __init__(self, observed: Observed, taken: mmap.mmap | None = None) -> None:
        """Observes nothing yet; in ``taken`` stands what was received last, for whoever comes after us."""
        self._of, self._calls = observed, MACHINES[observed.machine]
        # Whole numbers of 64 bits are stored at once: a kill leaves none half written.
        self._taken = None if taken is None else memoryview(taken).cast("Q")
        self._files: dict[int, list[FileCall]] = {}
        for call in self._calls.files:
            self._files.setdefault(call.number, []).append(call)
        self._known: set[tuple[str, str]] = set()
        self._probing: set[int] = set()
        if observed.told >= 0:
            os.set_blocking(observed.told, False)
        with contextlib.suppress(OSError):  # older than 6.6: both may run on two processors then
            fcntl.ioctl(observed.listener, _SET_FLAGS, _SYNC_WAKE_UP)

    def serve(self) -> None:
        """Answers one notification that is there; one that went away meanwhile is none."""
        taken = bytearray(_NOTIFICATION.size)
        # Its caller may have been killed since it was announced, and then nothing would come.
        signal.setitimer(signal.ITIMER_REAL, _BLOCKED_SECONDS)
        try:
            fcntl.ioctl(self._of.listener, _RECEIVE, taken)
        except OSError:
            return
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        id, pid, _, number, _, _, *arguments = _NOTIFICATION.unpack(taken)
        self._note_taken(id, goes_on=False)
        calls = self._files.get(number, ())
        is_connect = number == self._calls.connect
        if self._of.told >= 0:
            self._look(pid, number, arguments)
        goes_on = bool(calls) or (is_connect and self._of.ports is not None)
        self._note_taken(id, goes_on=goes_on)
        self._answer(id, 0 if goes_on else EPERM)

    def take_over(self, taken: mmap.mmap) -> None:
        """Answers what somebody received who was ended before the answer: nobody else is told of it again.

        Numbers follow each other. The last one that was written down may be answered already, and of those
        after it, one at most was received; what was not is left as it is.
        """
        with memoryview(taken).cast("Q") as noted:
            last, goes_on = noted[0], noted[1]
        if last:
            self._answer(last, 0 if goes_on else errno.EINTR)
            for id in range(last + 1, last + _MOST_AFTER):
                self._answer(id & _MOST_NUMBER, errno.EINTR)

    def _answer(self, id: int, error: int) -> None:
        answer = _ANSWER.pack(id, 0, -error, 0 if error else _CONTINUE)
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._of.listener, _SEND, bytearray(answer))

    def _note_taken(self, id: int, *, goes_on: bool) -> None:
        if self._taken is not None:
            self._taken[1] = goes_on
            self._taken[0] = id

    def _look(self, pid: int, number: int, arguments: list[int]) -> None:
        calls = self._files.get(number, ())
        # Before the answer: whoever waits for what the command says finds the record there already.
        for call in calls:
            flags = arguments[call.flags] if call.flags >= 0 else 0
            self._look_at(call, _path_of(call, pid, arguments), flags)
        if number == self._calls.connect:
            self._look_at_address(_memory(pid, arguments[1], _MOST_ADDRESS))
        elif not calls and not self._is_probe(pid, number, arguments):
            self._note(*_refused(self._calls, number, arguments))

    def _is_probe(self, pid: int, number: int, arguments: list[int]) -> bool:
        """Whether a process only tries if there is IPv6, as libraries do when they are loaded."""
        if number != self._calls.socket or arguments[0] != socket.AF_INET6:
            return False
        is_first = pid not in self._probing
        self._probing.add(pid)
        return is_first

    def _look_at(self, call: FileCall, path: str, flags: int) -> None:
        if not path or path.startswith(_KERNEL_PLACES):
            return
        if any(_lies_in(path, place) for place in self._of.hidden):
            self._note("reach", path)
            return
        is_there = os.path.lexists(path)
        match call.kind:
            case "open":
                is_in_folder = not is_there and bool(flags & _MAKES)
                is_tried = not is_there or not flags & _EXCLUSIVE
            case "make":
                is_in_folder, is_tried = True, not is_there
            case "remove":
                is_in_folder, is_tried = True, is_there
            case "replace":
                is_in_folder, is_tried = True, True
            case "change":
                is_in_folder, is_tried = False, True
            case "mode":  # which Landlock does not refuse
                is_in_folder, is_tried = False, self._of.writable is None
        is_moved = call.kind in {"remove", "replace"} and path in self._of.mounted
        asked = Path(path).parent if is_in_folder else path
        if is_moved or (is_tried and self._is_refused(asked)):
            self._note("write", path)

    def _is_refused(self, place: str | Path) -> bool:
        """Whether it is the sandbox that refuses, and not whom a file belongs to."""
        why = kernel.why_not_writable(place)
        if self._of.writable is not None:
            # Access knows nothing of Landlock: what it refuses itself, it would refuse outside too.
            real = os.path.realpath(place)
            return why == 0 and not any(_lies_in(real, root) for root in self._of.writable)
        # The superuser has that right outside.
        return why == errno.EROFS or (why in {errno.EACCES, errno.EPERM} and os.geteuid() == 0)

    def _look_at_address(self, address: bytes) -> None:
        family = int.from_bytes(address[:2], "little")
        if family == socket.AF_UNIX:
            path = os.fsdecode(address[2 : 2 + _UNIX_PATH].partition(b"\0")[0])
            if path and os.path.lexists(path):
                self._note("socket", path)
            return
        if family not in {socket.AF_INET, socket.AF_INET6} or len(address) < 24:
            return
        port = int.from_bytes(address[2:4], "big")
        packed = address[4:8] if family == socket.AF_INET else address[8:24]
        host = socket.inet_ntop(family, packed)
        if host != "127.0.0.1" or port not in (self._of.ports or ()):
            self._note("network", f"[{host}]:{port}" if ":" in host else f"{host}:{port}")

    def _note(self, right: str, place: str) -> None:
        shown = os.fsencode(place[:_MOST_CHARACTERS]).decode("utf-8", "replace")
        record = (right, shown)
        if not right or record in self._known or len(self._known) >= _MOST_RECORDS:
            return
        self._known.add(record)
        line = json.dumps(record).encode() + b"\n"
        with contextlib.suppress(OSError):  # nobody reads it, or not in time
            if len(line) <= select.PIPE_BUF:
                os.write(self._of.told, line)


def observe(first: int, observer: Observer, listener: int) -> int:
    """Observes until the first command has ended; how it ended, as ``waitpid`` says."""
    waking, woken = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(waking, False)
    signal.signal(signal.SIGCHLD, _ignore)
    signal.signal(signal.SIGALRM, _ignore)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    polled = select.poll()
    polled.register(waking, select.POLLIN)
    polled.register(listener, select.POLLIN)
    while True:
        ended = _reaped(first)
        if ended is not None:
            return ended
        for descriptor, event in polled.poll():
            if descriptor == waking:
                with contextlib.suppress(BlockingIOError):
                    os.read(waking, 4096)
            elif event & select.POLLIN:
                observer.serve()
            else:
                polled.unregister(listener)  # nobody is left who could call


def observe_rest(observer: Observer, listener: int, taken: mmap.mmap) -> None:
    """Observes in the place of another one until nobody is left who could call."""
    signal.signal(signal.SIGALRM, _ignore)
    observer.take_over(taken)
    polled = select.poll()
    polled.register(listener, select.POLLIN)
    while any(event & select.POLLIN for _, event in polled.poll()):
        observer.serve()


def _lies_in(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place.rstrip('/')}/")


def _ignore(number: int, frame: FrameType | None) -> None:
    del number, frame


def _reaped(first: int) -> int | None:
    """Lets go of what has ended; the status of the first command, once it is among it."""
    while True:
        try:
            ended, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 1 << 8
        if ended == 0:
            return None
        if ended == first and not os.WIFSTOPPED(status):
            return status


def _refused(calls: Machine, number: int, arguments: list[int]) -> tuple[str, str]:
    """What is told of a call that is refused; an empty right where it is nothing to tell."""
    if number == calls.socket:
        is_network = arguments[0] in {socket.AF_INET, socket.AF_INET6}
        return ("network", "") if is_network else ("", "")
    return ("call", calls.named[number]) if number in calls.named else ("", "")


def _path_of(call: FileCall, pid: int, arguments: list[int]) -> str:
    """The absolute path that a call names; empty where it cannot be read."""
    said = _memory(pid, arguments[call.path], _MOST_PATH).partition(b"\0")[0]
    if not said or said.startswith(b"/"):
        return os.path.normpath(os.fsdecode(said)) if said else ""
    folder = _CURRENT if call.folder < 0 else _signed(arguments[call.folder])
    link = f"/proc/{pid}/cwd" if folder == _CURRENT else f"/proc/{pid}/fd/{folder}"
    try:
        return os.path.normpath(Path(link).readlink() / os.fsdecode(said))
    except OSError:
        return ""


def _signed(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def _memory(pid: int, place: int, most: int) -> bytes:
    """What stands in the memory of a process, up to the end of what can be read."""
    try:
        descriptor = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.pread(descriptor, most, place)
    except (OSError, OverflowError):
        return b""
    finally:
        os.close(descriptor)
