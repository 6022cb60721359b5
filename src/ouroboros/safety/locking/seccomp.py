"""Filters of system calls as the kernel's machine code; pure, standard library only."""

import struct
from typing import Literal, NamedTuple

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
EPERM, ENOSYS = 1, 38
CLONE_THREAD = 0x00010000

_NAMESPACES = 0x7E020000
_NEW_TIME = 0x80
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10
_SOCK_STREAM, _SOCK_SEQPACKET, _SOCK_TYPE = 1, 5, 0xF
_ANY_PROTOCOL, _TCP = 0, 6
_MSG_FASTOPEN = 0x20000000
_X32 = 0x40000000
_PERSONALITIES = (0, 8, 0x20000, 0x20008, 0xFFFFFFFF)


class Machine(NamedTuple):
    """The numbers of one architecture.

    Attributes:
        architecture: What the kernel calls it.
        refused: Calls that nobody in a cage may make.
        steering: Calls that set how a process runs, each with the place of the argument that names it.
        talking: Calls that reach others over sockets.
    """

    architecture: int
    clone: int
    clone3: int
    unshare: int
    ioctl: int
    personality: int
    socket: int
    socketpair: int
    sendto: int
    sendmsg: int
    sendmmsg: int
    refused: tuple[int, ...]
    talking: tuple[int, ...]
    steering: tuple[tuple[int, int], ...]


_OF_A_USER = {141: 2, 140: 2, 251: 3, 30: 3}
"""Calls that can also name a whole user, and the number by which they do: of both machines, none twice."""

# ptrace process_vm_* io_uring_* keys bpf userfaultfd perf; mounts and roots; kexec, modules,
# reboot, swap, accounting, clocks, host names, ports; handles, kcmp, pidfd_getfd, quota, fanotify
MACHINES = {
    "x86_64": Machine(
        architecture=0xC000003E,
        clone=56,
        clone3=435,
        unshare=272,
        ioctl=16,
        personality=135,
        socket=41,
        socketpair=53,
        sendto=44,
        sendmsg=46,
        sendmmsg=307,
        refused=(
            *(101, 310, 311, 425, 426, 427, 248, 249, 250, 321, 323, 298),
            *(165, 166, 155, 161, 428, 429, 430, 431, 432, 433, 442, 467, 308),
            *(246, 320, 175, 313, 176, 174, 177, 178, 169, 167, 168, 163, 103),
            *(164, 227, 305, 159, 170, 171, 172, 173, 154, 156, 134, 153),
            *(304, 312, 438, 440, 179, 443, 180, 300, 212, 447),
        ),
        talking=(42, 43, 49, 50, 288, 307),
        steering=((302, 0), (141, 1), (251, 1), (142, 0), (144, 0), (203, 0), (314, 0)),
    ),
    "aarch64": Machine(
        architecture=0xC00000B7,
        clone=220,
        clone3=435,
        unshare=97,
        ioctl=29,
        personality=92,
        socket=198,
        socketpair=199,
        sendto=206,
        sendmsg=211,
        sendmmsg=269,
        refused=(
            *(117, 270, 271, 425, 426, 427, 217, 218, 219, 280, 282, 241),
            *(40, 39, 41, 51, 428, 429, 430, 431, 432, 433, 442, 467, 268),
            *(104, 294, 105, 273, 106, 142, 224, 225, 89, 116),
            *(170, 112, 266, 171, 161, 162, 58),
            *(265, 272, 438, 440, 60, 443, 262, 18, 447),
        ),
        talking=(200, 201, 202, 203, 242, 269),
        steering=((261, 0), (140, 1), (30, 1), (118, 0), (119, 0), (122, 0), (274, 0)),
    ),
}


def allowing(architecture: int, clone: int, clone3: int, allowed: tuple[int, ...]) -> bytes:
    """A filter that lets these calls through and refuses all others; threads, but no process."""
    lines = [
        *_of_architecture(architecture),
        # A thread may be made, a process may not; the C library falls back from clone3.
        *_refused(clone3, ENOSYS),
        *(_is(clone, 0, 3), _argument(0), _has(CLONE_THREAD, 0, 1), _answer(ALLOW)),
        _load(0),
    ]
    for number in sorted(set(allowed)):
        lines += (_is(number, 0, 1), _answer(ALLOW))
    return b"".join([*lines, _answer(ERRNO | EPERM)])


def refusing(
    machine: str,
    network: Literal["off", "proxy", "on"],
    *,
    local_sockets: bool = True,
    others: bool = True,
) -> bytes:
    """The filter of a command: what no developer's program needs is refused with ``EPERM``.

    Args:
        machine: What ``platform.machine`` says, a key of ``MACHINES``.
        network: ``off`` leaves pairs of local sockets, ``proxy`` outgoing streams of IP.
        local_sockets: Where the network is ``on``, programs of this machine may be spoken to as well.
        others: No other process can be named anyway; else a command sets limits, priority and
            processors of itself alone.
    """
    calls = MACHINES[machine]
    lines = [*_of_architecture(calls.architecture)]
    if machine == "x86_64":
        lines += (_at_least(_X32, 0, 1), _answer(ERRNO | ENOSYS))
    lines += _refused(calls.clone3, ENOSYS)
    for number in sorted(set(calls.refused)):
        lines += _refused(number)
    lines += _if_argument(calls.clone, 0, [_has(_NAMESPACES, 0, 1), _answer(ERRNO | EPERM)])
    lines += _if_argument(
        calls.unshare, 0, [_has(_NAMESPACES | _NEW_TIME, 0, 1), _answer(ERRNO | EPERM)]
    )
    lines += _if_argument(
        calls.ioctl,
        1,
        [_is(_TIOCSTI, 1, 0), _is(_TIOCLINUX, 0, 1), _answer(ERRNO | EPERM)],
    )
    lines += _if_argument(calls.personality, 0, _one_of(_PERSONALITIES))
    for number, place in () if others else calls.steering:
        lines += _of_itself(number, place)
    match network:
        case "off":
            lines += _silent(calls)
        case "proxy":
            lines += _streams_only(calls)
        case "on" if not local_sockets:
            # Where a socket leads stands in memory, where a filter does not look: there is none to lead.
            lines += _if_argument(calls.socket, 0, [_is(_AF_UNIX, 0, 1), _answer(ERRNO | EPERM)])
            lines += _pairs(calls)
        case "on":
            pass
    return b"".join([*lines, _answer(ALLOW)])


def _of_itself(number: int, place: int) -> list[bytes]:
    """Nought names the caller, in every one of these calls."""
    lines = _if_argument(number, place, _one_of((0,)))
    if number in _OF_A_USER:
        user = _OF_A_USER[number]
        lines += _if_argument(number, 0, [_is(user, 0, 1), _answer(ERRNO | EPERM)])
    return lines


def _silent(calls: Machine) -> list[bytes]:
    lines: list[bytes] = []
    for number in calls.talking:
        lines += _refused(number)
    lines += _if_argument(calls.socket, 0, _one_of((_AF_UNIX,)))
    # A socket of datagrams names whom it sends to in memory, where a filter does not look.
    lines += _if_argument(calls.socket, 1, _connected_types())
    lines += _pairs(calls)
    # Without an address it goes to the other end of a pair: asyncio wakes itself up like that.
    return [*lines, *_without_address(calls.sendto)]


def _streams_only(calls: Machine) -> list[bytes]:
    return [
        *_if_argument(calls.socket, 0, _one_of((_AF_INET, _AF_INET6))),
        *_if_argument(calls.socket, 1, [_type(), *_one_of((_SOCK_STREAM,))]),
        # Landlock holds TCP alone to its ports, and not TCP over several paths.
        *_if_argument(calls.socket, 2, _one_of((_ANY_PROTOCOL, _TCP))),
        *_pairs(calls),
        # Data in the first packet of a connection would go past the check of where it leads.
        *_without_address(calls.sendto),
        *_if_argument(calls.sendmsg, 2, [_has(_MSG_FASTOPEN, 0, 1), _answer(ERRNO | EPERM)]),
        *_refused(calls.sendmmsg),
    ]


def _pairs(calls: Machine) -> list[bytes]:
    return [
        *_if_argument(calls.socketpair, 0, _one_of((_AF_UNIX,))),
        *_if_argument(calls.socketpair, 1, _connected_types()),
    ]


def _connected_types() -> list[bytes]:
    return [_type(), *_one_of((_SOCK_STREAM, _SOCK_SEQPACKET))]


def _type() -> bytes:
    """A socket's type without its flags."""
    return struct.pack("=HBBI", 0x54, 0, 0, _SOCK_TYPE)


def _without_address(sendto: int) -> list[bytes]:
    refuse = _answer(ERRNO | EPERM)
    inner = [_is(0, 1, 0), refuse, _load(16 + 4 * 8 + 4), _is(0, 1, 0), refuse]
    return _if_argument(sendto, 4, inner)


def _of_architecture(architecture: int) -> list[bytes]:
    return [_load(4), _is(architecture, 1, 0), _answer(KILL), _load(0)]


def _refused(number: int, error: int = EPERM) -> list[bytes]:
    return [_is(number, 0, 1), _answer(ERRNO | error)]


def _if_argument(number: int, place: int, inner: list[bytes]) -> list[bytes]:
    """Runs ``inner`` over an argument of one call; what it does not answer goes on."""
    return [_is(number, 0, len(inner) + 1), _argument(place), *inner, _load(0)]


def _one_of(values: tuple[int, ...]) -> list[bytes]:
    """Goes on when the value is one of these, else refuses."""
    checks = [_is(value, len(values) - place, 0) for place, value in enumerate(values)]
    return [*checks, _answer(ERRNO | EPERM)]


def _load(offset: int) -> bytes:
    return struct.pack("=HBBI", 0x20, 0, 0, offset)


def _argument(place: int) -> bytes:
    return _load(16 + 8 * place)


def _is(value: int, yes: int, no: int) -> bytes:
    return struct.pack("=HBBI", 0x15, yes, no, value)


def _has(bits: int, yes: int, no: int) -> bytes:
    return struct.pack("=HBBI", 0x45, yes, no, bits)


def _at_least(value: int, yes: int, no: int) -> bytes:
    return struct.pack("=HBBI", 0x35, yes, no, value)


def _answer(value: int) -> bytes:
    return struct.pack("=HBBI", 0x06, 0, 0, value)
