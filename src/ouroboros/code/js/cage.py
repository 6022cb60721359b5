"""Locks a worker up from inside: no new privileges, small limits, no file, no process, no network.

Called after V8 has started and while the process has no other thread that could act on its own.
Standard library only. What the kernel does not offer is left out and said.
"""

import os
import platform
import resource
import sys
from typing import NamedTuple

from ouroboros.safety.locking import kernel, seccomp

DATA_BYTES = 1_073_741_824
"""Heap, buffers and stacks together; V8 needs about half of it as addresses only."""


# What V8, the C library and a plain read and write need; everything else is refused.
class _Machine(NamedTuple):
    allowed: tuple[int, ...]


_CALLS = {
    "x86_64": _Machine(
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
    held = [*_limits(), *_privileges()]
    # Landlock binds the thread that asks; the filter then binds every thread.
    if _landlock():
        held.append("landlock")
    if _seccomp():
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


def _privileges() -> list[str]:
    try:
        kernel.no_new_privileges()
    except OSError:
        return []
    kernel.not_dumpable()
    return ["no-new-privs"]


def _landlock() -> bool:
    """Every right to files, and to TCP where known, handled and none granted."""
    version = kernel.landlock_version()
    if version < 1:
        return False
    try:
        ruleset = kernel.landlock_ruleset(
            files=kernel.landlock_rights(version), ports=0b11, scoped=0b11
        )
        try:
            kernel.landlock_restrict(ruleset)
        finally:
            os.close(ruleset)
    except OSError:
        return False
    return True


def _seccomp() -> bool:
    """The filter of this machine, on every thread; False on machines without one."""
    if sys.platform != "linux" or platform.machine() not in _CALLS:
        return False
    try:
        kernel.seccomp(program(platform.machine()), every_thread=True)
    except OSError:
        return False
    return True


def program(machine: str) -> bytes:
    """The filter as the kernel's machine code: a list of what is allowed, all else refused."""
    calls = seccomp.MACHINES[machine]
    return seccomp.allowing(calls.architecture, calls.clone, calls.clone3, _CALLS[machine].allowed)
