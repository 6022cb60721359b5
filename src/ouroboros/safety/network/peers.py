"""Whose a connection on loopback is: no other user of the machine goes out through a gate of ours.

Sources: https://man7.org/linux/man-pages/man7/sock_diag.7.html, and for the table of all connections
https://docs.kernel.org/networking/proc_net_tcp.html
"""

import socket
import struct
from pathlib import Path

_TABLE = Path("/proc/net/tcp")
_HERE = "0100007F"
_USER = 7

_DIAGNOSIS = 4
_BY_FAMILY = 20
_HEADER = struct.Struct("=IHHII")
_PLACE = struct.Struct(">HH4s12x4s12x")
_ASKED = struct.Struct("=BBBxI")
_ANY = b"\0" * 4 + b"\xff" * 8
_USER_AT = _HEADER.size + 4 + _PLACE.size + len(_ANY) + 12
_LOOPBACK = bytes((127, 0, 0, 1))


def is_ours(theirs: int, ours: int, *, user: int) -> bool:
    """Whether the one who connected from port ``theirs`` to our port ``ours`` is ``user``.

    Where the system does not tell whose a connection is, it counts as ours. May read a file.
    """
    told = asked(theirs, ours)
    return user == told if told is not None else in_table(theirs, ours, user=user)


def asked(theirs: int, ours: int) -> int | None:
    """The user of one connection as the kernel tells it at once; None: it does not."""
    place = _PLACE.pack(theirs, ours, _LOOPBACK, _LOOPBACK)
    wish = _ASKED.pack(socket.AF_INET, socket.IPPROTO_TCP, 0, 0xFFFFFFFF) + place + _ANY
    try:
        kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _DIAGNOSIS)
    except (OSError, AttributeError):  # not Linux, or forbidden
        return None
    with kernel:
        try:
            kernel.settimeout(1)
            kernel.send(_HEADER.pack(_HEADER.size + len(wish), _BY_FAMILY, 1, 1, 0) + wish)
            told = kernel.recv(4096)
        except OSError:
            return None
    if len(told) < _USER_AT + 4 or _HEADER.unpack_from(told)[1] != _BY_FAMILY:
        return None
    if told[_HEADER.size + 4 :][: _PLACE.size] != place:
        return None  # somebody who listens at their port
    return int.from_bytes(told[_USER_AT : _USER_AT + 4], "little")


def in_table(theirs: int, ours: int, *, user: int) -> bool:
    """The same from the table of all connections, which is long on a busy machine."""
    try:
        rows = _TABLE.read_text(encoding="ascii", errors="replace").splitlines()[1:]
    except OSError:
        return True
    found: list[str] = []
    is_told = False
    for row in rows:
        fields = row.split()
        if len(fields) <= _USER:
            continue
        here, there = fields[1], fields[2]
        is_told = is_told or here == f"{_HERE}:{ours:04X}"
        if (here, there) == (f"{_HERE}:{theirs:04X}", f"{_HERE}:{ours:04X}"):
            found.append(fields[_USER])
    return str(user) in found if is_told else True
