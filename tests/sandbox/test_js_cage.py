"""Attempts to get out of the worker, made by native code in its place: with V8 already taken over."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ATTEMPTS = """
import ctypes, json, os, signal, socket, sys, threading
options = json.loads(sys.argv[1])
sys.path.extend(options["paths"])
from ouroboros.code.js.cage import lock_up
from ouroboros.code.js.engine import Engine
from pathlib import Path
locked, other = threading.Event(), {}
# Nobody starts a thread any more once it is locked up; root could.
thread = threading.Thread(target=lambda: locked.wait() and other.update(tried()))
thread.start()
engine = Engine(Path(options["engine"]), ended=lambda task, result: None)
libc = ctypes.CDLL(None, use_errno=True)
held = lock_up()

def raw(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")

def fork():
    if os.fork() == 0:
        os._exit(0)

attempts = {
    "read passwd": lambda: os.open("/etc/passwd", os.O_RDONLY),
    "read own memory": lambda: os.open("/proc/self/mem", os.O_RDWR),
    "list the root": lambda: os.listdir("/"),
    "make a file": lambda: os.open("/tmp/escaped", os.O_WRONLY | os.O_CREAT),
    "remove a file": lambda: os.unlink("/tmp/nothing-here"),
    "rename": lambda: os.rename("/tmp/a", "/tmp/b"),
    "internet": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    "datagram": lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM),
    "unix socket": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
    "netlink": lambda: socket.socket(16, socket.SOCK_RAW, 0),
    "execute": lambda: os.execv("/bin/sh", ["sh", "-c", "true"]),
    "fork": fork,
    "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "kill the parent": lambda: os.kill(os.getppid(), 0),
    "signal a group": lambda: os.killpg(os.getpgid(0), 0),
    "trace": lambda: raw(101, 16, os.getppid(), 0, 0),
    "read another process": lambda: raw(310, os.getppid(), 0, 0, 0, 0, 0),
    "clone without a thread": lambda: raw(56, 17, 0, 0, 0, 0),
    "clone3": lambda: raw(435, 0, 0),
    "namespace": lambda: raw(272, 0x10000000),
    "mount": lambda: raw(165, 0, 0, 0, 0, 0),
    "bpf": lambda: raw(321, 0, 0, 0),
    "keyring": lambda: raw(250, 0, 0, 0, 0),
    "io_uring": lambda: raw(425, 1, 0),
    "open by handle": lambda: raw(304, 0, 0, 0),
    "memory file": lambda: raw(319, b"x", 0),
    "new limits": lambda: raw(160, 7, 0),
    "change directory": lambda: os.chdir("/"),
    "change root": lambda: os.chroot("/"),
    "set user": lambda: os.setuid(1),
    "i386 calls": lambda: raw(0x40000000 + 2, b"/etc/passwd", 0),
}

def tried():
    results = {}
    for name, attempt in attempts.items():
        try:
            attempt()
            results[name] = "done"
        except OSError as problem:
            results[name] = problem.errno
    return results

mine = tried()
locked.set()
thread.join()
sys.stdout.write(json.dumps({"held": held, "main": mine, "thread": other}))
sys.stdout.flush()
os._exit(0)
"""


def options() -> str:
    import py_mini_racer
    import tree_sitter

    import ouroboros

    return json.dumps({
        "paths": [
            str(Path(ouroboros.__file__).parents[1]),
            str(Path(tree_sitter.__file__).parents[1]),
        ],
        "engine": str(Path(py_mini_racer.__file__).parent),
    })


def ran(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", "-c", code, options()]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env={}, check=False)


@pytest.fixture(scope="module")
def attempts() -> dict[str, dict[str, object]]:
    done = ran(ATTEMPTS)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.proves("B25")
def test_every_part_of_the_cage_holds_here(attempts: dict[str, object]):
    assert attempts["held"] == ["limits", "no-new-privs", "landlock", "seccomp"]


@pytest.mark.proves("B25")
@pytest.mark.parametrize("where", ["main", "thread"])
def test_nothing_outside_can_be_touched(attempts: dict[str, dict[str, object]], where: str):
    assert len(attempts[where]) >= 30
    assert [name for name, result in attempts[where].items() if result == "done"] == []


@pytest.mark.proves("B25")
def test_a_worker_without_its_cage_would_get_out():
    """The attempts are real: most succeed where nothing is locked."""
    open_door = ATTEMPTS.replace("held = lock_up()", "held = []")
    for final in ("execute", "fork", "change root", "set user", "clone without a thread"):
        open_door = open_door.replace(
            f'    "{final}":', f'    "{final}" if 0 else "list the root":'
        )
    done = ran(open_door)
    assert done.returncode == 0, done.stderr
    reached = json.loads(done.stdout)["main"]
    assert {"read passwd", "internet", "unix socket"} <= {
        name for name, result in reached.items() if result == "done"
    }
    Path("/tmp/escaped").unlink(missing_ok=True)
