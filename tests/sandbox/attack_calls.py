"""What the attacks of ``many_attacks`` are made of: system calls without a name, targets and secrets."""

import contextlib
import ctypes
import os
import platform
from collections.abc import Callable
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
IS_INTEL = platform.machine() == "x86_64"
NUMBERS = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "finit_module": (313, 273),
    "fsopen": (430, 430),
    "io_uring_setup": (425, 425),
    "kcmp": (312, 272),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "migrate_pages": (256, 238),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "request_key": (249, 218),
}
"""System calls that the C library has no name for: on Intel and on ARM."""

MARK = "changed-from-within"
HERE = -100
NEW_USER, NEW_MOUNTS = 0x10000000, 0x20000

Way = Callable[[str], object]


def call(name: str, *arguments: object) -> int:
    """A system call by its number.

    Raises:
        OSError: It was refused.
    """
    return checked(LIBC.syscall(NUMBERS[name][0 if IS_INTEL else 1], *map(_passed, arguments)))


def checked(result: int) -> int:
    """A result of the C library.

    Raises:
        OSError: It says that the call was refused.
    """
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _passed(value: object) -> object:
    if isinstance(value, str):
        return ctypes.c_char_p(os.fsencode(value))
    return ctypes.c_long(value) if isinstance(value, int) else value


class Place:
    """The workspace that the attacks start from, and what lies around it."""

    def __init__(self, where: dict[str, object]) -> None:
        self.where = where
        self.work = str(where["work"])
        self.outside = str(where["outside"])
        self.number = 0

    def fresh(self) -> str:
        """A path in the workspace that nothing is at."""
        self.number += 1
        folder = f"{self.work}/src/own"
        Path(folder).mkdir(parents=True, exist_ok=True)
        return f"{folder}/{self.number}"

    def own(self, text: str = MARK) -> str:
        """A file of our own."""
        path = self.fresh()
        Path(path).write_text(text, encoding="utf-8")
        return path


def apart(action: Callable[[], object]) -> object:
    """Does something in a process of its own; what it raised is raised, what it said is said."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said = b"-"
        with contextlib.suppress(BaseException):
            said = b"+" + repr(action()).encode()
        os.write(writing, said[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        said = stream.read()
    os.waitpid(child, 0)
    if not said.startswith(b"+"):
        raise OSError(1, "refused")
    return said[1:].decode("utf-8", "replace")


def targets(where: dict[str, object]) -> dict[str, bool]:
    """Files that are to stay as they are; whether each is of this test alone."""
    work, outside = str(where["work"]), str(where["outside"])
    person, home, other = (str(where[name]) for name in ("person", "home", "other"))
    own = (
        *(f"{outside}/{name}" for name in ("canary", "run.sh", "sub/canary", "new")),
        *(f"{person}/{name}" for name in (".bashrc", ".ssh/authorized_keys", ".profile")),
        *(f"{home}/{name}" for name in ("config.toml", "new")),
        *(f"{work}/.git/{name}" for name in ("config", "HEAD", "hooks/pre-commit")),
        *(f"{work}/{name}" for name in (".ouroboros/config.toml", ".agents/x", "tree/.git")),
        *(f"{work}/deep/{name}" for name in ("sub/.git/config", ".ouroboros/config.toml")),
        *(f"{work}/real/{name}" for name in ("config",)),
        *(f"{other}/{name}" for name in ("config", "hooks/sample")),
    )
    return {**dict.fromkeys(own, True), "/etc/made": False, "/usr/local/bin/made": False}


def secrets(where: dict[str, object]) -> list[str]:
    """Files that nobody within may read."""
    names = (
        ".ssh/id_rsa",
        ".aws/credentials",
        ".netrc",
        ".git-credentials",
        ".config/gh/hosts.yml",
    )
    ours = ("keys.toml", "auth/login.json")
    return [
        *(f"{where['person']}/{name}" for name in names),
        *(f"{where['home']}/{name}" for name in ours),
    ]
