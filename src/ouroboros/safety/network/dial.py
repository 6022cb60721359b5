"""Connects to a host at an address that was judged: looked up once, and that very address is used.

So a name that leads to one place when it is judged and to another one when it is used gains nothing.
"""

import socket
from collections.abc import Callable

import anyio
from anyio.abc import SocketStream

from ouroboros.core.errors import Denied
from ouroboros.safety.network.addresses import read, refusal
from ouroboros.safety.network.hosts import HostRules

ADDRESS_SECONDS = 10.0
"""For one of several addresses; the caller bounds the whole."""

type Look = Callable[[str], str]
"""From an address in digits to why it is not to be reached; empty: it may be."""


class Refused(Denied):
    """The host leads to an address that is not to be reached."""


class Dialled:
    """A connection, and where it really leads."""

    def __init__(self, stream: SocketStream, address: str) -> None:
        """``address`` is in digits."""
        self.stream, self.address = stream, address


def look_of(rules: HostRules, host: str, port: int) -> Look:
    """What is said of each address of a host: a local one only where the person named it so."""
    if not rules.lists_literally(host, port):
        return lambda one: "" if _is_listed(rules, one, port) else refusal(one)
    if read(host) is not None:
        return lambda one: "" if read(one) == read(host) else f"{one} is not {host}"
    return _only_here


async def lookup(host: str, port: int) -> tuple[str, ...]:
    """The addresses of a host in digits, each once; raises ``OSError``."""
    if read(host) is not None:
        return (host,)
    if host == "localhost" or host.endswith(".localhost"):
        return ("127.0.0.1", "::1")
    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(place[4][0]) for place in found))


async def dial(host: str, port: int, look: Look) -> Dialled:
    """Connects to the first of the host's addresses that answers.

    Raises:
        Refused: One of them is not to be reached; then none is tried.
        OSError: There is none, or none answers.
    """
    addresses = await lookup(host, port)
    for one in addresses:
        if reason := look(one):
            raise Refused(
                reason if one == host else f"{host} leads to an address not to be reached: {reason}"
            )
    failure: OSError = OSError(f"{host} has no address")
    for one in addresses:
        try:
            with anyio.fail_after(ADDRESS_SECONDS):
                return Dialled(await anyio.connect_tcp(one, port), one)
        except TimeoutError:
            failure = TimeoutError(f"{one} does not answer")
        except OSError as error:
            failure = error
    raise failure


def _is_listed(rules: HostRules, one: str, port: int) -> bool:
    found = read(one)
    return found is not None and rules.lists_literally(str(found), port)


def _only_here(one: str) -> str:
    found = read(one)
    return "" if found is not None and found.is_loopback else f"{one} is not this machine"
