"""Filters of system calls as the kernel's machine code; pure, standard library only."""

import struct
from typing import Literal, NamedTuple

ALLOW, KILL, ERRNO, NOTIFY = 0x7FFF0000, 0x80000000, 0x00050000, 0x7FC00000
EPERM, ENOSYS = 1, 38
CLONE_THREAD = 0x00010000
BLIND = "blind"
"""Told in the place of a refusal where the kernel notifies nobody; here, where nothing else is loaded with it."""

_NAMESPACES = 0x7E020000
_NEW_TIME = 0x80
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10
_SOCK_STREAM, _SOCK_SEQPACKET, _SOCK_TYPE = 1, 5, 0xF
_ANY_PROTOCOL, _TCP = 0, 6
_MSG_FASTOPEN = 0x20000000
_X32 = 0x40000000
TO_WRITE = 0o1 | 0o2 | 0o100 | 0o1000
"""Flags with which a file is opened to be written, made or emptied."""
_PERSONALITIES = (0, 8, 0x20000, 0x20008, 0xFFFFFFFF)


class FileCall(NamedTuple):
    """A call that changes files, with the places of its arguments; -1 for one that it does not have.

    Attributes:
        kind: Opens a file for writing; makes a name, takes one away, or puts one in the place of
            another; changes what is there, or its mode.
    """

    number: int
    kind: Literal["open", "make", "remove", "replace", "change", "mode"]
    folder: int
    path: int
    flags: int = -1


class Machine(NamedTuple):
    """The numbers of one architecture.

    Attributes:
        architecture: What the kernel calls it.
        refused: Calls that nobody in a cage may make.
        named: What those of them do whose refusal is told of.
        files: Calls that change files, of which an observer is told.
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
    connect: int
    refused: tuple[int, ...]
    named: dict[int, str]
    files: tuple[FileCall, ...]
    talking: tuple[int, ...]
    steering: tuple[tuple[int, int], ...]


_TRACE, _MEMORY = "debugging a process (ptrace)", "reading the memory of a process"
_MOUNTS, _NAMESPACE = "mounting, or another root folder", "namespaces of its own"
_BPF, _PERF = "programs in the kernel (bpf)", "performance counters of the kernel"
_MODULES, _REBOOT = "modules of the kernel", "restarting the machine"

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
        connect=42,
        named={
            101: _TRACE,
            310: _MEMORY,
            311: _MEMORY,
            165: _MOUNTS,
            166: _MOUNTS,
            155: _MOUNTS,
            161: _MOUNTS,
            308: _NAMESPACE,
            272: _NAMESPACE,
            321: _BPF,
            298: _PERF,
            175: _MODULES,
            313: _MODULES,
            176: _MODULES,
            169: _REBOOT,
        },
        files=(
            FileCall(2, "open", -1, 0, 1),
            FileCall(257, "open", 0, 1, 2),
            *(FileCall(number, "change", -1, 0) for number in (85, 76)),
            FileCall(90, "mode", -1, 0),
            *(FileCall(number, "mode", 0, 1) for number in (268, 452)),
            *(FileCall(number, "make", -1, 0) for number in (83, 133)),
            *(FileCall(number, "make", 0, 1) for number in (258, 259)),
            *(FileCall(number, "make", -1, 1) for number in (88, 86)),
            *(FileCall(266, "make", 1, 2), FileCall(265, "make", 2, 3)),
            *(FileCall(number, "remove", -1, 0) for number in (84, 87, 82)),
            *(FileCall(number, "remove", 0, 1) for number in (263, 264, 316)),
            FileCall(82, "replace", -1, 1),
            *(FileCall(number, "replace", 2, 3) for number in (264, 316)),
        ),
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
        connect=203,
        named={
            117: _TRACE,
            270: _MEMORY,
            271: _MEMORY,
            40: _MOUNTS,
            39: _MOUNTS,
            41: _MOUNTS,
            51: _MOUNTS,
            268: _NAMESPACE,
            97: _NAMESPACE,
            280: _BPF,
            241: _PERF,
            105: _MODULES,
            273: _MODULES,
            106: _MODULES,
            142: _REBOOT,
        },
        files=(
            FileCall(56, "open", 0, 1, 2),
            FileCall(45, "change", -1, 0),
            *(FileCall(number, "mode", 0, 1) for number in (53, 452)),
            *(FileCall(number, "make", 0, 1) for number in (34, 33)),
            *(FileCall(36, "make", 1, 2), FileCall(37, "make", 2, 3)),
            *(FileCall(number, "remove", 0, 1) for number in (35, 38, 276)),
            *(FileCall(number, "replace", 2, 3) for number in (38, 276)),
        ),
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
    is_observed: bool = False,
) -> bytes:
    """The filter of a command: what no developer's program needs is refused with ``EPERM``.

    Args:
        machine: What ``platform.machine`` says, a key of ``MACHINES``.
        network: ``off`` leaves pairs of local sockets, ``proxy`` outgoing streams of IP.
        local_sockets: Where the network is ``on``, programs of this machine may be spoken to as well.
        others: No other process can be named anyway; else a command sets limits, priority and
            processors of itself alone.
        is_observed: There is a listener that refuses, in our place, what is told of, and that is
            asked about calls that change files; see ``locking.observing``.
    """
    calls = MACHINES[machine]
    refuse = _answer(NOTIFY if is_observed else ERRNO | EPERM)
    lines = [*_of_architecture(calls.architecture)]
    if machine == "x86_64":
        lines += (_at_least(_X32, 0, 1), _answer(ERRNO | ENOSYS))
    lines += _refused(calls.clone3, ENOSYS)
    for number in sorted(set(calls.refused)):
        lines += [_is(number, 0, 1), refuse] if number in calls.named else _refused(number)
    lines += _if_argument(calls.clone, 0, [_has(_NAMESPACES, 0, 1), _answer(ERRNO | EPERM)])
    lines += _if_argument(calls.unshare, 0, [_has(_NAMESPACES | _NEW_TIME, 0, 1), refuse])
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
            lines += _silent(calls, refuse)
        case "proxy":
            lines += _streams_only(calls, refuse)
            lines += [_is(calls.connect, 0, 1), _answer(NOTIFY)] if is_observed else []
        case "on" if not local_sockets:
            # Where a socket leads stands in memory, where a filter does not look: there is none to lead.
            lines += _if_argument(calls.socket, 0, [_is(_AF_UNIX, 0, 1), _answer(ERRNO | EPERM)])
            lines += _pairs(calls)
        case "on":
            pass
    return b"".join([*lines, *(_changes(calls) if is_observed else ()), _answer(ALLOW)])


def _changes(calls: Machine) -> list[bytes]:
    lines: list[bytes] = []
    for number, flags in {(call.number, call.flags) for call in calls.files}:
        told = _answer(NOTIFY)
        if flags < 0:
            lines += [_is(number, 0, 1), told]
        else:
            lines += _if_argument(number, flags, [_has(TO_WRITE, 0, 1), told])
    return lines


def _of_itself(number: int, place: int) -> list[bytes]:
    """Nought names the caller, in every one of these calls."""
    lines = _if_argument(number, place, _one_of((0,)))
    if number in _OF_A_USER:
        user = _OF_A_USER[number]
        lines += _if_argument(number, 0, [_is(user, 0, 1), _answer(ERRNO | EPERM)])
    return lines


def _silent(calls: Machine, refuse: bytes) -> list[bytes]:
    lines: list[bytes] = []
    for number in calls.talking:
        lines += [_is(number, 0, 1), refuse]
    lines += _if_argument(calls.socket, 0, _one_of((_AF_UNIX,), refuse))
    # A socket of datagrams names whom it sends to in memory, where a filter does not look.
    lines += _if_argument(calls.socket, 1, _connected_types())
    lines += _pairs(calls)
    # Without an address it goes to the other end of a pair: asyncio wakes itself up like that.
    return [*lines, *_without_address(calls.sendto)]


def _streams_only(calls: Machine, refuse: bytes) -> list[bytes]:
    return [
        *_if_argument(calls.socket, 0, _one_of((_AF_INET, _AF_INET6))),
        *_if_argument(calls.socket, 1, [_type(), *_one_of((_SOCK_STREAM,), refuse)]),
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


def _one_of(values: tuple[int, ...], refuse: bytes = b"") -> list[bytes]:
    """Goes on when the value is one of these, else refuses."""
    checks = [_is(value, len(values) - place, 0) for place, value in enumerate(values)]
    return [*checks, refuse or _answer(ERRNO | EPERM)]


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
