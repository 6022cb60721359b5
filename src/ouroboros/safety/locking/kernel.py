"""Linux's system calls that the C library has no name for; standard library only."""

import ctypes
import functools
import os
import platform
import struct
import sys

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
_LANDLOCK_VERSION = 1
_PATH_BENEATH, _NET_PORT = 1, 2
_SET_NO_NEW_PRIVS, _SET_DUMPABLE, _CAPBSET_DROP = 38, 4, 24
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_FILTER, _TSYNC = 1, 1
_NEW_LISTENER, _WAIT_KILLABLE = 8, 32
_FACCESSAT = {"x86_64": 269, "aarch64": 48}

_CLONE = {"x86_64": 56, "aarch64": 220}
_MOUNT = {"x86_64": 165, "aarch64": 40}
_UNMOUNT = {"x86_64": 166, "aarch64": 39}
_DETACH = 2
_CAPSET = {"x86_64": 126, "aarch64": 91}
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_CLONE_TREE, _RECURSIVE, _EMPTY_PATH, _NO_FOLLOW = 1, 0x8000, 0x1000, 0x100
_FROM_DESCRIPTOR = 4
_HERE = -100
_CAPABILITIES_VERSION = 0x20080522
_SET_PARENT_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36


@functools.cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def _call(number: int, *arguments: int | bytes | None) -> int:
    """The kernel's answer; a negative one is the number of an error."""
    given = [
        ctypes.c_long(value) if isinstance(value, int) else ctypes.c_char_p(value)
        for value in arguments
    ]
    answer = _libc().syscall(ctypes.c_long(number), *given)
    return answer if answer >= 0 else -ctypes.get_errno()


def _checked(answer: int, what: str) -> int:
    if answer < 0:
        raise OSError(-answer, f"{what}: {os.strerror(-answer)}")
    return answer


@functools.cache
def landlock_version() -> int:
    """Which version of Landlock there is; 0 for none."""
    if sys.platform != "linux":
        return 0
    return max(0, _call(LANDLOCK_CREATE, None, 0, _LANDLOCK_VERSION))


def landlock_rights(version: int) -> int:
    """Every right to files that this version of Landlock can take away."""
    return (1 << {0: 0, 1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1


def landlock_ruleset(*, files: int, ports: int, scoped: int) -> int:
    """A new ruleset that handles these rights; the descriptor of it.

    Raises:
        OSError: The kernel refuses.
    """
    version = landlock_version()
    fields = [files]
    if version >= 4:
        fields.append(ports)
    if version >= 6:
        fields.append(scoped)
    rules = struct.pack(f"={len(fields)}Q", *fields)
    return _checked(_call(LANDLOCK_CREATE, rules, len(rules), 0), "landlock")


def landlock_allow(ruleset: int, descriptor: int, rights: int) -> None:
    """Grants rights to what is open, and to what lies beneath it.

    Raises:
        OSError: The kernel refuses.
    """
    rule = struct.pack("=Qi", rights, descriptor)
    _checked(_call(LANDLOCK_ADD, ruleset, _PATH_BENEATH, rule, 0), "landlock")


def landlock_allow_port(ruleset: int, port: int, rights: int) -> None:
    """Grants rights to a port of TCP.

    Raises:
        OSError: The kernel refuses.
    """
    rule = struct.pack("=QQ", rights, port)
    _checked(_call(LANDLOCK_ADD, ruleset, _NET_PORT, rule, 0), "landlock")


def landlock_restrict(ruleset: int) -> None:
    """Binds the calling thread, and what it starts, for good.

    Raises:
        OSError: The kernel refuses.
    """
    _checked(_call(LANDLOCK_RESTRICT, ruleset, 0), "landlock")


def no_new_privileges() -> None:
    """No program that the calling thread starts gains rights by it.

    Raises:
        OSError: The kernel refuses.
    """
    _checked(-ctypes.get_errno() if _prctl(_SET_NO_NEW_PRIVS, 1) else 0, "no_new_privs")


def not_dumpable() -> None:
    """Nobody of the same user may look into this process; where that is unknown, nothing happens."""
    _prctl(_SET_DUMPABLE, 0)


def drop_capabilities(kept: frozenset[int]) -> None:
    """What the calling thread starts as the superuser has these capabilities at most.

    Raises:
        OSError: The kernel refuses.
    """
    for number in range(64):
        if number not in kept and _prctl(_CAPBSET_DROP, number):
            code = ctypes.get_errno()
            if code == 22:  # there are no more
                return
            raise OSError(code, f"capabilities: {os.strerror(code)}")


def seccomp(program: bytes, *, every_thread: bool) -> None:
    """Sets a filter on the calling thread, or on all of them.

    Raises:
        OSError: The kernel refuses.
    """
    number = _SECCOMP.get(platform.machine())
    if number is None:
        raise OSError(38, "seccomp: no table of this machine")
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    flags = _TSYNC if every_thread else 0
    _checked(_call(number, _SET_FILTER, flags, header), "seccomp")


def seccomp_listener(program: bytes) -> int:
    """Sets a filter on the calling thread; the descriptor where its notifications are received.

    Raises:
        OSError: The kernel refuses, or knows no notifications.
    """
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    number = _SECCOMP.get(platform.machine(), -1)
    flags = _NEW_LISTENER | _WAIT_KILLABLE
    return _checked(_call(number, _SET_FILTER, flags, header), "seccomp")


def why_not_writable(path: str | os.PathLike[str]) -> int:
    """The number of the error with which the calling process may not write there; 0 where it may."""
    number = _FACCESSAT[platform.machine()]
    return max(0, -_call(number, _HERE, os.fsencode(path), os.W_OK))


def _prctl(option: int, value: int) -> int:
    prctl = getattr(_libc(), "prctl", None)
    if prctl is None:
        ctypes.set_errno(38)
        return -1
    zero = ctypes.c_ulong(0)
    return prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero)


def clone(flags: int) -> int:
    """A copy of this process, as ``fork``: its number here, 0 in the copy. Only without other threads.

    Raises:
        OSError: The kernel refuses.
    """
    return _checked(_call(_CLONE[platform.machine()], flags, 0, 0, 0, 0), "clone")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """A file system of this kind over ``target``; an empty kind leaves the type out.

    Raises:
        OSError: The kernel refuses.
    """
    words = [os.fsencode(word) if word else None for word in (source, target, kind)]
    said = os.fsencode(data) if data else None
    number = _MOUNT[platform.machine()]
    _checked(_call(number, *words, flags, said), f"mount {target}")


def unmount(target: str) -> None:
    """Takes away what is mounted at ``target``, and below it; copies of it stay.

    Raises:
        OSError: The kernel refuses.
    """
    number = _UNMOUNT[platform.machine()]
    _checked(_call(number, os.fsencode(target), _DETACH), f"unmount {target}")


def mount_copy(path: str) -> int:
    """All that is mounted at a path and below it, once more and nowhere yet; its descriptor.

    Raises:
        OSError: The kernel refuses, or nothing is there.
    """
    flags = _CLONE_TREE | os.O_CLOEXEC | _RECURSIVE | _NO_FOLLOW
    return _checked(_call(_OPEN_TREE, _HERE, os.fsencode(path), flags), f"mount {path}")


def mount_place(tree: int, target: str) -> None:
    """Mounts a copy over ``target``.

    Raises:
        OSError: The kernel refuses, or nothing is there.
    """
    path = os.fsencode(target)
    answer = _call(_MOVE_MOUNT, tree, b"", _HERE, path, _FROM_DESCRIPTOR)
    _checked(answer, f"mount {target}")


def mount_attributes(tree: int, attributes: int) -> None:
    """Sets attributes of all mounts of a copy, or of those at and below ``/`` for a tree of -1.

    Raises:
        OSError: The kernel refuses.
    """
    wanted = struct.pack("=4Q", attributes, 0, 0, 0)
    path, start = (b"", tree) if tree >= 0 else (b"/", _HERE)
    flags = _RECURSIVE | _EMPTY_PATH if tree >= 0 else _RECURSIVE
    _checked(_call(_MOUNT_SETATTR, start, path, flags, wanted, len(wanted)), "mount_setattr")


def no_capabilities() -> None:
    """The calling process gives up every capability that it has; see ``drop_capabilities`` for later ones.

    Raises:
        OSError: The kernel refuses.
    """
    header = struct.pack("=Ii", _CAPABILITIES_VERSION, 0)
    _checked(_call(_CAPSET[platform.machine()], header, bytes(24)), "capset")


def end_with_parent(number: int) -> None:
    """The calling process gets this signal when the thread that started it ends."""
    _prctl(_SET_PARENT_DEATH_SIGNAL, number)


def adopt_orphans() -> None:
    """What the children of this process leave behind becomes a child of it, and not of the first process."""
    _prctl(_SET_CHILD_SUBREAPER, 1)
