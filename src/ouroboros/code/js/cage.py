"""Locks a worker up from inside: no new privileges, small limits, no file, no process, no network.

Called after V8 has started and while the process has no other thread that could act on its own.
Standard library only. What the kernel does not offer is left out and said.
"""

import ctypes
import os
import platform
import resource
import struct
from typing import NamedTuple

DATA_BYTES = 1_073_741_824
"""Heap, buffers and stacks together; V8 needs about half of it as addresses only."""

_SET_NO_NEW_PRIVS, _SET_DUMPABLE = 38, 4
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
_LANDLOCK_VERSION = 1
_SECCOMP_SET_FILTER, _TSYNC = 1, 1
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_CLONE_THREAD = 0x00010000


# What V8, the C library and a plain read and write need; everything else is refused.
class _Machine(NamedTuple):
    architecture: int
    seccomp: int
    clone: int
    clone3: int
    allowed: tuple[int, ...]


_CALLS = {
    "x86_64": _Machine(
        architecture=0xC000003E,
        seccomp=317,
        clone=56,
        clone3=435,
        # read write close poll mmap mprotect munmap brk signals pread readv writev sched_yield
        # mremap mincore madvise nanosleep getpid exit gettimeofday getrusage sysinfo gettid futex
        # affinity clocks exit_group ppoll robust lists pselect6 getcpu getrandom membarrier rseq
        # fstat lseek select uname newfstatat(refused by path rights) fcntl is left out
        allowed=(
            *(0, 1, 3, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 19, 20, 23, 24, 25, 27, 28, 35, 39),
            *(60, 63, 96, 98, 99, 131, 186, 201, 202, 204, 218, 228, 229, 230, 231, 270, 271, 273),
            *(274, 309, 318, 324, 334, 449),
        ),
    ),
    "aarch64": _Machine(
        architecture=0xC00000B7,
        seccomp=277,
        clone=220,
        clone3=435,
        allowed=(
            *(57, 62, 63, 64, 65, 66, 67, 72, 73, 80, 93, 94, 96, 98, 99, 100, 101, 113, 114, 115),
            *(123, 124, 132, 134, 135, 139, 160, 165, 169, 172, 178, 179, 168, 214, 215, 216, 222),
            *(226, 232, 233, 278, 283, 293, 449),
        ),
    ),
}


def lock_up() -> list[str]:
    """Gives up everything that can be given up; the names of what holds.

    ``no-new-privs``, ``limits``, ``landlock``, ``seccomp``; a missing one is not there.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    held = [*_limits(), *_privileges(libc)]
    # Landlock binds the thread that asks; the filter then binds every thread.
    if _landlock(libc):
        held.append("landlock")
    if _seccomp(libc):
        held.append("seccomp")
    return held


def _limits() -> list[str]:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    if hasattr(resource, "RLIMIT_NPROC"):
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_BYTES, DATA_BYTES))
    return ["limits"]


def _privileges(libc: ctypes.CDLL) -> list[str]:
    prctl = getattr(libc, "prctl", None)
    if prctl is None or prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return []
    prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    return ["no-new-privs"]


def _landlock(libc: ctypes.CDLL) -> bool:
    """Every right to files, and to TCP where known, handled and none granted."""
    if platform.system() != "Linux":
        return False
    version = libc.syscall(_LANDLOCK_CREATE, None, 0, _LANDLOCK_VERSION)
    if version < 1:
        return False
    files = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    fields = [files]
    if version >= 4:
        fields.append(0b11)
    if version >= 6:
        fields.append(0b11)
    rules = struct.pack(f"={len(fields)}Q", *fields)
    ruleset = libc.syscall(_LANDLOCK_CREATE, rules, len(rules), 0)
    if ruleset < 0:
        return False
    restricted = libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0)
    os.close(ruleset)
    return restricted == 0


def _seccomp(libc: ctypes.CDLL) -> bool:
    """The filter of this machine, on every thread; False on machines without one."""
    calls = _CALLS.get(platform.machine())
    if platform.system() != "Linux" or calls is None:
        return False
    code = program(platform.machine())
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    return libc.syscall(calls.seccomp, _SECCOMP_SET_FILTER, _TSYNC, header) == 0


def program(machine: str) -> bytes:
    """The filter as the kernel's machine code: a list of what is allowed, all else refused."""
    calls = _CALLS[machine]
    load_arch, load_call, load_first = _load(4), _load(0), _load(16)
    lines = [
        load_arch,
        _jump_if(calls.architecture, 1, 0),
        _answer(_KILL),
        load_call,
        # A thread may be made, a process may not; the C library falls back from clone3.
        _jump_if(calls.clone3, 0, 1),
        _answer(_ERRNO | _ENOSYS),
        _jump_if(calls.clone, 0, 3),
        load_first,
        struct.pack("=HBBI", 0x45, 0, 1, _CLONE_THREAD),
        _answer(_ALLOW),
        load_call,
    ]
    for number in sorted(set(calls.allowed)):
        lines += (_jump_if(number, 0, 1), _answer(_ALLOW))
    return b"".join([*lines, _answer(_ERRNO | _EPERM)])


def _load(offset: int) -> bytes:
    return struct.pack("=HBBI", 0x20, 0, 0, offset)


def _jump_if(value: int, yes: int, no: int) -> bytes:
    return struct.pack("=HBBI", 0x15, yes, no, value)


def _answer(value: int) -> bytes:
    return struct.pack("=HBBI", 0x06, 0, 0, value)
