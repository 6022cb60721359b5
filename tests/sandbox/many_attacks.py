"""A program that tries over a thousand ways out of a sandbox, one after the other, and says which came through.

    python -sSB -m tests.sandbox.many_attacks WHERE.json

WHERE names the places of ``tests.sandbox.test_command_escapes.Ground``. It needs the standard library alone,
of a Python of the system too. With ``control`` in WHERE it makes each target anew and looks whether it was
changed: without a sandbox the attacks must succeed, or they would prove nothing. It prints lines of JSON.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import posix
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.sandbox.attack_calls import (
    IS_INTEL,
    LIBC,
    MARK,
    NEW_MOUNTS,
    Place,
    apart,
    call,
    checked,
    secrets,
    targets,
)
from tests.sandbox.file_attacks import ReadAttacks, WriteAttacks, marking


def touching(place: Place) -> Iterator[tuple[str, Callable[[], object]]]:
    """Ways to another process: the victim, and the one that this sandbox is of."""
    numbers = (
        signal.SIGTERM,
        signal.SIGKILL,
        signal.SIGSTOP,
        signal.SIGINT,
        signal.SIGHUP,
        signal.SIGQUIT,
    )
    numbers += (
        signal.SIGUSR1,
        signal.SIGUSR2,
        signal.SIGABRT,
        signal.SIGALRM,
        signal.SIGTSTP,
        signal.SIGSEGV,
    )
    for who in ("victim", "engine"):
        pid = int(str(place.where[who]))
        for number in numbers:
            yield f"{who}: {number.name}", lambda p=pid, n=number: os.kill(p, n)
            yield (
                f"{who}: {number.name} by its file",
                lambda p=pid, n=number: call(
                    "pidfd_send_signal", call("pidfd_open", p, 0), int(n), 0, 0
                ),
            )
        yield f"{who}: nice", lambda p=pid: os.setpriority(os.PRIO_PROCESS, p, 19)
        yield f"{who}: affinity", lambda p=pid: os.sched_setaffinity(p, {0})
        yield (
            f"{who}: scheduler",
            lambda p=pid: os.sched_setscheduler(p, os.SCHED_IDLE, os.sched_param(0)),
        )
        yield f"{who}: traced", lambda p=pid: checked(LIBC.ptrace(16, p, 0, 0))
        yield f"{who}: seized", lambda p=pid: checked(LIBC.ptrace(0x4206, p, 0, 0))
        yield (
            f"{who}: a file of it",
            lambda p=pid: call("pidfd_getfd", call("pidfd_open", p, 0), 0, 0),
        )
        yield f"{who}: compared", lambda p=pid: call("kcmp", os.getpid(), p, 1, 0, 0)
        yield f"{who}: pages", lambda p=pid: call("migrate_pages", p, 0, 0, 0)
        for name in (
            "mem",
            "environ",
            "maps",
            "auxv",
            "stack",
            "io",
            "cwd/canary",
            "root/etc/hostname",
        ):
            yield (
                f"{who}: {name}",
                lambda p=pid, n=name: os.read(os.open(f"/proc/{p}/{n}", os.O_RDONLY), 1),
            )
        for name in ("mem", "oom_score_adj", "clear_refs", "comm", "uid_map", "coredump_filter"):
            yield (
                f"{who}: {name}, to write",
                lambda p=pid, n=name: os.open(f"/proc/{p}/{n}", os.O_RDWR),
            )
        for name in ("mnt", "net", "ipc", "uts", "pid", "user", "cgroup"):
            yield (
                f"{who}: its {name}",
                lambda p=pid, n=name: apart(
                    lambda: checked(LIBC.setns(os.open(f"/proc/{p}/ns/{n}", os.O_RDONLY), 0))
                ),
            )


def reaching(place: Place) -> Iterator[tuple[str, Callable[[], object]]]:
    """Ways to somebody who listens outside; whether one is reached they tell themselves."""
    yield from _by_network(int(str(place.where["port"])))
    path, abstract = str(place.where["socket"]), f"\0{place.where['abstract']}"
    for name, address in (("path", path), ("abstract", abstract)):
        for kind in (1, 5, 1 | socket.SOCK_CLOEXEC, 1 | socket.SOCK_NONBLOCK):
            yield f"local {name} {kind}", _connected(1, kind, 0, address)
    yield from _by_datagram(str(place.where["datagrams"]))


def _connected(
    family: int, kind: int, protocol: int, address: str | tuple[str, int]
) -> Callable[[], object]:
    return lambda: socket.socket(family, kind, protocol).connect(address)


def _by_network(port: int) -> Iterator[tuple[str, Callable[[], object]]]:
    for host in ("127.0.0.1", "127.0.0.2", "0.0.0.0", "localhost"):
        for protocol in (0, 6, 262):
            yield f"{host} by {protocol}", _connected(2, 1, protocol, (host, port))
    for host in ("::ffff:127.0.0.1", "::1", "::"):
        for protocol in (0, 262):
            yield f"{host} by {protocol}", _connected(10, 1, protocol, (host, port))
    fast, here = 1 << 29, ("127.0.0.1", port)
    yield "fast", lambda: socket.socket(2).sendto(b"x", fast, here)
    yield "fast, as a message", lambda: socket.socket(2).sendmsg([b"x"], [], fast, here)
    raw = ((2, 3, 1), (2, 3, 255), (10, 3, 58), (17, 3, 3), (40, 1, 0), (38, 5, 0))
    for family, kind, protocol in raw:
        yield f"raw {family} {kind}", lambda a=family, b=kind, c=protocol: socket.socket(a, b, c)


def _by_datagram(to: str) -> Iterator[tuple[str, Callable[[], object]]]:
    def sent(pair: bool, kind: int, way: Callable[[socket.socket], object]) -> Callable[[], object]:
        return lambda: way(socket.socketpair(1, kind)[0] if pair else socket.socket(1, kind))

    for pair in (False, True):
        for kind in (2, 3, 2 | socket.SOCK_CLOEXEC):
            name = f"{pair} {kind}"
            yield f"datagram {name}", sent(pair, kind, lambda s: s.sendto(b"x", to))
            yield f"message {name}", sent(pair, kind, lambda s: s.sendmsg([b"x"], [], 0, to))
            yield f"connected {name}", sent(pair, kind, lambda s: (s.connect(to), s.send(b"x")))


def kernel(place: Place) -> Iterator[tuple[str, Callable[[], object]]]:
    """What only the owner of a machine may do, terminals, and keys that the kernel holds."""
    nothing = ctypes.create_string_buffer(256)
    for name in (
        "core_pattern",
        "hostname",
        "modprobe",
        "randomize_va_space",
        "sysrq",
        "pid_max",
        "panic",
    ):
        yield f"sysctl {name}", lambda n=name: os.open(f"/proc/sys/kernel/{n}", os.O_WRONLY)
    for name in (
        "/proc/sysrq-trigger",
        "/proc/sys/vm/drop_caches",
        "/sys/kernel/uevent_helper",
        "/dev/mem",
    ):
        yield name, lambda n=name: os.open(n, os.O_WRONLY)
    for name in ("/dev/kmsg", "/dev/port", "/dev/sda", "/dev/vda", "/proc/kcore"):
        yield name, lambda n=name: os.open(n, os.O_RDONLY)
    for device in ((1, 1), (8, 0), (254, 0), (5, 0), (10, 229)):
        yield (
            f"device {device}",
            lambda d=device: (
                os.mknod(own := place.fresh(), 0o666 | stat.S_IFBLK, os.makedev(*d)),
                os.open(own, os.O_RDONLY),
            ),
        )
    for ring in (-3, -4, -5):
        yield f"key {ring}", lambda r=ring: call("add_key", "user", "ouroboros-escape", "x", 1, r)
        yield f"keys {ring}", lambda r=ring: call("keyctl", 11, r, nothing, 200, 0)
    yield "a session of keys", lambda: apart(lambda: call("keyctl", 1, 0, 0, 0, 0))
    yield "a key asked for", lambda: call("request_key", "user", "ouroboros-escape", "x", 0)
    for number in range(3):
        yield f"typed into {number}", lambda n=number: fcntl.ioctl(n, 0x5412, b"x")
        yield f"pasted into {number}", lambda n=number: fcntl.ioctl(n, 0x541C, b"\x03")
    for name in ("/dev/tty", "/dev/console", "/dev/tty0", "/dev/pts/0", "/dev/pts/1"):
        yield f"typed into {name}", lambda n=name: fcntl.ioctl(os.open(n, os.O_RDWR), 0x5412, b"x")
    yield "a machine", lambda: fcntl.ioctl(os.open("/dev/kvm", os.O_RDWR), 0xAE01, 0)
    yield "a filesystem of our own", lambda: _mounted_by_hand(place)
    yield "a program in the kernel", lambda: call("bpf", 0, nothing, 48)
    yield "a ring", lambda: call("io_uring_setup", 4, nothing)
    yield "counted events", lambda: call("perf_event_open", nothing, 0, -1, -1, 0)
    yield "a new kernel", lambda: call("kexec_load", 0, 0, 0, 0)
    yield "a module", lambda: call("finit_module", os.open("/bin/true", os.O_RDONLY), "", 0)
    yield "a module taken out", lambda: checked(LIBC.delete_module(b"dummy", 0))
    yield "a filesystem", lambda: call("fsopen", "tmpfs", 0)
    yield "another root", lambda: apart(lambda: call("pivot_root", place.work, place.work))
    yield "swap", lambda: checked(LIBC.swapon(b"/dev/vda", 0))
    yield "accounts", lambda: checked(LIBC.acct(os.fsencode(place.own())))
    yield "the log of the kernel", lambda: checked(LIBC.klogctl(3, nothing, 200))
    yield "every file watched", lambda: checked(LIBC.fanotify_init(0, 0))
    yield "another name", lambda: apart(lambda: checked(LIBC.sethostname(b"escaped", 7)))
    if IS_INTEL:
        yield "ports", lambda: checked(LIBC.iopl(3))


def _mounted_by_hand(place: Place) -> int:
    own = f"{place.fresh()}d"
    posix.mkdir(own)
    file = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={file},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    return checked(LIBC.mount(b"x", os.fsencode(own), b"fuse", 0, options.encode()))


ON_FOLDERS = (
    "its folder moved",
    "with its folder deleted",
    "after taking mounts away",
    "the mode of its folder",
    "the times of its folder",
)
"""What would harm the machine, not the test alone, where a folder of the system is meant."""


def attacks(place: Place) -> Iterator[tuple[str, str, Callable[[], object]]]:
    """All of them: the kind, the name, and what to do."""
    marks = marking() if place.where["marks"] else {}
    for target, is_own in targets(place.where).items():
        for kind, ways in (("write", WriteAttacks(place).ways()), ("mark", marks)):
            for name, way in ways.items():
                if is_own or name not in ON_FOLDERS:
                    yield kind, f"{target}: {name}", lambda t=target, w=way: w(t)
    for target in secrets(place.where):
        for name, way in ReadAttacks(place).ways().items():
            yield "read", f"{target}: {name}", lambda t=target, w=way: w(t)
    for kind, several in (("touch", touching), ("reach", reaching), ("kernel", kernel)):
        for name, action in several(place):
            yield kind, name, action


def open_files() -> set[int]:
    """The numbers of what is open, and of the folder that they are read from."""
    return {int(entry.name) for entry in Path("/proc/self/fd").iterdir()}


def tried(action: Callable[[], object]) -> object:
    """What came of it: None when it was refused; what it opened is closed, so that the next may open more."""
    before = open_files()
    came: object = None
    with contextlib.suppress(Exception):
        came = action()
        came = True if came is None else came
    for number in open_files() - before:
        with contextlib.suppress(OSError):
            os.close(number)
    return came


def tell(**said: object) -> None:
    """A line for whoever compares."""
    sys.stdout.write(json.dumps(said, default=repr) + "\n")
    sys.stdout.flush()


def attack(place: Place) -> None:
    """Tries everything; what was done to files the outside sees for itself."""
    assert Path(place.own()).read_text("utf-8") == MARK  # they start from what may be written
    count = 0
    for kind, name, action in attacks(place):
        came = tried(action)
        count += 1
        if came is not None:
            tell(kind=kind, name=name, came=repr(came)[:3000])
    tell(count=count)


def control(place: Place) -> None:
    """Tries the ways on files of this test that are made anew for each, and says which of them work."""
    if os.getuid() == 0:  # what he mounts is to end with us
        checked(LIBC.unshare(NEW_MOUNTS))
        checked(LIBC.mount(b"none", b"/", None, 0x44000, None))
    worked: dict[str, bool] = {}
    folder = f"{place.outside}/fresh"
    for kind, ways in (
        ("write", WriteAttacks(place).ways()),
        ("mark", marking()),
        ("read", ReadAttacks(place).ways()),
    ):
        for name, way in ways.items():
            shutil.rmtree(folder, ignore_errors=True)
            target = Path(folder, "sub", "target")
            if name != "with its folders made":
                target.parent.mkdir(parents=True)
                target.write_text("SECRET quiet", encoding="utf-8")
            before = _seen(folder)
            came = tried(lambda w=way, t=str(target): w(t))
            is_read = "SECRET" in repr(came)
            worked[f"{kind}: {name}"] = is_read if kind == "read" else _seen(folder) != before
    for name, action in reaching(place):
        worked[f"reach: {name}"] = tried(action) is not None
    for name, _ in touching(place):
        if name.startswith("victim"):
            worked[f"touch: {name}"] = _touched(place, name)
    tell(worked=worked)


def _touched(place: Place, name: str) -> bool:
    """Whether this way reaches a process that is started for it alone."""
    words, nowhere = ["/bin/sleep", "600"], subprocess.DEVNULL
    with subprocess.Popen(words, cwd=place.outside, stdout=nowhere, stderr=nowhere) as victim:
        own = Place({**place.where, "victim": victim.pid})
        came = tried(dict(touching(own))[name])
        # Popen takes a process that is stopped by its tracer for one that ended.
        os.kill(victim.pid, signal.SIGKILL)
        while not os.WIFSIGNALED(os.waitpid(victim.pid, 0)[1]):
            continue
    return came is not None


def _seen(folder: str) -> list[object]:
    found: list[object] = []
    for path in (Path(folder), *sorted(Path(folder).rglob("*"))):
        with contextlib.suppress(FileNotFoundError):
            status = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            times = status.st_mtime_ns, status.st_ctime_ns
            found.append((str(path), status.st_mode, times, content))
    return found


if __name__ == "__main__":
    socket.setdefaulttimeout(5)
    given = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    (control if given["control"] else attack)(Place(given))
