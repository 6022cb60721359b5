"""Sockets that only this machine reaches."""

import socket

from ouroboros.core.errors import Misuse

_BACKLOG = 256


def listening(port: int, *, six: bool = False) -> list[socket.socket]:
    """Sockets that listen at a port of this machine; 0 takes a free one.

    ``six`` listens at the same port of ``[::1]`` too.

    Raises:
        Misuse: The port is taken, or may not be used.
    """
    found = [_bound(socket.AF_INET, "127.0.0.1", port)]
    if six:
        try:
            found.append(_bound(socket.AF_INET6, "::1", found[0].getsockname()[1]))
        except Misuse:
            found[0].close()
            raise
    return found


def _bound(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    try:
        made = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise _unusable(host, port, error) from error
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(_BACKLOG)
        made.settimeout(0)
    except OSError as error:
        made.close()
        raise _unusable(host, port, error) from error
    return made


def _unusable(host: str, port: int, error: OSError) -> Misuse:
    return Misuse(
        f"cannot listen at {host}, port {port}: {error.strerror or error}",
        hint="name another one with --port; 0 takes a free one",
    )
