"""Filters of system calls, run as the kernel runs them: what is refused, on each kind of machine."""

import struct

import pytest

from ouroboros.safety.locking import seccomp
from tests.cases import every

NUMBERS = {
    "x86_64": {
        "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "io_uring_setup": 425,
        "io_uring_enter": 426, "io_uring_register": 427, "add_key": 248, "request_key": 249,
        "keyctl": 250, "bpf": 321, "userfaultfd": 323, "perf_event_open": 298, "mount": 165,
        "umount2": 166, "pivot_root": 155, "chroot": 161, "open_tree": 428, "move_mount": 429,
        "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442,
        "setns": 308, "kexec_load": 246, "kexec_file_load": 320, "init_module": 175,
        "finit_module": 313, "delete_module": 176, "reboot": 169, "swapon": 167, "swapoff": 168,
        "acct": 163, "settimeofday": 164, "clock_settime": 227, "clock_adjtime": 305,
        "adjtimex": 159, "sethostname": 170, "setdomainname": 171, "iopl": 172, "ioperm": 173,
        "open_by_handle_at": 304, "kcmp": 312, "pidfd_getfd": 438, "quotactl": 179,
        "fanotify_init": 300, "syslog": 103, "modify_ldt": 154,
    },
    "aarch64": {
        "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "io_uring_setup": 425,
        "io_uring_enter": 426, "io_uring_register": 427, "add_key": 217, "request_key": 218,
        "keyctl": 219, "bpf": 280, "userfaultfd": 282, "perf_event_open": 241, "mount": 40,
        "umount2": 39, "pivot_root": 41, "chroot": 51, "open_tree": 428, "move_mount": 429,
        "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442,
        "setns": 268, "kexec_load": 104, "kexec_file_load": 294, "init_module": 105,
        "finit_module": 273, "delete_module": 106, "reboot": 142, "swapon": 224, "swapoff": 225,
        "acct": 89, "settimeofday": 170, "clock_settime": 112, "clock_adjtime": 266,
        "adjtimex": 171, "sethostname": 161, "setdomainname": 162, "open_by_handle_at": 265,
        "kcmp": 272, "pidfd_getfd": 438, "quotactl": 60, "fanotify_init": 262, "syslog": 116,
    },
}  # fmt: skip
"""Source: arch/x86/entry/syscalls/syscall_64.tbl and scripts/syscall.tbl of Linux 6.12."""

TALKING = {
    "x86_64": {"connect": 42, "accept": 43, "accept4": 288, "bind": 49, "listen": 50},
    "aarch64": {"connect": 203, "accept": 202, "accept4": 242, "bind": 200, "listen": 201},
}
TALKING["x86_64"]["sendmmsg"], TALKING["aarch64"]["sendmmsg"] = 307, 269
OTHERS = {
    "x86_64": {"read": 0, "write": 1, "execve": 59, "openat": 257, "kill": 62, "futex": 202},
    "aarch64": {"read": 63, "write": 64, "execve": 221, "openat": 56, "kill": 129, "futex": 98},
}
MACHINES = list(NUMBERS)
NETWORKS = ("off", "proxy", "on")
ALLOWED = "allowed"


def answer(program: bytes, architecture: int, number: int, *arguments: int) -> str:
    """What the kernel does with a call: the classic BPF that filters of system calls are made of."""
    given = (*arguments, *([0] * (6 - len(arguments))))
    data = struct.pack("=IIQ6Q", number, architecture, 0, *given)
    lines = list(struct.iter_unpack("=HBBI", program))
    at, held = 0, 0
    while True:
        code, yes, no, value = lines[at]
        at += 1
        match code:
            case 0x20:
                held = struct.unpack_from("=I", data, value)[0]
            case 0x54:
                held &= value
            case 0x15:
                at += yes if held == value else no
            case 0x35:
                at += yes if held >= value else no
            case 0x45:
                at += yes if held & value else no
            case 0x06:
                return {0x7FFF0000: ALLOWED, 0x80000000: "killed"}.get(value, f"{value & 0xFFFF}")
            case _:
                raise AssertionError(code)


def asked(machine: str, network: str, number: int, *arguments: int) -> str:
    assert network in NETWORKS
    program = seccomp.refusing(machine, network)
    return answer(program, seccomp.MACHINES[machine].architecture, number, *arguments)


EPERM, ENOSYS = "1", "38"


@pytest.mark.proves("F03", "F06")
@every("machine", MACHINES)
@every("network", NETWORKS)
def test_what_no_program_of_a_developer_needs_is_refused(machine: str, network: str) -> None:
    found = {name: asked(machine, network, number) for name, number in NUMBERS[machine].items()}
    assert found == dict.fromkeys(NUMBERS[machine], EPERM)
    others = {name: asked(machine, network, number) for name, number in OTHERS[machine].items()}
    assert others == dict.fromkeys(OTHERS[machine], ALLOWED)


@every("machine", MACHINES)
def test_calls_of_another_architecture_end_the_program(machine: str) -> None:
    program = seccomp.refusing(machine, "on")
    assert answer(program, 0x40000003, 1) == "killed"
    if machine == "x86_64":
        assert asked(machine, "on", 0x40000000) == ENOSYS


@pytest.mark.proves("F03")
@every("machine", MACHINES)
def test_no_namespace_is_made(machine: str) -> None:
    calls = seccomp.MACHINES[machine]
    kinds = (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x8000000, 0x4000000, 0x2000000)
    for kind in kinds:
        assert asked(machine, "on", calls.clone, kind | 17) == EPERM
        assert asked(machine, "on", calls.unshare, kind) == EPERM
    assert asked(machine, "on", calls.unshare, 0x80) == EPERM
    assert asked(machine, "on", calls.unshare, 0x400) == ALLOWED
    assert asked(machine, "on", calls.clone, 17) == ALLOWED
    assert asked(machine, "on", calls.clone, 0x3D0F00) == ALLOWED
    assert asked(machine, "on", calls.clone3) == ENOSYS


@every("machine", MACHINES)
def test_nothing_is_typed_into_a_terminal_and_no_personality_weakens_memory(machine: str) -> None:
    calls = seccomp.MACHINES[machine]
    assert asked(machine, "on", calls.ioctl, 0, 0x5412) == EPERM
    assert asked(machine, "on", calls.ioctl, 0, 0x541C) == EPERM
    assert asked(machine, "on", calls.ioctl, 0, 0x5413) == ALLOWED
    assert asked(machine, "on", calls.personality, 0x0040000) == EPERM
    assert asked(machine, "on", calls.personality, 0xFFFFFFFF) == ALLOWED


UNIX, INET, INET6, NETLINK, PACKET, VSOCK = 1, 2, 10, 16, 17, 40
STREAM, DATAGRAM, RAW, NONBLOCK = 1, 2, 3, 0o4000


@pytest.mark.proves("codex-10.2", "divergences-sockets-with-the-network-off")
@every("machine", MACHINES)
def test_without_a_network_only_pairs_of_sockets_talk(machine: str) -> None:
    calls = seccomp.MACHINES[machine]
    talking = {name: asked(machine, "off", number) for name, number in TALKING[machine].items()}
    assert talking == dict.fromkeys(TALKING[machine], EPERM)
    for family in (INET, INET6, NETLINK, PACKET, VSOCK):
        assert asked(machine, "off", calls.socket, family, STREAM) == EPERM
        assert asked(machine, "off", calls.socketpair, family, STREAM) == EPERM
    assert asked(machine, "off", calls.socket, UNIX, STREAM) == ALLOWED
    assert asked(machine, "off", calls.socketpair, UNIX, STREAM) == ALLOWED


@pytest.mark.proves("F10")
@every("machine", MACHINES)
def test_to_the_proxy_lead_streams_alone(machine: str) -> None:
    calls = seccomp.MACHINES[machine]
    for family in (INET, INET6):
        assert asked(machine, "proxy", calls.socket, family, STREAM | NONBLOCK) == ALLOWED
        for kind in (DATAGRAM, RAW, DATAGRAM | NONBLOCK):
            assert asked(machine, "proxy", calls.socket, family, kind) == EPERM
    for family in (UNIX, NETLINK, PACKET, VSOCK):
        assert asked(machine, "proxy", calls.socket, family, STREAM) == EPERM
    assert asked(machine, "proxy", TALKING[machine]["connect"]) == ALLOWED
    assert asked(machine, "on", calls.socket, PACKET, RAW) == ALLOWED


@every("machine", MACHINES)
@every("network", ["off", "proxy"])
def test_nothing_is_sent_to_an_address_of_its_own(machine: str, network: str) -> None:
    sendto = seccomp.MACHINES[machine].sendto
    assert asked(machine, network, sendto, 3, 1, 1, 0, 0, 0) == ALLOWED
    for address in (1, 0xFFFFFFFF, 1 << 32, 0x7FFF_0000_0000):
        assert asked(machine, network, sendto, 3, 1, 1, 0, address, 16) == EPERM
