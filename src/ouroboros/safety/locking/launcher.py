"""A small process with one thread that starts commands, in namespaces of their own where there are any.

    python -I -S -c "..." DESCRIPTOR

The engine has threads, and a process with threads cannot be copied safely; this one can. It makes copies
of itself whose parent is the engine (``CLONE_PARENT``), so the engine waits for one as for any other child.
A copy is the first process in its namespaces. It is made before there is a command, prepares what is the
same for every one, and waits for its request: then it mounts what the command is to see, gives up its
rights, starts the command and waits for it. This file knows nothing but the standard library.

Where no namespaces may be made, Landlock and the filter bind a copy all the same. Then what a command leaves
running may outlive the copy, and a second copy answers the kernel for it from there on (``_succeed``).

Sources: https://man7.org/linux/man-pages/man7/user_namespaces.7.html and mount_setattr.2, clone.2.
"""

import contextlib
import errno
import fcntl
import json
import mmap
import os
import resource
import signal
import socket
import stat
import struct
import sys
import termios
import time
from pathlib import Path
from types import FrameType
from typing import NoReturn, TypedDict

from ouroboros.safety.locking import kernel
from ouroboros.safety.locking.observing import Observed, Observer, observe, observe_rest
from ouroboros.safety.locking.seccomp import BLIND

IS_USER, IS_NETWORK, IS_BARE = 1, 2, 4
"""What is asked for with a copy: a user namespace of its own, the network of the machine, no namespaces at all."""

IS_READY = b"0:"
"""Said right before the command is started; anything else is the number of an error and words."""

MOST_DESCRIPTORS = 32
"""In one request."""

_NEW_USER, _NEW_MOUNTS, _NEW_PROCESSES = 0x10000000, 0x00020000, 0x20000000
_NEW_IPC, _NEW_NETWORK = 0x08000000, 0x40000000
_SAME_PARENT = 0x00008000
_KEPT_CAPABILITIES = frozenset({0, 1, 3, 4, 6, 7})
"""Without namespaces: chown, the modes of files, setuid, which unpacking as the superuser needs."""
_READ_ONLY, _NO_SET_USER, _NO_DEVICES, _NO_PROGRAMS = 1, 2, 4, 8
_REMOUNT, _BIND, _RECURSIVE = 0x20, 0x1000, 0x4000
_PRIVATE, _SLAVE = 0x40000, 0x80000
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_WRITABLE_PROC = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi")
_SET_FLAGS, _UP = 0x8914, 0x1
_MASK = "/dev/masked"
_PAUSES = (0.01, 0.04, 0.2, 0.75, 2.0)
_MOST_NUMBERS = 1 << 20
_FOR_THE_COMMAND = signal.valid_signals() - {
    *(signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, signal.SIGCONT),
    *(signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU),
    *(
        signal.SIGSEGV,
        signal.SIGBUS,
        signal.SIGILL,
        signal.SIGFPE,
        signal.SIGABRT,
        signal.SIGSYS,
        signal.SIGTRAP,
    ),
}
"""What may be sent to a group; in namespaces the kernel keeps it from the first process."""
_HIGH = 512
"""Descriptors of a request are moved above this number, out of the way of those that the command gets."""


class LaunchRequest(TypedDict):
    """One command, as JSON; the ``filter`` of system calls in hexadecimal digits.

    ``places`` are paths with what is mounted there, the outer ones first. ``targets`` are the numbers that the descriptors have for the command;
    two more follow them: where refusals are told, and the ruleset of Landlock if ``rights`` are not 0.
    ``observing`` is the filter where refusals are told of, and ``ports`` those of the proxy if there is one.
    ``writable`` is None where the mounts say what may be written, else what Landlock lets be.
    """

    command: list[str]
    environment: dict[str, str]
    cwd: str
    places: list[tuple[str, str]]
    is_read_only: bool
    limits: list[tuple[int, int]]
    rights: int
    filter: str
    observing: str
    machine: str
    ports: list[int] | None
    writable: list[str] | None
    targets: list[int]


def serve(descriptor: int) -> None:
    """Makes a copy for each byte of flags that comes, until the other end is closed.

    The answer is the number of the copy, with a socket to it, or minus the number of an error. The copy takes one
    request over that socket, and says there that the sandbox is ready for the command, or why not.
    """
    kernel.end_with_parent(signal.SIGKILL)
    fcntl.fcntl(descriptor, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    room = 4 * _HIGH if most == resource.RLIM_INFINITY else min(4 * _HIGH, most)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(room, before[0]), most))
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that succeed a copy
    os.chdir("/")
    with socket.socket(fileno=descriptor) as ours:
        while flags := ours.recv(1):
            try:
                theirs, number = _copied(flags[0], before)
            except OSError as refused:
                ours.sendall(struct.pack("=i", -(refused.errno or 1)))
            else:
                with theirs:
                    socket.send_fds(ours, [struct.pack("=i", number)], [theirs.fileno()])


def _copied(flags: int, limit: tuple[int, int]) -> tuple[socket.socket, int]:
    """A copy that waits for its request: a socket to it, and its number."""
    wanted = _SAME_PARENT | signal.SIGCHLD
    if not flags & IS_BARE:
        wanted |= _NEW_MOUNTS | _NEW_PROCESSES | _NEW_IPC
        wanted |= _NEW_USER if flags & IS_USER else 0
        wanted |= 0 if flags & IS_NETWORK else _NEW_NETWORK
    owner = os.geteuid(), os.getegid()
    theirs, mine = socket.socketpair()
    opened: list[int] = []
    taken = mmap.mmap(-1, mmap.PAGESIZE) if flags & IS_BARE else None
    try:
        opened.append(_raised(mine.detach()))
        if taken is not None:
            opened.append(_successor(taken))
        started = kernel.clone(wanted)
        if started == 0:
            _copy(opened, taken, flags, owner, limit)
    except OSError:
        theirs.close()
        raise
    finally:
        for each in opened:
            os.close(each)
        if taken is not None:
            taken.close()
    return theirs, started


def _successor(taken: mmap.mmap) -> int:
    """Makes a process that answers the kernel once a copy is gone; our end of a socket to it.

    ``taken`` says what the copy has received last.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        told = _raised(ours.detach())
        try:
            started = os.fork()
        except OSError:
            os.close(told)
            raise
        if started == 0:
            _succeed(theirs.detach(), taken)
    return told


def _succeed(channel: int, taken: mmap.mmap) -> NoReturn:
    """Takes a listener, and serves it from the end of whoever sent it until nobody is left who could call.

    Without it what a command leaves running could open no file any more to write to it.
    """
    try:
        channel = _raised(channel)
        os.closerange(0, _HIGH)
        os.closerange(channel + 1, _MOST_NUMBERS)
        os.closerange(_HIGH, channel)
        os.setsid()
        kernel.not_dumpable()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=channel) as sent:
            said, given, _, _ = socket.recv_fds(sent, 1 << 16, 1, socket.MSG_CMSG_CLOEXEC)
            if given:
                sent.recv(1)  # nothing is sent: it ends as the copy does, however that does
                observed = Observed.silent(given[0], **json.loads(said))
                observe_rest(Observer(observed), given[0], taken)
    finally:
        os._exit(0)


def _copy(
    opened: list[int],
    taken: mmap.mmap | None,
    flags: int,
    owner: tuple[int, int],
    limit: tuple[int, int],
) -> NoReturn:
    """All that a copy does; nothing of the server goes on in it. ``opened`` are its sockets."""
    told, *others = opened
    is_bare = bool(flags & IS_BARE)
    try:
        _left_open(*opened)
        os.closerange(max(opened) + 1, _MOST_NUMBERS)
        prepared = _apart(flags, *owner)
        found = _request(told)
        if found is None:
            os._exit(0)
        request, descriptors = found
        refusals, ruleset = _moved(request, descriptors)
        if not is_bare:
            _mounted(request["places"], prepared, is_read_only=request["is_read_only"])
        os.chdir(request["cwd"])
        listener = _bound(request, ruleset, is_bare=is_bare)
        for number in _FOR_THE_COMMAND if is_bare else ():
            signal.signal(number, _ignore)  # it gets what is sent to its group, and ends or not
        for each in others:
            _handed_on(each, listener, request)
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        if listener < 0:
            os.write(refusals, json.dumps([BLIND, ""]).encode() + b"\n")
        os.write(told, IS_READY)  # from here on the command may have done something
        first = _begun(request)
        os.close(told)
    except BaseException as failed:  # noqa: BLE001 - whatever it is, the engine is to know
        _give_up(told, failed)
    try:
        _left_open(refusals, listener, *others)
        if listener >= 0:
            _end_as(
                observe(first, Observer(_observed(request, listener, refusals), taken), listener)
            )
        _wait(first)
    finally:
        os._exit(126)


def _apart(flags: int, user: int, group: int) -> dict[str, int]:
    """All that is the same for every command; what ``_prepared`` made."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    if flags & IS_BARE:
        kernel.not_dumpable()
        kernel.adopt_orphans()  # so that what a command leaves is below us, and seen and reaped
        if user == 0:
            kernel.drop_capabilities(_KEPT_CAPABILITIES)
        return {}
    kernel.end_with_parent(signal.SIGKILL)
    if flags & IS_USER:
        _be(user, group)
    kernel.not_dumpable()
    prepared = _prepared()
    if not flags & IS_NETWORK:
        _loopback()
    kernel.drop_capabilities(frozenset())
    return prepared


def _request(told: int) -> tuple[LaunchRequest, list[int]] | None:
    """What comes over the socket; None where nobody needs a command any more."""
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=told)
    try:
        head, descriptors, _, _ = socket.recv_fds(
            channel, 8, MOST_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
        )
        if len(head) < 8:
            return None
        (size,) = struct.unpack("=Q", head)
        body = bytearray()
        while len(body) < size:
            piece = channel.recv(min(size - len(body), 1 << 20))
            if not piece:
                return None
            body += piece
    finally:
        channel.detach()
    return json.loads(body), descriptors


def _handed_on(channel: int, listener: int, request: LaunchRequest) -> None:
    """Gives the listener to whoever is to answer after us; without one it ends at our end."""
    if listener < 0:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=os.dup(channel)) as to:
        facts = {"machine": request["machine"], "ports": request["ports"]}
        socket.send_fds(to, [json.dumps(facts).encode()], [listener])


def _observed(request: LaunchRequest, listener: int, told: int) -> Observed:
    places, writable = request["places"], request["writable"]
    return Observed(
        listener=listener,
        told=told,
        machine=request["machine"],
        hidden=tuple(path for path, kind in places if kind in {"hidden", "veiled"}),
        mounted=frozenset(path for path, _ in places),
        ports=None if request["ports"] is None else tuple(request["ports"]),
        writable=None if writable is None else tuple(writable),
    )


def _left_open(*kept: int) -> None:
    """Closes what the command alone is to hold, but for these."""
    begin = 0
    for each in sorted(each for each in kept if each >= 0):
        os.closerange(begin, each)
        begin = each + 1
    os.closerange(begin, _HIGH * 4)


def _moved(request: LaunchRequest, descriptors: list[int]) -> tuple[int, int]:
    """Gives the descriptors their numbers; where refusals are told, and the ruleset.

    Raises:
        OSError: Some are missing: where a process has no room, they are left out without a word.
    """
    targets = request["targets"]
    if len(descriptors) != len(targets) + 1 + (request["rights"] != 0):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    high = [_raised(each) for each in descriptors]
    for each, target in zip(high, targets, strict=False):
        os.dup2(each, target)
        os.close(each)
    refusals, *rest = high[len(targets) :]
    return refusals, rest[0] if rest else -1


def _be(user: int, group: int) -> None:
    """The same user inside as outside, and nobody else."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def _prepared() -> dict[str, int]:
    """A ``/proc`` and a ``/dev`` of its own, which are mounted nowhere yet."""
    # Where mounts are shared, as systemd makes them, what the person unmounts goes away in a copy that waits too.
    kernel.mount("", "/", "", _RECURSIVE | _SLAVE)
    devices = {
        name: kernel.mount_copy(f"/dev/{name}")
        for name in _DEVICES
        if os.path.lexists(f"/dev/{name}")
    }
    _make_devices(devices)
    kernel.mount("proc", "/proc", "proc", _NO_SET_USER | _NO_DEVICES | _NO_PROGRAMS)
    for name in _WRITABLE_PROC:
        with contextlib.suppress(FileNotFoundError):
            _place(kernel.mount_copy(f"/proc/{name}"), f"/proc/{name}", _READ_ONLY)
    prepared: dict[str, int] = {}
    for path in ("/dev", "/proc"):
        tree = kernel.mount_copy(path)
        prepared[path] = _raised(tree)
        kernel.unmount(path)
    return prepared


def _raised(descriptor: int) -> int:
    """The same under a number that no command wants."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    finally:
        os.close(descriptor)


def _mounted(
    places: list[tuple[str, str]], prepared: dict[str, int], *, is_read_only: bool
) -> None:
    """What the command is to see of the machine."""
    kernel.mount("", "/", "", _RECURSIVE | _PRIVATE)
    covered = tuple(f"{path}/" for path, kind in places if kind == "veiled")
    # Before all is read-only, and before what they lie in is covered.
    early = {path for path, kind in places if kind == "writable"}
    early |= {path for path, kind in places if kind == "protected" and path.startswith(covered)}
    trees = {path: kernel.mount_copy(path) for path in early if os.path.lexists(path)}
    kernel.mount_attributes(-1, _NO_SET_USER | (_READ_ONLY if is_read_only else 0))
    for path, tree in prepared.items():
        _place(tree, path, 0)
    for path, kind in places:
        with contextlib.suppress(FileNotFoundError):  # it went away meanwhile
            _cover(path, kind, trees)
    for path, kind in places:
        if kind == "veiled":  # what is shown in it is mounted by now
            kernel.mount("", path, "", _REMOUNT | _BIND | _READ_ONLY | _NO_SET_USER | _NO_DEVICES)
    Path(_MASK).unlink()


def _make_devices(trees: dict[str, int]) -> None:
    """A ``/dev`` of its own with these devices, and for now a file that nobody may open."""
    flags = _NO_SET_USER | _NO_PROGRAMS
    kernel.mount("tmpfs", "/dev", "tmpfs", flags, "mode=755")
    for name, tree in trees.items():
        _touch(f"/dev/{name}")
        _place(tree, f"/dev/{name}", 0)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        Path(f"/dev/{name}").symlink_to(f"/proc/self/fd{target}")
    for name, mode in (("shm", 0o1777), ("pts", 0o755)):
        Path("/dev", name).mkdir()
        Path("/dev", name).chmod(mode)
    kernel.mount("devpts", "/dev/pts", "devpts", flags, "newinstance,ptmxmode=0666,mode=620")
    Path("/dev/ptmx").symlink_to("pts/ptmx")
    _touch(_MASK, 0)


def _touch(path: str, mode: int = 0o666) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_RDONLY | os.O_EXCL, mode))


def _place(tree: int, path: str, attributes: int) -> None:
    try:
        if attributes:
            kernel.mount_attributes(tree, attributes)
        kernel.mount_place(tree, path)
    finally:
        os.close(tree)


def _cover(path: str, kind: str, trees: dict[str, int]) -> None:
    flags = _NO_SET_USER | _NO_DEVICES
    match kind:
        case "veiled":
            kernel.mount("tmpfs", path, "tmpfs", flags, "mode=0111")
        case "hidden" if stat.S_ISDIR(os.lstat(path).st_mode):
            kernel.mount("tmpfs", path, "tmpfs", flags | _READ_ONLY, "mode=0000,size=4k")
        case "hidden":
            _place(kernel.mount_copy(_MASK), path, flags | _READ_ONLY)
        case _:
            tree = trees.pop(path, -1)
            if tree < 0:
                tree = kernel.mount_copy(path)
            elif not os.path.lexists(path):
                _mount_point(path, is_folder=stat.S_ISDIR(os.fstat(tree).st_mode))
            _place(tree, path, flags if kind == "writable" else flags | _READ_ONLY)


def _mount_point(path: str, *, is_folder: bool) -> None:
    """Something to mount over, in what is covered."""
    if is_folder:
        Path(path).mkdir(0o755, parents=True)
    else:
        Path(path).parent.mkdir(0o755, exist_ok=True, parents=True)
        _touch(path)


def _loopback() -> None:
    """A network of its own begins with its loopback down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        fcntl.ioctl(asking, _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP))


def _bound(request: LaunchRequest, ruleset: int, *, is_bare: bool) -> int:
    """Gives up what the command is not to have; what follows has it no more.

    The descriptor where its calls are told of; -1 where the kernel tells of none.
    """
    with contextlib.suppress(OSError):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # a terminal that was made for it is its own
    for kind, most in request["limits"]:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))
    kernel.no_new_privileges()
    if ruleset >= 0:
        for name in () if is_bare else ("pts", "shm"):
            place = os.open(f"/dev/{name}", os.O_PATH | os.O_CLOEXEC)
            kernel.landlock_allow(ruleset, place, request["rights"])
            os.close(place)
        kernel.landlock_restrict(ruleset)
        os.close(ruleset)
    if not is_bare:
        kernel.no_capabilities()
        kernel.not_dumpable()  # a change of capabilities may have undone both
        kernel.end_with_parent(signal.SIGKILL)
    if request["observing"]:
        with contextlib.suppress(OSError):  # older than 5.19, or somebody else listens already
            return kernel.seccomp_listener(bytes.fromhex(request["observing"]))
    kernel.seccomp(bytes.fromhex(request["filter"]), every_thread=False)
    return -1


def _begun(request: LaunchRequest) -> int:
    """The number of the command; a program that cannot be started is told of as a shell would."""
    command, environment = request["command"], request["environment"]
    paths = [command[0]]
    if "/" not in command[0]:
        search = environment.get("PATH", os.defpath).split(os.pathsep)
        paths = [f"{folder or '.'}/{command[0]}" for folder in search]
    found = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    for path in paths:
        try:
            return _spawned(path, command, environment)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except ValueError:  # a NUL among the words
            found = OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        except OSError as failed:
            found = failed
    os.write(2, f"{command[0]}: {found.strerror}\n".encode("utf-8", "surrogateescape"))
    os._exit(126 + isinstance(found, FileNotFoundError))


def _spawned(path: str, command: list[str], environment: dict[str, str]) -> int:
    """A child; where the limit of processes is reached, what was just killed may still count, so it waits as shells do."""
    for pause in _PAUSES:
        with contextlib.suppress(BlockingIOError):
            return os.posix_spawn(path, command, environment)
        time.sleep(pause)
    return os.posix_spawn(path, command, environment)


def _ignore(number: int, frame: FrameType | None) -> None:
    del number, frame


def _give_up(told: int, failed: BaseException) -> NoReturn:
    number = failed.errno if isinstance(failed, OSError) else 0
    with contextlib.suppress(OSError):
        os.write(told, f"{number or 5}:{failed}".encode("utf-8", "replace")[:4000])
    os._exit(126)


def _wait(first: int) -> NoReturn:
    """Waits for the command, and for what it left behind; what still runs then ends with us."""
    while True:
        try:
            ended, status = os.waitpid(-1, 0)
        except ChildProcessError:
            os._exit(1)
        if ended == first and not os.WIFSTOPPED(status):
            _end_as(status)


def _end_as(status: int) -> NoReturn:
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
